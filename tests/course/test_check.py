"""Every guard with a cell that passes and one that fails; then `check` on whole notebooks."""

import json
import os
import signal
import subprocess
import sys

import psutil
import pytest

from course.check.lint import MAX_LINES, TAGS, lint, tolerance
from course.check.run import check
from course.notebooks import contents
from course.outline import COLLAPSED, mark
from tests.conftest import ended, wait_for
from tests.course.test_notebooks import make_course


def stream(text, name="stdout"):
    return {"output_type": "stream", "name": name, "text": text}


def code(source, *outputs, count=1, id="a", slide="slide", tags=(), **course):
    metadata = {"slideshow": {"slide_type": slide}, "tags": list(tags), "course": course}
    return {
        "cell_type": "code",
        "id": id,
        "execution_count": count,
        "metadata": metadata,
        "source": source,
        "outputs": list(outputs),
    }


def markdown(id="m", slide="slide", tags=(), source="Why?"):
    metadata = {"slideshow": {"slide_type": slide}, "tags": list(tags)}
    return {"cell_type": "markdown", "id": id, "metadata": metadata, "source": source}


def notebook(*cells, **metadata):
    metadata["course"] = {"cells": contents({"cells": cells})}
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


LONG = "\n\n".join(f"x{i} = {i}" for i in range(MAX_LINES + 1))
ALLOWED = [
    code("x = 1"),
    code("print(1)", stream("1\n")),
    code("x", tags=["nbval-ignore-output"], reason="text of a trained model"),
    code("# about NBVAL_SKIP\nx = 1"),
    code(LONG.rsplit("\n", 1)[0]),
    code(LONG, long="a whole training loop"),
    code("x", tolerance={"rtol": 1e-2, "atol": 0, "reason": "trained for 300 steps"}),
    code("x", tags=sorted(TAGS), reason="all the tags at once"),
    markdown(tags=["quiz"]),
    *(markdown(slide=slide) for slide in ("slide", "subslide", "fragment", "skip", "notes")),
]
REFUSED = [
    (code("x = 1", count=None), "execution count is None, expected 1: restart and run all"),
    (code("x = 1", count=2), "execution count is 2, expected 1"),
    (code("x = 1", stream("careful", "stderr")), "has stored stderr"),
    (code("x", tags=["raise-exception"]), "unknown tags ['raise-exception']: expected some of"),
    (code("x", tags=["nbval-check-output"]), "unknown tags ['nbval-check-output']"),
    (markdown(tags=["quizz"]), "markdown cell 1: unknown tags ['quizz']"),
    (code("x", tags=["nbval-ignore-output"]), "is tagged nbval-ignore-output: say why"),
    (code("x", tags=["nbval-ignore-output"], reason=" "), "nbval-ignore-output: say why"),
    (code("# NBVAL_IGNORE_OUTPUT\nx"), "has the comment '# NBVAL_IGNORE_OUTPUT': use a tag"),
    (code("x\n  #NBVAL_SKIPP"), "has the comment '#NBVAL_SKIPP'"),
    (code(LONG), "has 16 lines, expected at most 15: split it or say why"),
    (code(LONG, long=True), "has 16 lines"),
    (code("x", tolerance={"rtol": 1e-2}), "tolerance is {'rtol': 0.01}: expected"),
    (markdown(slide=None), "markdown cell 1: slideshow.slide_type is None: expected one of"),
    (markdown(slide="-"), "slideshow.slide_type is '-'"),
    (code("x", id=None), "needs an id of its own, got None"),
    (markdown(source=["\n", " "]), "markdown cell 1: is empty: write it or delete it"),
    (markdown(source="It is 17."), "markdown cell 1: the number 17 is in no source or output"),
]


@pytest.mark.parametrize("cell", ALLOWED)
def test_lint_let_pass(cell):
    assert lint(notebook(cell)) == []


@pytest.mark.parametrize(("cell", "sentence"), REFUSED)
def test_lint_refuse(cell, sentence):
    (found,) = lint(notebook(cell))
    assert sentence in found


def test_lint_count_the_code_cells():
    cells = code("x"), markdown(), code("y", id="b", count=2), code("z", id="c", count=3)
    assert lint(notebook(*cells)) == []
    cells[2]["execution_count"] = 5
    assert lint(notebook(*cells)) == [
        "code cell 2: execution count is 5, expected 2: restart and run all cells"
    ]


def test_lint_hold_a_page_to_its_outline():
    heading = markdown("h", source="## Deeper: why")
    cells = [
        markdown(source="**Time:** 1 hour."),
        code("x = 1"),
        heading,
        code("y = 2", id="b", count=2),
    ]
    mark(cells)
    cells += [markdown("m2", source="## Back"), code("x + y", id="c", count=3)]
    mark(cells)
    (found,) = lint(notebook(*cells))
    assert found == "code cell 3: uses y, which only a Deeper section defines: define it here"
    cells[-1]["source"] = "x"
    assert lint(notebook(*cells)) == []
    del heading["metadata"][COLLAPSED]
    cells[0]["source"] = "**Time:** 9 minutes, and 0 more for the Deeper sections."
    again = "its minutes or its collapsed sections have changed: run `course refresh`"
    assert lint(notebook(*cells)) == [f"markdown cell {n}: {again}" for n in (1, 2)]


def test_lint_want_code_right_below_a_question():
    ask = markdown(id="q", tags=["predict"])
    assert lint(notebook(ask, ask | {"id": "r"}, code("x"))) == []
    for below in ([], [markdown()], [markdown(), code("x")]):
        (found,) = lint(notebook(ask, *below))
        assert found.startswith("markdown cell 1: asks, and words follow: put them into it")


def test_lint_want_ids_of_their_own():
    found = lint(notebook(markdown(id="b"), code("x"), markdown(id="b")))
    assert found == [f"markdown cell {n}: needs an id of its own, got 'b'" for n in (1, 2)]


def stored():
    first, last = markdown("a", source="In 17 steps."), code("n = 17", id="d", count=2)
    return notebook(first, code("x", id="b"), markdown("c"), last)


@pytest.mark.parametrize("place", range(4))
def test_lint_name_a_cell_that_vanished(place):
    changed = stored()
    gone = changed["cells"].pop(place)["id"]
    found = lint(changed)[0]
    assert found == (
        "expected the cells and the numbers in prose of the last `course refresh`, but gone: "
        f"{gone}: put them back, or refresh again if you meant to change them"
    )


def test_lint_name_cells_that_appeared_or_moved_and_numbers_that_changed():
    changed = stored()
    first, second, third, last = changed["cells"]
    first["source"] = "In 1 step."
    changed["cells"] = [first, third, markdown("new"), second, last]
    (found,) = lint(changed)
    assert "but new: new; moved: c; other numbers: a (17, now 1): put" in found


@pytest.mark.parametrize("metadata", [{}, {"course": {}}, {"course": {"covers": []}}])
def test_lint_want_the_list_of_cells(metadata):
    (found,) = lint(stored() | {"metadata": metadata})
    assert found == "expected metadata.course.cells, a list, got None: run `course refresh`"


def test_lint_refuse_stored_widgets():
    (found,) = lint(notebook(widgets={}))
    assert found.startswith("metadata.widgets is stored")


@pytest.mark.parametrize(
    "given",
    [
        {"rtol": 0.1},
        {"rtol": 0.1, "reason": ""},
        {"reason": "nothing is widened"},
        {"rtol": 0.1, "abs": 1, "reason": "unknown key"},
        {"rtol": "0.1", "reason": "text"},
        {"rtol": True, "reason": "no number"},
        {"rtol": -0.1, "reason": "negative"},
        {"atol": float("inf"), "reason": "anything"},
        {"atol": float("nan"), "reason": "anything"},
        0.1,
    ],
)
def test_tolerance_is_refused(given):
    with pytest.raises(ValueError, match=r"^tolerance is .*: expected \{\"rtol\": …"):
        tolerance(code("x", tolerance=given))


def test_check_returns_0_or_1_and_leaves_out_settings_of_the_repository_and_of_the_shell(
    tmp_path, capfd, monkeypatch
):
    tmp_path = tmp_path / "Kurs [1] für 'alle' ★"
    tmp_path.mkdir()
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\naddopts = "--nonsense"\n')
    (tmp_path / "conftest.py").write_text("raise RuntimeError('read conftest.py')\n")
    paths = [tmp_path / "notebooks" / f"0{number}.ipynb" for number in (1, 2)]
    paths[0].parent.mkdir()
    good = notebook(code("print(0.4133, 7)", stream("0.4132 7\n")), markdown())
    for path in paths:
        path.write_text(json.dumps(good))
    assert check(paths, tmp_path, workers=2) == 0
    assert "4 passed" in capfd.readouterr().out

    wrong = notebook(code("print(0.4133, 7)", stream("0.4132 8\n")), markdown(tags=["quizz"]))
    paths[1].write_text(json.dumps(wrong))
    monkeypatch.setenv("PYTEST_ADDOPTS", "--collect-only --nbval-lax -k nothing")
    assert check(paths[1:], tmp_path, workers=1, extra=["--color=no"]) == 1, "no variable helps"
    out = capfd.readouterr().out
    assert "notebooks/02.ipynb, code cell 1 [In 1]: stdout, line 1: largest deviation 1 " in out
    assert "notebooks/02.ipynb, markdown cell 1: unknown tags ['quizz']" in out
    assert "2 failed" in out


WAITING = """import os, signal
with open("kernel", "w") as file:
    file.write(str(os.getpid()))
signal.pause()"""


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
@pytest.mark.parametrize(
    "sent", ["SIGTERM", "SIGINT", pytest.param("SIGHUP", marks=pytest.mark.weekly)]
)
def test_a_check_that_is_ended_leaves_nothing(sent, tmp_path, as_in_a_terminal):
    course, scratch = make_course(tmp_path, n1=[WAITING]), tmp_path / "tmp"
    scratch.mkdir()
    os.mkfifo(told := course / "notebooks" / "kernel")
    process = subprocess.Popen(
        [sys.executable, "-m", "course", "check"],
        cwd=course, env=os.environ | {"TMPDIR": str(scratch)}, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    kernel = int(told.read_text())  # waits until the kernel says who it is
    (below,) = psutil.Process(process.pid).children()
    assert os.getpgid(below.pid) != os.getpgid(process.pid)  # Ctrl-C is the command's to pass on
    process.send_signal(getattr(signal, sent))
    assert process.wait() == 130  # a test that hangs is ended from outside
    wait_for(lambda: ended(kernel))
    assert not list(scratch.iterdir())
