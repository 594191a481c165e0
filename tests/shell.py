"""The shell that tests and their processes see; imported before torch comes in."""

import os
import re
import tempfile
import time

OURS = {
    "OMP_NUM_THREADS": "1",  # several tests run at once
    "LC_ALL": "C.UTF-8",
    "PYTHONUTF8": "1",
    "TZ": "UTC",
}
THEIRS = re.compile(  # how the variables begin that are somebody's settings
    "COURSE|JUPYTER|IPYTHON|UV_|PIP_(QUIET|VERBOSE|REQUIRE|TARGET|USER|PREFIX|LOG)|LC_|LANG"
    "|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR|PY_COLORS|MPL|MATPLOTLIBRC|XDG_(CONFIG|DATA)"
    "|VIRTUAL_ENV|CONDA_PREFIX|PYTHON(PATH|HOME|WARNINGS|STARTUP|OPTIMIZE|IOENCODING|HASHSEED)"
)


def _same_shell() -> object:
    """Whatever shell tests are started from, they and their processes see the same.

    Their home is empty, and lasts as long as what comes back; the caches are the user's.
    """
    for name in filter(THEIRS.match, list(os.environ)):
        del os.environ[name]
    os.environ.update(OURS)
    os.umask(0o022)
    if hasattr(time, "tzset"):
        time.tzset()
    if "PYTEST_XDIST_WORKER" in os.environ:
        return None  # the first process has made one
    home, caches = tempfile.TemporaryDirectory(prefix="home-"), os.path.expanduser("~/.cache")
    if os.access(caches, os.W_OK):
        os.environ.setdefault("XDG_CACHE_HOME", caches)
    os.environ["HOME"] = home.name
    return home


HOME = _same_shell()
