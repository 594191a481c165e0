"""Set up the environment of the course: python install.py [FOLDER] [--book] [--grade] [--test]

uv installs the pinned packages in seconds; where it can't, pip does, which takes minutes. Both keep
to the settings of pip (its files and PIP_ variables) and to the hashes of the pins. PyTorch has no
hash here, since every index has builds of its own: on Linux the one for the CPU is taken, if
PyTorch's own index can be reached.
"""

from __future__ import annotations  # so that an old Python gets as far as being told

import argparse
import ast
import http.client
import os
import shutil
import ssl
import subprocess
import sys
import urllib.request
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
UV = "uv==0.13.9"
TORCH = "https://download.pytorch.org/whl/cpu"
TORCH_PIN = "torch==2.13.0"
PATIENCE = 3  # seconds for that page
SETS = {  # of packages, beside those that learning needs
    "book": "the book, the talks and their PDFs",
    "grade": "grading on many machines",
    "test": "the tests, with --book and --grade",
}
OPTIONS = {  # of pip: what uv calls it
    "index-url": "--default-index",
    "extra-index-url": "--index",
    "find-links": "--find-links",
    "trusted-host": "--allow-insecure-host",
}


def main(words: list[str] | None = None) -> None:
    if sys.version_info < (3, 11):  # noqa: UP036
        sys.exit(
            f"The course needs Python 3.11 or newer, and this is {sys.version.split()[0]}. "
            "Run install.py with a newer one, such as: python3.11 install.py"
        )
    parser = argparse.ArgumentParser(description="Set up the environment of the course.")
    parser.add_argument("folder", nargs="?", default=".venv", help="of the environment (.venv)")
    parser.add_argument("--here", action="store_true", help="in the Python that runs this instead")
    for name, who in SETS.items():
        parser.add_argument(f"--{name}", action="store_true", help=f"also the packages of {who}")
    given = parser.parse_args(words)
    folder, python = Path(sys.prefix), Path(sys.executable)
    if not given.here:
        folder = ROOT / given.folder
        python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        if not python.exists():
            venv.create(folder, with_pip=True)
    sets = ["", *(f"-{name}" for name in SETS if getattr(given, name))]
    try:
        install(python, [f"--requirement=requirements{name}.txt" for name in sets])
    except subprocess.CalledProcessError:
        sys.exit(
            "pip could not install them either. Is PyPI reachable (or, with PIP_NO_INDEX, is each "
            "package in the folder of PIP_FIND_LINKS), and is there room on the disk for 1.5 GB? "
            f"Then do the same again: what is in {folder} already is kept."
        )
    for name in sets:
        pins = ROOT / f"requirements{name}.txt"
        shutil.copyfile(pins, folder / f".ready{name}")  # make and `course start` compare it
    print(f"The course is installed. Next: {python.with_name('course')} start")


def install(python: Path, pins: list[str]) -> None:
    """The pins, then the course and PyTorch, which it needs: with uv, or else with pip."""
    pip = [str(python), "-m", "pip", "--disable-pip-version-check"]
    settings = pip_settings(pip)
    pins = ["--no-deps", *pins]
    course = ["--no-build-isolation", *cpu_index(settings), TORCH_PIN, "-e", "."]
    try:
        run([*pip, "install", "--quiet", UV])
        uv = [str(python), "-m", "uv", "pip", "install", "--quiet", "--python", str(python)]
        uv += ["--compile-bytecode", *uv_options(settings)]  # as pip does: each start is faster
        if "cert" in settings:
            os.environ.setdefault("SSL_CERT_FILE", settings["cert"])
        run([*uv, *pins])
        run([*uv, *course])
    except subprocess.CalledProcessError:
        print("uv could not install the packages (above it says why). pip does, in some minutes.")
        run([*pip, "install", "--quiet", *pins])
        run([*pip, "install", "--quiet", *course])


def run(command: list[str]) -> None:
    subprocess.run(command, cwd=ROOT, check=True)


def cpu_index(settings: dict[str, str]) -> list[str]:
    """On Linux, PyTorch's index of builds for the CPU, if a page of it comes within seconds."""
    if sys.platform != "linux" or "no-index" in settings:
        return []
    request = urllib.request.Request(f"{TORCH}/torch/", method="HEAD")
    try:
        context = ssl.create_default_context(cafile=settings.get("cert"))
        urllib.request.urlopen(request, timeout=PATIENCE, context=context).close()
    except (OSError, http.client.HTTPException) as error:
        print(
            f"{TORCH} can't be reached ({error}), so PyTorch comes from where pip looks: "
            f"{settings.get('find-links') or 'PyPI, whose build brings CUDA along, gigabytes'}."
        )
        return []
    return ["--extra-index-url", TORCH]


def pip_settings(pip: list[str]) -> dict[str, str]:
    """What pip's files and variables say for an installation; a variable wins over a file."""
    listed = subprocess.run([*pip, "config", "list"], capture_output=True, text=True, check=True)
    settings = {}
    for section in ("global.", "install.", ":env:."):
        for line in listed.stdout.splitlines():
            if line.startswith(section) and "=" in line:
                name, value = line.removeprefix(section).split("=", 1)
                settings[name] = str(ast.literal_eval(value))
    if settings.get("no-index", "").lower() not in ("1", "true", "yes", "on"):
        settings.pop("no-index", None)
    return settings


def uv_options(settings: dict[str, str]) -> list[str]:
    """The same settings in uv's words; each value may be several, with spaces between them."""
    options = ["--index-strategy", "unsafe-best-match"]  # as pip: the best of all indexes
    for name, option in OPTIONS.items():
        for value in settings.get(name, "").split():
            options += [option, value]
    return [*options, "--no-index"] if "no-index" in settings else options


if __name__ == "__main__":
    main()
