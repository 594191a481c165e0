"""environment.yml, requirements.txt and pyproject.toml say the same thing."""

import re
import shutil
import subprocess
import tomllib
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINS = {
    canonicalize_name(name): pin
    for name, pin in re.findall(
        r"^([\w.-]+)==(\S+)$", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.M
    )
}


OURS = {"attention", "course", "tests", "install"}


def wanted():
    extras = PROJECT["optional-dependencies"].values()
    return [Requirement(line) for line in sum(extras, PROJECT["dependencies"])]


def test_every_line_of_requirements_is_a_pin():
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert len(lines) == len(PINS) > 100


def test_every_dependency_is_pinned_to_a_version_it_allows():
    for requirement in wanted():
        pin = PINS.get(canonicalize_name(requirement.name))
        assert pin, f"{requirement} is missing from requirements.txt"
        assert requirement.specifier.contains(pin, prereleases=True), (requirement, pin)


def test_torch_is_pinned_exactly_in_both():
    assert PINS["torch"] == "2.13.0"
    assert "torch==2.13.0" in PROJECT["dependencies"]


def test_conda_installs_the_same_files():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    python, pip, files = environment["dependencies"]
    assert pip == "pip"
    assert files == {"pip": ["-r requirements.txt", "-e ."]}
    release = python.removeprefix("python=")
    assert Requirement(f"python{PROJECT['requires-python']}").specifier.contains(release)
    assert "install.py $(VENV)" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_what_is_installed_is_what_is_pinned():
    different = {}
    for name, pin in PINS.items():
        try:
            found = version(name).split("+")[0]
        except PackageNotFoundError:
            found = "nothing"
        if found != pin:
            different[name] = (pin, found)
    assert not different, "run `make test`, which installs the pinned set"


def test_every_import_of_the_packages_is_declared():
    """A package that is imported but only there by luck would be missing elsewhere."""
    import ast
    import sys

    renamed = {"PIL": "pillow", "yaml": "pyyaml", "_pytest": "pytest"}
    renamed["markdown_it"] = "markdown-it-py"
    declared = {canonicalize_name(requirement.name) for requirement in wanted()}
    for path in [*(ROOT / "src").rglob("*.py"), *(ROOT / "tests").glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in (name.split(".")[0] for name in names if name):
                if name in sys.stdlib_module_names or name in OURS:
                    continue
                assert canonicalize_name(renamed.get(name, name)) in declared, (path.name, name)


def test_everything_a_dependency_needs_is_pinned():
    """Without the pin a later release would come in, and make would differ from the tested set."""
    pending = [(r.name, extra) for r in wanted() for extra in {"", *r.extras}]
    seen = set()
    while pending:
        name, extra = pending.pop()
        name = canonicalize_name(name)
        if (name, extra) in seen or name in {"pip", "setuptools"}:  # the environment's own
            continue
        seen.add((name, extra))
        assert name in PINS, f"requirements.txt has no line {name}=={version(name)}"
        for r in map(Requirement, requires(name) or []):
            if r.marker is None or r.marker.evaluate({"extra": extra}):
                pending += [(r.name, more) for more in {"", *r.extras}]


def test_git_for_windows_leaves_the_plays_bytes_alone(tmp_path):
    """It turns line ends around by default, and the play would have one letter more."""
    play = Path("src/attention/data/play.txt")
    (tmp_path / play.parent).mkdir(parents=True)
    for path in (play, Path(".gitattributes")):
        shutil.copy(ROOT / path, tmp_path / path)
    git = ["git", "-c", "core.autocrlf=true"]
    for words in (["init", "-q"], ["add", "."], ["checkout-index", "-a", "--prefix=out/"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "out" / play).read_bytes() == (ROOT / play).read_bytes()
