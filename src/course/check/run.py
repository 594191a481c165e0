"""`course check`: run pytest with nbval and our plugin over notebooks."""

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from course.execute.kernel import START_TIMEOUT
from course.execute.processes import started
from course.notebooks import read

# Without the repository's own settings, and without two plugins that take a second to import.
PYTEST = (
    f"--nbval --nbval-kernel-startup-timeout={START_TIMEOUT} -p course.check.nbval_plugin "
    f"-c {os.devnull} --noconftest -q -p no:cacheprovider -p no:hypothesispytest -p no:jaxtyping -p no:randomly"
)


def check(
    notebooks: Sequence[Path], root: Path, workers: int = 1, extra: Sequence[str] = ()
) -> int:
    """Run the notebooks and compare their outputs; return 0 if all agree, 1 if not.

    Each notebook runs in one of the `workers`. The repository's own pytest settings and conftest.py
    files aren't used; `extra` holds further options for pytest.
    """
    for path in notebooks:
        read(path)  # raises CourseError for a bad one before any is executed
    command = [sys.executable, "-m", "pytest", *shlex.split(PYTEST), "--rootdir", root]
    # Relative to the root: pytest takes a bracket in a path for the start of a parameter.
    seen = [os.path.relpath(path, root) for path in notebooks]
    command += ["-n", min(workers, len(notebooks)), *extra, *seen]
    # No environment variable of pytest may change what is checked. Processes that are killed leave
    # their files in a folder of their own, which is deleted at the end.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    with TemporaryDirectory(prefix="course-", ignore_cleanup_errors=True) as scratch:
        environment |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), scratch)
        to = None if sys.stdout.isatty() else subprocess.PIPE  # the reader of our output may leave
        with started(command, cwd=root, env=environment, stdout=to) as pytest:
            for line in pytest.stdout or ():
                print(line, end="", flush=True)
            return int(pytest.wait() != 0)
