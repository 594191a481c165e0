"""Give tests and their processes the same environment; this has to be imported before torch."""

import atexit
import locale
import os
import re
import sys
import tempfile
import time

OURS = {
    "OMP_NUM_THREADS": "1",  # several tests run at once
    "LC_ALL": "C.UTF-8",
    "PYTHONUTF8": "1",
    "TZ": "UTC",
}
THEIRS = re.compile(  # the beginnings of variables that hold a user's settings
    "COURSE|JUPYTER|IPYTHON|UV_|PIP_(QUIET|VERBOSE|REQUIRE|TARGET|USER|PREFIX|LOG)|LC_|LANG"
    "|GIT_|(?i:https?_proxy|all_proxy)"
    "|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR|PY_COLORS|MPL|MATPLOTLIBRC|XDG_(CONFIG|DATA)"
    "|VIRTUAL_ENV|CONDA_PREFIX|PYTHON(PATH|HOME|WARNINGS|STARTUP|OPTIMIZE|IOENCODING|HASHSEED)"
)


def same_shell() -> None:
    """Set the same variables, umask, time zone and home for all tests, from whatever shell they are started.

    The home is an empty folder that is deleted when this process ends. Caches stay in the user's folder.
    """
    if locale.getpreferredencoding(False).lower() != "utf-8":  # this process can't change it
        sys.exit("the tests read and write UTF-8: run `make test`, or set PYTHONUTF8=1")
    for name in filter(THEIRS.match, list(os.environ)):
        del os.environ[name]
    os.environ.update(OURS)
    os.umask(0o022)
    if hasattr(time, "tzset"):
        time.tzset()
    if "PYTEST_XDIST_WORKER" in os.environ:
        return  # the first process has already made a home
    caches = os.path.expanduser("~/.cache")
    if os.access(caches, os.W_OK):
        os.environ.setdefault("XDG_CACHE_HOME", caches)
    home = tempfile.TemporaryDirectory(prefix="home-")
    atexit.register(home.cleanup)
    os.environ["HOME"] = home.name


same_shell()
