"""Every item of the source notebooks is shown by its chapter, or has a reason why it can't be.

The figures are read from executed notebooks: the stored outputs (which nbval checks), and for
those of tiny Shakespeare a run on that text. The table is written to build/sources.md.
"""

import os
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import nbformat
import pytest

from course.appendices.source import Source, numbers, same_number, shown
from tests.test_records import NOTEBOOKS

ROOT = Path(__file__).parents[1]


def sources(path: Path) -> list[Source]:
    """What a chapter takes over from the source notebooks; of a chapter of its own, nothing."""
    name = f"course.appendices.sources.ch{path.stem[:2]}"
    return import_module(name).SOURCES if find_spec(name) else []


def design(path: Path) -> set[str]:
    """The ids that the design gives a chapter; a chapter of its own has none."""
    return set(COVERS.get(path.stem[:2], "").split())


# COURSE.md's last column, for the chapters that exist.
COVERS = {
    "00": "S0.1 S1.1 S4.3 T07 T10 T36 T41 T73",
    "01": "S1.2 S1.3 S1.4 S1.5 S1.6 T31 T32",
    "02": "S1.7 S1.8 S1.9 S1.10 S1.11 S1.12 S1.13 S1.14 T12 T13 T14 T15 T16 T21 T57",
    "03": "S1.15 S1.16 S1.17 S1.18 S1.19 S1.20 T17 T18 T19 T20 T21 T22 T23",
    "04": "S0.2 S0.3 S0.4 S0.5 S0.6 S1.21 S1.22 S1.23 S1.24 S1.25 S1.26 S2.1 S2.2 S2.3 S2.4 S2.5 "
    "S2.6 S2.7 T03 T04 T05 T06 T07 T08 T24 T34 T35",
    "05": "S3.1 S3.2 S3.3 S3.4 S3.5 S3.6 S3.7 S3.8 S3.9 T51 T52",
    "06": "S0.7 S0.8 S0.9 S1.27 S1.28 S1.29 S2.8 S3.10 S3.11 S3.12 S3.13 S3.14 S3.15 S3.16 S4.1 "
    "S4.2 T01 T25 T27 T30 T42 T45 T48 T49 T50 T53 T62 T70 T71 T72",
    "07": "S1.30 S1.31 T02 T09 T26 T28 T29 T61",
    "08": "S3.17 S3.18 T63 T68 T69",
    "09": "S2.9 S3.19 S3.20 S3.21 T42 T44 T53 T54 T55 T56 T57 T58 T59",
    "10": "S3.22 T43 T60 T73",
    "13": "T23",
}


def outputs_by_id(path: Path) -> dict[str, str]:
    """The text that the cells covering each id put out."""
    texts: dict[str, str] = {}
    for cell in nbformat.read(path, 4).cells:
        said = []
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "widget-view+json" not in str(data.keys()):
                said.append(output.get("text") or data.get("text/plain", ""))
        for id in cell.metadata.get("course", {}).get("covers", []):
            texts[id] = texts.get(id, "") + "\n".join(said) + "\n"
    return texts


@pytest.fixture(scope="session")
def on_tinyshakespeare(tmp_path_factory) -> Path:
    """The folder of the notebooks that take a corpus, run on tiny Shakespeare."""
    folder = os.environ.get("ATTENTION_DATA", "")
    if not os.path.isfile(os.path.join(folder, "tinyshakespeare.txt")):
        pytest.skip("ATTENTION_DATA names no folder with tinyshakespeare.txt")
    out = tmp_path_factory.mktemp("tinyshakespeare")
    wanted = [
        path.stem[:2]
        for path in NOTEBOOKS
        if any(source.corpus == "tinyshakespeare" for source in sources(path))
    ]
    command = [sys.executable, "-m", "course", "run", *wanted, "-p", "corpus", "tinyshakespeare"]
    done = subprocess.run([*command, "--out", out], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_chapter_covers_what_the_design_gives_it(path):
    notebook = nbformat.read(path, 4)
    wanted = design(path)
    in_cells = {
        id for cell in notebook.cells for id in cell.metadata.get("course", {}).get("covers", [])
    }
    assert wanted <= in_cells, f"no cell of {path.name} covers {sorted(wanted - in_cells)}"
    assert set(notebook.metadata.get("course", {}).get("covers", [])) == in_cells
    listed = {source.id for source in sources(path)}
    missing = {id for id in wanted if id.startswith("S")} - listed
    assert not missing, f"SOURCES of {path.stem} has nothing for {sorted(missing)}"


def test_a_chapter_may_take_nothing_over(tmp_path):
    path = tmp_path / "99_of_its_own.ipynb"
    nbformat.write(nbformat.v4.new_notebook(), path)
    test_a_chapter_covers_what_the_design_gives_it(path)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_every_figure_of_the_sources_is_shown_or_has_a_reason(path):
    check_figures(sources(path), path, lambda source: source.corpus != "tinyshakespeare")


@pytest.mark.weekly
def test_every_figure_on_tinyshakespeare_is_shown_or_has_a_reason(on_tinyshakespeare):
    for path in NOTEBOOKS:
        ran = on_tinyshakespeare / path.name
        if ran.exists():
            check_figures(sources(path), ran, lambda s: s.corpus == "tinyshakespeare")


def check_figures(sources, path, wanted):
    texts = outputs_by_id(path)
    for source in filter(wanted, sources):
        if source.figure and not source.why_not:
            assert shown(source.figure, texts.get(source.id, "")), (
                f"{path.name}: {source.id}, {source.shows}: expected {source.figure}, "
                f"got {texts.get(source.id, 'no cell that covers it')}"
            )


def test_the_table_of_all_sources():
    rows = ["| id | chapter | what | the source's figure | ours |", "|---|---|---|---|---|"]
    for path in NOTEBOOKS:
        for s in sources(path):
            figure = " ".join(s.figure.replace("|", "\\|").split())
            figure = figure if len(figure) < 80 else figure[:77] + "..."
            verdict = s.why_not or ("equal" if s.figure else "shown; nothing was printed")
            text = f" ({s.corpus})" if s.corpus else ""
            rows.append(f"| {s.id} | {path.stem[:2]} | {s.shows}{text} | {figure} | {verdict} |")
    (ROOT / "build").mkdir(exist_ok=True)
    (ROOT / "build" / "sources.md").write_text("\n".join(rows) + "\n", encoding="utf-8")
    wanted = {id for path in NOTEBOOKS for id in design(path) if id.startswith("S")}
    in_table = {re.match(r"\| (S[\d.]+) ", row)[1] for row in rows[2:]}
    assert wanted <= in_table


@pytest.mark.parametrize(
    ("figure", "outputs", "equal"),
    [
        ("[[2,7],[4,5.5]]", "tensor([[2.0000, 7.0000],\n [4.0000, 5.5000]])", True),
        ("0.1250", "0.1251", True),
        ("0.1250", "0.1252", False),
        ("[40, 39]", "[39, 40]", False),
        ("1115394", "1115395", False),
        ("torch.Size([4, 8])", "torch.Size([4, 8])", True),
        ("0. -inf", "[0., -inf, -inf]", True),
        ("True", "False", False),
        ("!$&',-.3:;?ABCDEFGHIJKLM", "0.3", False),
    ],
)
def test_shown_tells_equal_from_different(figure, outputs, equal):
    assert shown(figure, outputs) is equal


def test_numbers_are_found_as_they_are_written():
    assert numbers("x1 = [-0.07, 1e-3] of 1,024 (S1.2)") == ["-0.07", "1e-3", "1,024"]
    assert same_number("14", "14.") and not same_number("14", "14.5")
