"""Set up the environment of the course: python install.py [FOLDER]

The folder is .venv unless given. uv installs the pinned packages in seconds; where it can't, pip
does, which takes minutes. Both keep to the settings of pip (its files and PIP_ variables). On Linux
the CPU build of PyTorch is taken, if PyTorch's own index can be reached: the other is gigabytes.
"""

from __future__ import annotations  # so that an old Python gets as far as being told

import ast
import http.client
import os
import ssl
import subprocess
import sys
import urllib.request
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
UV = "uv==0.13.9"
TORCH = "https://download.pytorch.org/whl/cpu"
OPTIONS = {  # of pip: what uv calls it
    "index-url": "--default-index",
    "extra-index-url": "--index",
    "find-links": "--find-links",
    "trusted-host": "--allow-insecure-host",
}


def main(folder: str = ".venv") -> None:
    if sys.version_info < (3, 11):  # noqa: UP036
        sys.exit(
            f"The course needs Python 3.11 or newer, and this is {sys.version.split()[0]}. "
            "Run install.py with a newer one, such as: python3.11 install.py"
        )
    python = ROOT / folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        venv.create(ROOT / folder, with_pip=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check"]
    settings = pip_settings(pip)
    cpu = sys.platform == "linux" and reachable(f"{TORCH}/torch/", settings.get("cert"))
    try:
        run([*pip, "install", "--quiet", UV])
        uv = [str(python), "-m", "uv", "pip", "install", "--quiet", "--python", str(python)]
        uv += uv_options(settings)
        if "cert" in settings:
            os.environ.setdefault("SSL_CERT_FILE", settings["cert"])
        run([*uv, *(["--torch-backend", "cpu"] if cpu else []), "-r", "requirements.txt"])
        run([*uv, "--no-deps", "-e", "."])
    except subprocess.CalledProcessError:
        print("uv could not install the packages (above it says why). pip does, in some minutes.")
        index = ["--extra-index-url", TORCH] if cpu else []
        try:
            run([*pip, "install", "--quiet", *index, "-r", "requirements.txt"])
            run([*pip, "install", "--quiet", "--no-deps", "-e", "."])
        except subprocess.CalledProcessError:
            sys.exit(
                "pip could not install them either. Is PyPI reachable, and is there room on the "
                f"disk for 1 GB? Then do the same again: what is in {folder} already is kept."
            )


def run(command: list[str]) -> None:
    subprocess.run(command, cwd=ROOT, check=True)


def reachable(url: str, certificates: str | None) -> bool:
    """Whether a page answers, and not only a gateway before it; it costs some seconds at most."""
    request = urllib.request.Request(url, method="HEAD")
    try:
        context = ssl.create_default_context(cafile=certificates)
        urllib.request.urlopen(request, timeout=3, context=context).close()
    except (OSError, http.client.HTTPException):
        return False
    return True


def pip_settings(pip: list[str]) -> dict[str, str]:
    """What pip's files and variables say for an installation; a variable wins over a file."""
    listed = subprocess.run([*pip, "config", "list"], capture_output=True, text=True, check=True)
    settings = {}
    for section in ("global.", "install.", ":env:."):
        for line in listed.stdout.splitlines():
            if line.startswith(section) and "=" in line:
                name, value = line.removeprefix(section).split("=", 1)
                settings[name] = str(ast.literal_eval(value))
    return settings


def uv_options(settings: dict[str, str]) -> list[str]:
    """The same settings in uv's words; each value may be several, with spaces between them."""
    options = ["--index-strategy", "unsafe-best-match"]  # as pip: the best of all indexes
    for name, option in OPTIONS.items():
        for value in settings.get(name, "").split():
            options += [option, value]
    if settings.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        options.append("--no-index")
    return options


if __name__ == "__main__":
    main(*sys.argv[1:2])
