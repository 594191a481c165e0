"""Every exercise and quiz of every chapter keeps its promises; none is left out."""

import ast
import importlib
import pkgutil
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
import pytest
import torch
from jupyter_client import AsyncKernelManager
from nbclient import NotebookClient

from attention.averaging import mean_past_loop
from course import chapters, exercise
from course.exercise import check, examine, exercises
from course.kernel import Apart, apart
from course.quiz import quiz

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MODULES = [
    importlib.import_module(f"course.chapters.{module.name}")
    for module in pkgutil.iter_modules(chapters.__path__)
]
EXERCISES = exercises()
each_exercise = pytest.mark.parametrize("record", EXERCISES, ids=lambda e: e.id)
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
MISTAKES = [
    pytest.param(record, mistake, id=f"{record.id}-{n}")
    for record in EXERCISES
    for n, mistake in enumerate(record.mistakes, 1)
]


def test_every_notebook_has_its_records():
    assert [path.stem for path in NOTEBOOKS] == [m.__name__.split(".ch")[-1] for m in MODULES]
    ids = [record.id for record in EXERCISES]
    assert len(set(ids)) == len(ids)


@each_exercise
def test_the_reference_passes(record):
    report = examine(record, record.reference)
    assert report.status == "passed", report.says


@pytest.mark.parametrize(("record", "mistake"), MISTAKES)
def test_every_known_mistake_gets_its_own_hint(record, mistake):
    report = examine(record, mistake.wrong)
    assert (report.status, report.says) == ("known mistake", mistake.hint)


@each_exercise
def test_an_unattempted_one_says_so(record):
    def stub(*inputs):
        raise NotImplementedError

    assert examine(record, stub).status == "not attempted"


def _raise(*inputs):
    raise ZeroDivisionError("ouch")


def _endless(*inputs):
    while True:
        pass


GARBAGE = {
    "None": lambda *inputs: None,
    "odd shape": lambda *inputs: torch.zeros(13, 17),
    "text": lambda *inputs: "I don't know",
    "nan": lambda *inputs: float("nan"),
    "exception": _raise,
    "endless loop": _endless,
}


@each_exercise
@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
def test_garbage_gets_a_sentence(record, garbage, monkeypatch):
    monkeypatch.setattr(exercise, "TIME_LIMIT", 0.2)
    report = examine(record, garbage)
    assert report.status in {"wrong", "known mistake"}
    assert len(report.says.split()) > 4, report.says


@each_exercise
def test_laws_hold_for_the_reference(record):
    """A law that the right answer breaks would send a learner astray."""
    for inputs in record.inputs:
        outcome = exercise.attempt(record.reference, inputs)
        if outcome.error is None:
            for law in record.laws:
                assert law.holds(outcome.value, *inputs), law.says


@each_exercise
def test_three_hints_and_a_solution_that_stands_alone(record):
    assert len(set(record.hints)) == 3, f"{record.id} needs three different hints"
    function = ast.parse(record.solution).body[0]
    assert isinstance(function, ast.FunctionDef | ast.ClassDef)
    assert len(record.mistakes) >= 2
    page = check(record.id, None)._repr_html_()
    assert page.count("<summary>") == 4


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__.split(".")[-1])
def test_three_to_six_exercises_and_five_questions(module):
    assert 3 <= len(module.EXERCISES) <= 6
    assert len(module.QUIZ) == 5
    for question in module.QUIZ:
        assert len(question.options) >= 3
        assert all(len(option.why) > 20 for option in question.options), question.asks


def test_the_right_option_is_not_always_in_the_same_place():
    for module in MODULES:
        places = [[o.right for o in question.options].index(True) for question in module.QUIZ]
        assert len(set(places)) > 1, module.__name__


def test_a_quiz_shows_every_option_with_its_explanation():
    page = quiz("04")._repr_html_()
    assert page.count("<details>") == page.count("</details>") == 15
    assert page.count("Right.") == 5
    assert repr(quiz("04")).count(") ") >= 15


def test_an_unknown_quiz_lists_the_known_ones():
    with pytest.raises(ValueError, match="expected one of .*04.*, got '77'"):
        quiz("77")


@each_notebook
def test_every_exercise_of_a_chapter_stands_in_its_notebook(path):
    cells = nbformat.read(path, 4).cells
    stubs = [c for c in cells if "exercise" in c.metadata.get("course", {})]
    records = [record for record in EXERCISES if record.id.startswith(path.stem[:2])]
    assert [stub.metadata.course.exercise for stub in stubs] == [record.id for record in records]
    for record, stub in zip(records, stubs, strict=True):
        assert f"{record.reference.__name__}(" in stub.source
        assert any(f'check("{record.id}", {record.reference.__name__})' in c.source for c in cells)


class Kernel(Apart, AsyncKernelManager):
    """One that shares no port with the kernels of other tests."""


@each_notebook
def test_a_notebook_with_all_references_filled_in_runs_green(path, monkeypatch):
    notebook = nbformat.read(path, 4)
    records = {record.id: record for record in EXERCISES}
    passed = []
    for cell in notebook.cells:
        if name := cell.metadata.get("course", {}).get("exercise"):
            stub = re.compile(r"^(?:def|class) .*?(?=^\S|\Z)", re.M | re.S)
            kept = stub.sub("", cell.source)
            cell.source = f"{kept}\n{records[name].solution}\n"
            passed.append(name)
    with TemporaryDirectory(prefix="course-") as scratch:
        for name, value in apart(scratch).items():
            monkeypatch.setenv(name, value)
        NotebookClient(
            notebook,
            timeout=120,
            kernel_name="python3",
            kernel_manager_class=Kernel,
            resources={"metadata": {"path": str(path.parent)}},
        ).execute()
    shown = [
        output.data["text/plain"]
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "text/plain" in output.get("data", {})
    ]
    for name in passed:
        assert any(text.startswith(f"{name}: passed on ") for text in shown), name
    assert passed and not any("not attempted" in text for text in shown)


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__.split(".")[-1])
def test_no_wrong_answer_is_left_without_its_mistake(module):
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    made = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    idle = made - {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not idle, f"nothing uses {sorted(idle)}: restore the Mistake, or delete the function"


def test_the_references_of_chapter_04_are_the_loops():
    """On a longer sequence than any record tries."""
    T = 11
    reference = {record.id: record.reference for record in EXERCISES}
    x = torch.randn(2, T, 3, generator=torch.Generator().manual_seed(0))
    mean = reference["04.mean_past"](x)
    torch.testing.assert_close(mean, mean_past_loop(x), rtol=1e-6, atol=1e-6)
    shares = torch.tensor([[1 / (t + 1) if s <= t else 0.0 for s in range(T)] for t in range(T)])
    torch.testing.assert_close(reference["04.averaging_weights"](T), shares)
    torch.testing.assert_close(reference["04.weights_from_mask"](shares > 0), shares)
    torch.testing.assert_close(reference["04.mix"](shares, x), mean)
    rows = [[0.5 ** (t - s) if s <= t else 0.0 for s in range(T)] for t in range(T)]
    fading = torch.tensor([[share / sum(row) for share in row] for row in rows])
    torch.testing.assert_close(reference["04.fading_weights"](T, 0.5), fading)
