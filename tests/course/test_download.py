"""What is downloaded from the book: the package in a wheel, and notebooks that ask for it."""

import json
import os
import subprocess
import sys
from email import message_from_string
from pathlib import Path
from zipfile import ZipFile

import nbformat
import pytest
import torch

from course.errors import CourseError
from course.notebooks import chapters
from course.publish.download import build_wheel, github, notebook
from tests import pages
from tests.conftest import ROOT
from tests.pages import cell
from tests.test_packaging import PROJECT

CODE = pages.notebook(cell("# A"), cell("import attention.heads", "code"), cell("2", "code"))
PACKAGES = str(Path(torch.__file__).parents[1])
WHEEL = "the_course-1.0-py3-none-any.whl"


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The wheel, and a folder in which pip has installed it."""
    folder = tmp_path_factory.mktemp("wheel")
    wheel, there = folder / build_wheel(ROOT, folder), folder / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--target", there, wheel], check=True)
    return wheel, there


def test_the_wheel_holds_every_file_of_the_packages_and_the_setting(package):
    path, there = package
    with ZipFile(path) as archive:
        assert archive.testzip() is None
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    own = {p for p in (ROOT / "src").rglob("*.*") if p.is_file() and p.suffix != ".pyc"}
    own = {p.relative_to(ROOT / "src").as_posix() for p in own if "egg-info" not in str(p)}
    assert packed == own | {"course/book.toml"}, "a folder of modules needs an `__init__.py`"
    assert (there / "course/book.toml").read_bytes() == (ROOT / "book.toml").read_bytes()
    assert not list(ROOT.glob("*.egg-info")) and not (ROOT / "build" / "lib").exists()


def test_the_wheel_asks_for_what_pyproject_asks_for_and_has_the_licences(package):
    with ZipFile(package[0]) as archive:
        names = {name.partition(".dist-info/")[2]: name for name in archive.namelist()}
        about = message_from_string(archive.read(names["METADATA"]).decode())
        assert b"course = course.cli:main" in archive.read(names["entry_points.txt"])
        for file in PROJECT["license-files"]:
            assert archive.read(names[f"licenses/{file}"]) == (ROOT / file).read_bytes()
    assert about["Name"] == PROJECT["name"]
    asked = [line for line in about.get_all("Requires-Dist") if "extra" not in line]
    assert len(asked) == len(PROJECT["dependencies"])


def test_the_same_files_make_the_same_bytes(package, tmp_path):
    assert (tmp_path / build_wheel(ROOT, tmp_path)).read_bytes() == package[0].read_bytes()


def test_a_package_that_can_not_be_built_is_said(tmp_path):
    root = pages.course(tmp_path / "course", one=[cell("# One")])
    assert build_wheel(root, tmp_path) == "", "a course without pyproject.toml has no package"
    for name in ("README.md", "LICENSE", "pyproject.toml"):
        (root / name).write_text("[project]\nname = 'no version'\n")
    with pytest.raises(CourseError, match="expected setuptools to build .*install.py"):
        build_wheel(root, tmp_path)


def run(folder, words, *path):
    """What a Python prints that knows the packages, and the course only if it is on the path."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join([*map(str, path), PACKAGES])}
    env["IPYTHONDIR"] = str(folder / "ipython")
    command = [sys._base_executable, "-P", *words]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    return (done.stdout + done.stderr).strip()


def test_a_notebook_without_the_package_says_in_a_sentence_what_to_install(tmp_path):
    text = notebook(CODE, "a.ipynb", "https://github.com/who/what", WHEEL)
    (tmp_path / "a.ipynb").write_text(text, encoding="utf-8")
    place = f"https://github.com/who/what/raw/gh-pages/{WHEEL}"
    assert run(tmp_path, ["-m", "IPython", "--colors=NoColor", "a.ipynb"]) == (
        f"This notebook needs the package of its course: run `%pip install {place}` in a new "
        "cell, and restart the kernel."
    )
    elsewhere = json.loads(notebook(CODE, "a.ipynb", "https://example.org", WHEEL))["cells"][1][
        "source"
    ]
    assert f"download {WHEEL} from the page" in elsewhere and "http" not in elsewhere


def test_a_notebook_with_the_package_runs_where_it_lands(package, tmp_path):
    path = next(path for path in chapters(ROOT) if path.stem.startswith("05"))
    nb = json.loads(notebook(path.read_text(encoding="utf-8"), "a.ipynb", "", WHEEL))
    first, second, *_ = (c["source"] for c in nb["cells"] if c["cell_type"] == "code")
    assert "pip install" in first and "from chapters.ch05" in second
    where = "import attention, course\nprint(attention.__path__, course.__path__)"
    says = run(tmp_path, ["-c", f"{first}\n{second}\n{where}"], package[1])
    assert says == f"['{package[1] / 'attention'}'] ['{package[1] / 'course'}']"


def test_only_a_cell_is_added_and_only_to_code():
    text = notebook(CODE, "a.ipynb", "", WHEEL)
    nbformat.validate(nbformat.reads(text, as_version=4))
    new, old = json.loads(text)["cells"], json.loads(CODE)["cells"]
    assert [c["id"] for c in new] == [old[0]["id"], "the-package", old[1]["id"], old[2]["id"]]
    assert [new[0], *new[2:]] == old
    assert new[1]["metadata"] == {"jupyter": {"source_hidden": True}}
    plain = pages.notebook(cell("# A"))
    assert json.loads(notebook(plain, "a.ipynb", "", WHEEL)) == json.loads(plain)


def test_a_repository_on_github_by_its_address():
    assert github("https://github.com/who/what.js.git") == "who/what.js"
    assert github("https://github.com/who/what/") == "who/what"
    assert github("https://example.org/who/what") == github("") == ""
