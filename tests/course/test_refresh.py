"""`course refresh`: what is stored, what is taken out, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from course.cli import main
from course.errors import CourseError
from course.execute.refresh import WIDGET, normalise
from course.notebooks import read, write
from tests.course.test_notebooks import make_course, tagged

FIGURE = """import matplotlib.pyplot as plt
_ = plt.plot([1, 2])"""
SLIDER = """import ipywidgets

class Still(ipywidgets.VBox):
    def _repr_mimebundle_(self, **options):
        return {**super()._repr_mimebundle_(**options), "text/html": "<p>still</p>"}

Still([ipywidgets.IntSlider()])"""
PRINTS = """import os, sys
for name in "OMP_NUM_THREADS", "PYTHONHASHSEED", "COURSE_HEADLESS":
    print(os.environ[name])
    sys.stdout.flush()
display(2)
print(3)"""

READS_N1 = """from course.notebooks import read, root
cells = read(root() / "notebooks" / "n1_good.ipynb").cells
sum(len(cell.get("outputs", [])) for cell in cells)"""


# ---------------------------------------------------------------- with kernels


@pytest.fixture(scope="module")
def twice(tmp_path_factory) -> tuple[list[int], list[str], list[dict[str, bytes]], Path]:
    """Statuses, stderr and files of two refreshes of a good and a failing notebook."""
    folder = make_course(
        tmp_path_factory.mktemp("twice"),
        n0_reads=[READS_N1],
        n1_good=[FIGURE, SLIDER, PRINTS, tagged("1 / 0", "raises-exception")],
        n2_fails=["1", "None.x"],
        n3_warns=["import sys\nprint('careful', file=sys.stderr)"],
    )
    path = folder / "notebooks" / "n1_good.ipynb"
    raw = json.loads(path.read_text())
    del raw["cells"][2]["id"]
    raw["cells"][1]["metadata"] = {"scrolled": True, "tags": ["keep"]}
    raw["metadata"] = {
        "widgets": {},
        "title": "mine",
        "language_info": {"name": "python", "version": "2.7"},
    }
    path.write_text(json.dumps(raw))
    statuses, errors, states = [], [], []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("MPLBACKEND", "Agg")
        patch.setenv("OMP_NUM_THREADS", "2")
        for _ in range(2):
            with pytest.MonkeyPatch.context() as inner:
                lines: list[str] = []
                say = "course.execute.report.Progress.say"
                inner.setattr(say, lambda self, text: lines.append(text))  # noqa: B023
                statuses.append(main(["refresh"]))
            errors.append("\n".join(lines))
            files = sorted((folder / "notebooks").iterdir())
            states.append({file.name: file.read_bytes() for file in files})
    return statuses, errors, states, folder


def test_a_second_refresh_changes_nothing(twice):
    _, errors, states, _ = twice
    assert "n1_good: refreshed" in errors[0] and "n1_good: unchanged" in errors[1]
    assert states[0] == states[1]


def test_a_page_that_reads_others_is_run_after_them(twice):
    """Else it would show what they gave the last time."""
    first = json.loads(twice[2][0]["n0_reads.ipynb"])["cells"][1]
    assert first["outputs"][0]["data"]["text/plain"] == ["6"]


def test_a_refresh_says_which_cells_have_gone_and_come(twice, monkeypatch, capsys):
    path = twice[3] / "notebooks" / "n1_good.ipynb"
    before = path.read_bytes()
    nb = read(path)
    nb.cells[1:] = [new_code_cell("1", id="mine")]
    nb.cells[0].source = "# n2"
    write(nb, path)
    monkeypatch.chdir(twice[3])
    assert main(["refresh", "n1_good"]) == 0
    told = "gone: id-1, cell-003, id-3, id-4; new: mine; other numbers: id-0 (1, now 2)"
    assert f"n1_good: refreshed (since the last time {told}), " in capsys.readouterr().err
    assert read(path).metadata.course["cells"] == ["id-0 2", "mine"]
    path.write_bytes(before)


def test_a_page_made_from_the_others_is_refreshed_with_any_of_them(tmp_path, monkeypatch):
    reads = "from course.notebooks import chapters\nprint(len(chapters))"
    root = make_course(tmp_path, n1=["1"], n2=["2"], guide=[reads])
    asked = []
    monkeypatch.setattr("course.execute.refresh.refresh", lambda paths, *_: asked.extend(paths))
    monkeypatch.chdir(root)
    main(["refresh", "n2"])
    main(["refresh", "guide"])
    assert [path.stem for path in asked] == ["n2", "guide", "guide"]


def test_what_fails_or_warns_is_left_as_it_was_and_makes_the_status_1(twice):
    statuses, errors, _, folder = twice
    assert statuses == [1, 1]
    assert "n2_fails, code cell 2\n\n    None.x" in errors[0]
    assert "AttributeError: 'NoneType' object has no attribute 'x'" in errors[0]
    assert (
        "n3_warns\n\nrefused: code cell 1 writes to stderr, expected stdout only: "
        "remove the cause of 'careful'"
    ) in errors[0]
    for name in ("n2_fails", "n3_warns"):
        cells = read(folder / "notebooks" / f"{name}.ipynb").cells
        assert all(cell.execution_count is None for cell in cells if cell.cell_type == "code")


def test_what_is_saved_while_a_notebook_is_executed_stays(tmp_path, monkeypatch, capsys):
    path = make_course(tmp_path, n1=["1"]) / "notebooks" / "n1.ipynb"

    def side_by_side(work, jobs, workers, env, progress, keep):
        path.write_text("an hour of work")
        result = {"name": "n1", "seconds": 1, "error": None, "notebook": "new", "changes": ""}
        keep(jobs[0], result)
        return [result]

    monkeypatch.setattr("course.execute.refresh.side_by_side", side_by_side)
    monkeypatch.chdir(tmp_path)
    assert main(["refresh"]) == 1
    said = capsys.readouterr().err
    assert "n1: refused, left as it was" in said and "n1.ipynb was saved while it" in said
    assert path.read_text() == "an hour of work"


def test_the_stored_notebook_is_canonical(twice):
    path = twice[3] / "notebooks" / "n1_good.ipynb"
    nb = read(path)
    assert [cell.get("execution_count") for cell in nb.cells] == [None, 1, 2, 3, 4]
    assert [cell.id for cell in nb.cells] == ["id-0", "id-1", "cell-003", "id-3", "id-4"]
    assert nb.cells[1].metadata == {"tags": ["keep"]}
    assert nb.metadata == {
        "title": "mine",
        "course": {"cells": ["id-0 1", "id-1", "cell-003", "id-3", "id-4"]},
        "kernelspec": {
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        },
        "language_info": {"name": "python"},
    }
    assert path.read_text().endswith("}\n")


def test_the_stored_outputs_are_those_of_one_thread_and_show_without_a_kernel(twice):
    figure, slider, prints, error = (
        cell.outputs for cell in read(twice[3] / "notebooks" / "n1_good.ipynb").cells[1:]
    )
    assert "image/png" in figure[0].data
    assert set(slider[0].data) == {"text/html", "text/plain"}
    assert [output.get("text") for output in prints] == ["1\n0\n1\n", None, "3\n"]
    assert error[0].traceback == ["ZeroDivisionError: division by zero"]


# ---------------------------------------------------------------- without


def notebook(*outputs, count: int | None = 1, tags=()) -> object:
    cell = new_code_cell("x", outputs=list(outputs), execution_count=count)
    cell.metadata["tags"] = list(tags)
    return new_notebook(cells=[cell])


def printed(text: str) -> object:
    return new_output("stream", text=text)


def shown(**data: str) -> object:
    return new_output("display_data", data={k.replace("_", "/"): v for k, v in data.items()})


ROOT = Path("/somewhere/course")


@pytest.mark.parametrize(
    "nb, message",
    [
        (notebook(count=2), r"code cell 1 has the count 2, expected 1: remove cells"),
        (notebook(count=None), r"has the count None, expected 1"),
        (notebook(tags=["raises-exception"]), r"tagged raises-exception, but raises no exception"),
        (notebook(printed("in /somewhere/course/a.py")), r"shows '/somewhere/course/a.py', which"),
        (notebook(printed(f"ok\n{Path.home()}/x")), rf"shows '{Path.home()}/x', which .* in '"),
        (notebook(printed("/tmp/ipykernel_12/3.py:1")), r"shows '/tmp/ipykernel_12/3.py'"),
        (notebook(shown(text_plain="<T at 0x7f3b2c1d>")), r"shows '0x7f3b2c1d'.*print something"),
        (notebook(shown(text_html="<b>0x7f3b2c1d</b>")), r"shows '0x7f3b2c1d'"),
        (
            notebook(
                new_output("error", ename="E", evalue="no /somewhere/course", traceback=[]),
                tags=["raises-exception"],
            ),
            r"shows '/somewhere/course', which",
        ),
        (
            notebook(new_output("display_data", data={WIDGET: {}, "text/plain": "IntSlider()"})),
            r"code cell 1 shows a widget that readers without a kernel can't see",
        ),
    ],
)
def test_outputs_of_this_machine_or_this_run_are_refused(nb, message):
    with pytest.raises(CourseError, match=message):
        normalise(nb, ROOT)


@pytest.mark.parametrize(
    "output",
    [
        printed("0xff 0x1F600 https://x.org/somewhere/course /somewhere/courses"),
        shown(text_html='<img src="data:image/png;base64,/somewhere/course+0x7f3b2c1d">'),
        shown(image_png="/somewhere/course"),
    ],
)
def test_what_only_looks_alike_is_kept(output):
    nb = normalise(notebook(output), ROOT)
    assert nb.cells[0].outputs == [output]


def test_noise_in_metadata_goes_and_what_the_author_set_stays():
    nb = notebook()
    nb.metadata["course"] = {"covers": ["T1"]}
    nb.cells[0].metadata.update(
        execution={"iopub.status.busy": "now"},
        papermill={},
        collapsed=False,
        jupyter={"outputs_hidden": True, "source_hidden": True},
        slideshow={"slide_type": "slide"},
    )
    nb = normalise(nb, ROOT)
    assert nb.metadata.course == {"covers": ["T1"], "cells": [nb.cells[0].id]}
    assert nb.cells[0].metadata == {
        "tags": [],
        "jupyter": {"source_hidden": True},
        "slideshow": {"slide_type": "slide"},
    }


def test_a_refresh_writes_the_minutes_and_what_opens_collapsed(tmp_path):
    nb = new_notebook(cells=[new_markdown_cell("# A\n\n**Time:** an hour.")])
    nb.cells.append(new_markdown_cell("## Deeper: b"))
    first, deeper = normalise(nb, tmp_path).cells
    assert first.source == "# A\n\n**Time:** 0 minutes."
    assert deeper.metadata["jp-MarkdownHeadingCollapsed"]
