"""pyproject.toml, the two files of pins and environment.yml say the same thing."""

import functools
import re
import shutil
import subprocess
import tomllib
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import pytest
import yaml
from install import TORCH_PIN
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
EXTRAS = PROJECT["optional-dependencies"]
RUNNING = PROJECT["dependencies"] + EXTRAS["slides"]
TESTING = EXTRAS["pdf"] + EXTRAS["test"] + EXTRAS["cluster"] + EXTRAS["grade"]
OURS = {"attention", "chapters", "course", "grading", "tests", "install"}
ELSEWHERE = {  # what the markers of a pin may ask for, on each system and Python
    (system, python): {
        "sys_platform": system,
        "os_name": "nt" if system == "win32" else "posix",
        "platform_system": {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}[system],
        "python_version": python,
        "python_full_version": f"{python}.9",
    }
    for system in ("linux", "darwin", "win32")
    for python in ("3.11", "3.12", "3.13")
}


def lines(name):
    """A file of pins, each with its hashes in one line."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    return [line for line in text.splitlines() if not line.startswith("#")]


def pins(name, environment=None):
    """The packages that a file pins in an environment, here by default, and their versions."""
    found = [Requirement(line.split(" --hash")[0]) for line in lines(name)]
    return {
        canonicalize_name(pin.name): str(pin.specifier).removeprefix("==")
        for pin in found
        if pin.marker is None or pin.marker.evaluate(environment)
    }


def needed(requirements, environment=None):
    """Everything that these need in an environment, with all that is asked of each package.

    Left out are what [tool.uv] leaves out, and what PyTorch's build with CUDA brings. What isn't
    installed can't be asked for what it needs.
    """
    found: dict[str, list[Requirement]] = {}
    pending, seen = [(requirement, "") for requirement in map(Requirement, requirements)], set()
    while pending:
        r, extra = pending.pop()
        if r.marker and not r.marker.evaluate((environment or {}) | {"extra": extra}):
            continue
        name = canonicalize_name(r.name)
        if name in PYPROJECT["tool"]["uv"]["exclude-dependencies"]:
            continue
        if name.startswith(("nvidia-", "cuda-", "triton")):
            continue
        found.setdefault(name, []).append(r)
        for more in {"", *r.extras} - {extra for package, extra in seen if package == name}:
            seen.add((name, more))
            try:
                pending += [(requirement, more) for requirement in asks(name)]
            except PackageNotFoundError:
                assert environment, f"{name} is missing: run `make test`, which installs it"
    return found


@functools.cache
def asks(name):
    """What an installed package needs."""
    return [Requirement(line) for line in requires(name) or []]


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-test.txt"])
def test_every_pin_is_exact_and_has_hashes(name):
    assert len(lines(name)) > 10
    for line in lines(name):
        assert re.match(r"[\w.-]+==[\w.]+ .*--hash=sha256:[0-9a-f]{64}", line), line


def test_what_is_pinned_is_what_is_needed():
    """A pin too few would let a later release in, one too many is downloaded for nothing."""
    running, testing = pins("requirements.txt"), pins("requirements-test.txt")
    assert set(running) | {"torch"} == set(needed(RUNNING))
    assert set(testing) == set(needed(RUNNING + TESTING)) - set(running) - {"torch"}


@pytest.mark.parametrize("environment", ELSEWHERE.values(), ids=map("-".join, ELSEWHERE))
def test_every_system_gets_versions_that_fit_together(environment):
    pinned = {"torch": TORCH_PIN.removeprefix("torch==")}
    for name in ("requirements.txt", "requirements-test.txt"):
        pinned |= pins(name, environment)
    for name, asked in needed(RUNNING + TESTING, environment).items():
        assert name in pinned, f"no pin for {name}: say `make pins`"
        for requirement in asked:
            assert requirement.specifier.contains(pinned[name], prereleases=True), requirement


def test_torch_is_pinned_exactly_by_what_installs_it_and_within_what_is_asked():
    """Without hashes, since every index has builds of its own. A newer patch is not refused."""
    (torch,) = (line for line in map(Requirement, PROJECT["dependencies"]) if line.name == "torch")
    pin = TORCH_PIN.removeprefix("torch==")
    assert version("torch").split("+")[0] == pin
    for fits in (pin, "2.9.1", "2.13.1", "2.14.1"):
        assert torch.specifier.contains(fits), fits
    assert not torch.specifier.contains("2.15.0"), "its outputs were never compared"
    assert TORCH_PIN in (ROOT / "README.md").read_text(encoding="utf-8")
    assert TORCH_PIN in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_what_is_installed_is_what_is_pinned():
    different = {}
    for name, pin in (pins("requirements.txt") | pins("requirements-test.txt")).items():
        try:
            found = version(name)
        except PackageNotFoundError:
            found = "nothing"
        if found != pin:
            different[name] = (pin, found)
    assert not different, "run `make test`, which installs the pinned set"


def test_conda_and_binder_install_the_same():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    python, pip = environment["dependencies"]
    assert pip == "pip"
    release = python.removeprefix("python=")
    assert Requirement(f"python{PROJECT['requires-python']}").specifier.contains(release)
    for name in ("environment.yml", "postBuild", "README.md"):
        assert "python install.py --here" in (ROOT / name).read_text(encoding="utf-8")


def test_every_import_of_the_packages_is_declared():
    """A package that is imported but only there by luck would be missing elsewhere."""
    import ast
    import sys

    renamed = {"PIL": "pillow", "yaml": "pyyaml", "_pytest": "pytest"}
    renamed["markdown_it"] = "markdown-it-py"
    declared = {canonicalize_name(Requirement(line).name) for line in RUNNING + TESTING}
    for path in [*(ROOT / "src").rglob("*.py"), *(ROOT / "tests").glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in (name.split(".")[0] for name in names if name):
                if name in sys.stdlib_module_names or name in OURS:
                    continue
                assert canonicalize_name(renamed.get(name, name)) in declared, (path.name, name)


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
