"""Time to build the book of all chapters, as a ratio to jupyter-book 1.x on the same notebooks.

Run: python benchmarks/book_time.py [PATH_OF_JUPYTER_BOOK]
jupyter-book needs an environment of its own: python -m venv jb && jb/bin/pip install 'jupyter-book<2'
The aim is at most a third. The two programs take turns, and each build starts without an earlier one.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from course.notebooks import chapters, root

REPEATS = 3
AIM = 1 / 3


def seconds(command: list[str], folder: Path) -> float:
    """Return the wall-clock seconds of a build. Exits if the build fails."""
    shutil.rmtree(folder / "build", ignore_errors=True)
    shutil.rmtree(folder / "notebooks" / "_build", ignore_errors=True)
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")
    return time.perf_counter() - start


def main() -> None:
    here = root()
    theirs = sys.argv[1] if len(sys.argv) > 1 else shutil.which("jupyter-book")
    if not theirs:
        sys.exit("expected the path of jupyter-book 1.x: pip install 'jupyter-book<2' in a venv")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for part in ("notebooks", "src"):
            shutil.copytree(here / part, folder / part)
        shutil.copy(here / "book.toml", folder)
        stems = [path.stem for path in chapters(here)]
        lines = [f"- file: {stem}" for stem in stems[1:]]
        toc = ["format: jb-book", f"root: {stems[0]}", "chapters:", *lines]
        (folder / "notebooks" / "_toc.yml").write_text("\n".join(toc) + "\n")
        config = "title: Book\nexecute:\n  execute_notebooks: 'off'\n"
        (folder / "notebooks" / "_config.yml").write_text(config)
        ours = [sys.executable, "-m", "course", "book"]
        other = [str(Path(theirs).absolute()), "build", "--all", "notebooks"]
        pairs = [(seconds(ours, folder), seconds(other, folder)) for _ in range(REPEATS)]
    for one, two in pairs:
        print(f"course book {one:6.2f} s   jupyter-book {two:6.2f} s   ratio {one / two:.3f}")
    ratio = statistics.median(one / two for one, two in pairs)
    print(
        f"{len(stems)} chapters on {os.cpu_count()} processors: median {ratio:.3f}, aim {AIM:.3f}"
    )


if __name__ == "__main__":
    main()
