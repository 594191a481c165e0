"""pyproject.toml, the files of pins, environment.yml and the files that GitHub reads agree."""

import ast
import functools
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import pytest
import yaml
from install import TORCH, TORCH_PIN
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
EXTRAS = PROJECT["optional-dependencies"]
LEARNING = PROJECT["dependencies"]
EVERYTHING = LEARNING + [line for lines in EXTRAS.values() for line in lines]
PINS = {"": LEARNING, **{f"-{name}": LEARNING + lines for name, lines in EXTRAS.items()}}
OURS = {"attention", "benchmarks", "chapters", "course", "grading", "tests", "install"}
ELSEWHERE = {  # the values that markers of pins ask for, on each system and Python
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
    """The lines of a file of pins, each pin on one line with its hashes."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    return [line for line in text.splitlines() if not line.startswith("#")]


def pins(name, environment=None):
    """{package: version} for the pins of a file in an environment, by default in this one."""
    found = [Requirement(line.split(" --hash")[0]) for line in lines(name)]
    return {
        canonicalize_name(pin.name): str(pin.specifier).removeprefix("==")
        for pin in found
        if pin.marker is None or pin.marker.evaluate(environment)
    }


def needed(requirements, environment=None):
    """All packages that these requirements need in an environment, {package: all requirements on it}.

    Packages that [tool.uv] excludes or that only PyTorch's CUDA build needs are left out. If a package
    isn't installed, its own requirements aren't known; in this environment that is a failure.
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
    """The requirements of an installed package. Raises PackageNotFoundError."""
    return [Requirement(line) for line in requires(name) or []]


@pytest.mark.parametrize("name", [f"requirements{name}.txt" for name in PINS])
def test_every_pin_is_exact_and_has_hashes(name):
    assert len(lines(name)) > 5
    for line in lines(name):
        assert re.match(r"[\w.-]+==[\w.]+ .*--hash=sha256:[0-9a-f]{64}", line), line


def test_what_is_pinned_is_what_is_needed():
    """A missing pin would allow a later release, and a superfluous one is downloaded for nothing."""
    pinned = {name: set(pins(f"requirements{name}.txt")) for name in PINS}
    learning = pinned[""] | {"torch"}
    assert learning == set(needed(LEARNING))
    for name in ("-book", "-grade"):
        assert pinned[name] == set(needed(PINS[name])) - learning
    others = learning | pinned["-book"] | pinned["-grade"]
    assert pinned["-test"] == set(needed(EVERYTHING)) - others


@pytest.mark.parametrize("environment", ELSEWHERE.values(), ids=map("-".join, ELSEWHERE))
def test_every_system_gets_versions_that_fit_together(environment):
    pinned = {"torch": TORCH_PIN.removeprefix("torch==")}
    for name in PINS:
        pinned |= pins(f"requirements{name}.txt", environment)
    for name, asked in needed(EVERYTHING, environment).items():
        assert name in pinned, f"no pin for {name}: say `make pins`"
        for requirement in asked:
            assert requirement.specifier.contains(pinned[name], prereleases=True), requirement


def test_torch_is_pinned_exactly_by_what_installs_it_and_within_what_is_asked():
    """Its pin has no hashes, because each index has its own builds. A newer patch release is allowed."""
    (torch,) = (line for line in map(Requirement, LEARNING) if line.name == "torch")
    pin = TORCH_PIN.removeprefix("torch==")
    assert version("torch").split("+")[0] == pin
    for fits in (pin, "2.9.1", "2.13.1", "2.14.1"):
        assert torch.specifier.contains(fits), fits
    assert not torch.specifier.contains("2.15.0"), "its outputs were never compared"
    for name in ("README.md", "Makefile", "environment.yml"):
        assert TORCH_PIN in (ROOT / name).read_text(encoding="utf-8")


def test_what_is_installed_is_what_is_pinned():
    different = {}
    pinned = [item for file in PINS for item in pins(f"requirements{file}.txt").items()]
    for name, pin in pinned:
        try:
            found = version(name)
        except PackageNotFoundError:
            found = "nothing"
        if found != pin:
            different[name] = (pin, found)
    assert not different, "run `make test`, which installs the pinned set"


def test_conda_installs_this_checkout():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    python, pip, parts = environment["dependencies"]
    assert pip == "pip", "conda asks for it beside its own list"
    release = python.removeprefix("python=")
    assert Requirement(f"python{PROJECT['requires-python']}").specifier.contains(release)
    assert parts == {"pip": [f"--extra-index-url {TORCH}", TORCH_PIN, "-e ."]}
    for name in ("environment.yml", "postBuild", "README.md"):  # it installs the pinned versions
        assert "python install.py --here" in (ROOT / name).read_text(encoding="utf-8")


ROOMS = {"course/publish": ["book"], "grading": ["grade"]}  # {room: extras that it may import}


def test_every_import_of_the_packages_is_declared():
    """A package that is imported but not declared would be missing on another machine."""
    known = {
        name: {canonicalize_name(Requirement(line).name) for line in lines}
        for name, lines in {"": LEARNING, **EXTRAS, "test": EVERYTHING}.items()
    }
    for path in [*(ROOT / "src").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]:
        room = (
            path.relative_to(ROOT / "src").as_posix() if path.is_relative_to(ROOT / "src") else ""
        )
        extras = [
            extra for start, names in ROOMS.items() if room.startswith(start) for extra in names
        ]
        declared = known[""].union(*(known[extra] for extra in (extras if room else ["test"])))
        missing = imported(path) - declared - OURS
        assert not missing, (path, missing)


def imported(path):
    """The distributions, by their canonical names, that a file imports."""
    renamed = {"PIL": "pillow", "yaml": "pyyaml", "_pytest": "pytest", "bs4": "beautifulsoup4"}
    renamed["markdown_it"] = "markdown-it-py"
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        found |= {node.module} if isinstance(node, ast.ImportFrom) and not node.level else set()
        found |= {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
    names = {name.split(".")[0] for name in found} - sys.stdlib_module_names
    return {name if name in OURS else canonicalize_name(renamed.get(name, name)) for name in names}


# ---------------------------------------------------------------- what GitHub and readers read


@pytest.mark.parametrize(
    ("schema", "file"),
    [("github-workflows", ".github/workflows/ci.yml"), ("citation-file-format", "CITATION.cff")],
)
def test_what_github_reads_is_valid(schema, file):
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    done = subprocess.run([*check, file], cwd=ROOT, capture_output=True, text=True)
    assert not done.returncode, done.stdout + done.stderr


def test_github_runs_the_commands_of_the_readme():
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))["jobs"]
    commands = [step.get("run") for job in jobs.values() for step in job["steps"]]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for command in ("make run", "make test", "make book"):
        assert command in commands and f"\n{command} " in readme
    assert "# git-repository-url = " in (ROOT / "book.toml").read_text(encoding="utf-8"), "for sed"


def test_one_version():
    """A release changes the version in all three files: pyproject.toml, CITATION.cff and the changelog."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    headings = re.findall(r"^## (\S+?),? ", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert PROJECT["version"] == citation["version"] == headings[0]


def test_the_licences_are_where_license_says():
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    for name in re.findall(r"src/[\w/.]+\w", text):
        assert (ROOT / name).is_file(), name
    assert set(PROJECT["license-files"]) == {"LICENSE", *re.findall(r"src/\S+OFL.txt", text)}
    assert all(
        name in text.replace("CC0 ", "CC0-") for name in ("MIT", "CC0-1.0", "Font License 1.1")
    )


def test_git_for_windows_leaves_the_plays_bytes_alone(tmp_path):
    """By default it converts line ends, which would add a new character to the play."""
    play = Path("src/attention/data/play.txt")
    (tmp_path / play.parent).mkdir(parents=True)
    for path in (play, Path(".gitattributes")):
        shutil.copy(ROOT / path, tmp_path / path)
    git = ["git", "-c", "core.autocrlf=true"]
    for words in (["init", "-q"], ["add", "."], ["checkout-index", "-a", "--prefix=out/"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "out" / play).read_bytes() == (ROOT / play).read_bytes()
