"""A class graded: by the notebook's own verdicts, in parallel, again where it was stopped."""

import copy
import csv
import json
import os
import pickle
import re
import sys
import threading
from dataclasses import replace
from importlib import import_module
from inspect import getmodule, getsource, getsourcelines
from pathlib import Path

import pytest
from filelock import FileLock

from course import cli
from course.learn.exercises import load
from course.learn.verdict import judge
from grading import many, results, run
from grading.byvalue import dumped
from grading.cells import needed, page
from grading.collect import collect
from grading.forbidden import Look
from grading.inside import Part
from grading.judge import prepared, verdict, version
from grading.submissions import find
from tests.chapters.answers import ANSWERS
from tests.conftest import ROOT

CALLED = ("02.is_right", "06.transplant", "09.forward", "12.block", "13.write_on")  # on functions


MARKS = "def right(id):\n    return lambda answer: answer\n\nslips = wrong = right"


def cells_of(function, id):
    """A learner's cells: the file of an answer as far as the answer, in which it has no mark."""
    lines, first = getsourcelines(function)
    before = getsource(getmodule(function)).split("\n")[: first - 1] + "".join(lines).split("\n")
    kept = [line for line in before if not line.startswith("from tests")]
    return [MARKS, "\n".join(kept), f'check("{id}", {function.__name__})']


CELL = "import copy\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn"


def test_verdicts_from_the_sandbox_are_those_of_the_notebooks_check(bubblewrap):
    """Where an input is a function or a module, too: the first right answers, and wrong ones."""
    for chapter in {id[:2] for id in CALLED}:
        import_module(f"tests.chapters.ch{chapter}.answers")
    given, cells, here = [], [CELL], {}
    for id in CALLED:
        mine = [(answer, good) for name, answer, good in ANSWERS if name == id]
        right = [answer for answer, good in mine if good][:1]
        for answer in [*right, *[answer for answer, good in mine if not good][:1]]:
            exercise = copy.copy(load(id))
            name = exercise.id = f"{id}_{len(given)}"
            cells += [*cells_of(answer, id)[:-1], f'check("{name}", {answer.__name__})']
            given.append(exercise)
            here[name] = judge(load(id), answer)
    found = collect(given, cells)
    for exercise in given:
        there, ours = verdict(exercise, found[exercise.id], Look()), here[exercise.id]
        assert replace(there, remarks=(), answer="") == replace(ours, remarks=(), answer="")
    assert [found.status for found in here.values()].count("passed") == len(CALLED)


@pytest.mark.parametrize("id", ["02.is_right", "08.no_future_leak", "12.block"])
def test_a_given_function_says_no_name_and_brings_no_record(id):
    exercise = load(id)
    [function, *_] = [part for part in exercise.inputs[0] if callable(part)]
    data = dumped(exercise.inputs)
    [given, *_] = [part for part in pickle.loads(data)[0] if callable(part)]
    names = given.__name__, given.__qualname__, given.__module__
    assert names == ("function", "function", "course.given")
    assert "/" not in given.__code__.co_filename and given is not function
    code = exercise.reference.function.__code__.co_code
    assert code not in data and not re.search(rb"/exercises/|course\.learn\.record", data)
    assert all(hint.encode() not in data for hint in exercise.hints)


def test_only_what_an_exercise_needs_is_run():
    made = page(
        ["import torch\nfrom nowhere import figure", "x = torch.ones(3)\nfigure(x)\nwhile True: pass",
         "%matplotlib inline\nkept = []", "kept.append(x)\nkept[0] = 1", "def helper(T): return kept",
         "!ls\nunused = 1", "def answer(T):\n    return helper(T) + late", "late = helper(1)",
         'check("04.answer", answer)', "answer = None", "def (", "%%html\n<b>"]
    )  # fmt: skip
    assert list(made.faults) == [10] and made.checks == {"04.answer": (8, "answer")}
    known = [s for s in made.statements if s.cell <= 8]
    chosen = [(s.cell, s.node.lineno) for s in needed(known, {"answer"})]
    given = [(0, 2), (1, 2)]  # `figure(x)` might change x
    own = [(0, 1), (1, 1), (2, 2), (3, 1), (3, 2), (4, 1), (6, 1), (7, 1)]
    assert chosen == sorted(own + given)


PAGES = {  # the first cell, and what `dot` in the last one uses of it
    "an increment": ("zero = 1.0\nzero -= 1.0", "zero"),
    "an increment in a loop": ("n = 0\nfor _ in range(3):\n    n += 1", "1 / n"),
    "a function that increments": ("n = 0\ndef more():\n    global n\n    n += 1", "more()"),
    "a timed cell": ("%%time\nzero = 0.0", "zero"),
    "a captured cell": ("\n%%capture out\nzero = 0.0", "zero"),
    "a comment that asks": ("%matplotlib inline\ntotal = 0.0  # a float?", "total"),
    "a line that looks like a magic": ("!ls\nx = (7\n% 4)", "x"),
    "a timed line": ("%time zero = 0.0", "zero"),
    "a line whose result is kept": ("r = %timeit -o f(x)\nfiles = !ls\nzero = 0.0", "zero"),
    "help": ("len?\n?len\nmath.sqrt??\nzero = 0.0", "zero"),
    "parts of a package": ("import attention.heads\nimport attention.batches", "attention.heads.attention_scores"),
    "a class with a name from outside": ("zero = 0\nclass Config:\n    zero = zero", "Config.zero"),
    "what a call fills": ("c = {}\ndef fill(d):\n    d[0] = 1\nfill(c)", "c[0]"),
    "what is shown": ("zero = 0.0\ndisplay(zero)", "display(zero)"),
    "a name that an `if` might bind anew": ("dim = -1\nif not len('x'):\n    dim = 0", "dim"),
    "a name that a `try` might bind anew": (
        "has = 0\ntry:\n    import nowhere\n    has = 1\nexcept ImportError:\n    pass", "has"),
    "a function beside `import *`": ("def f(): return 1\nfrom math import *", "f()"),
    "a name that is annotated later": ("dim = -1\ndim: int", "dim"),
    "a global that a function sets": ("calls = 0\ndef reset():\n    global calls\n    calls = 1", "calls"),
    "a class that keeps a table": (
        "class Table:\n    rules = {}\n    @classmethod\n    def add(cls, f): cls.rules[0] = f\nTable.add(len)", "Table.rules[0]"),
    "a class that gets a method": ("class Box: pass\nsetattr(Box, 'run', 1)", "Box.run"),
    "a magic where a line has to be": ("if True:\n    !pip install x\nzero = 0.0", "zero"),
    "a magic of two lines": ("!pip install a \\\n  b\nzero = 0.0", "zero"),
    "a line of a text that looks like a magic": ("said = \'\'\'\n%d rows\n\'\'\'\n!ls", "said % 1"),
    "two magics of a cell": ("%%time\n%%capture\nzero = 0.0", "zero"),
    "many magics": ("zero = 0.0\n" + "!ls\n" * 300, "zero"),
    "what a call with a name fills": ("c = {}\ndef fill(d):\n    d[0] = 1\nfill(d=c)", "c[0]"),
    "what a call fills whose result is dropped": ("c = []\n_ = c.append(1)", "c[0]"),
    "what an inner call fills": ("c = {}\nprint(c.setdefault(0, 1))", "c[0]"),
    "features of the future, twice": ("from __future__ import annotations, annotations", "(lambda: 0)()"),
    "annotations of the future": ("from __future__ import annotations", "(lambda: 0)()"),
}  # fmt: skip


@pytest.mark.parametrize("cell, used", PAGES.values(), ids=PAGES)
def test_an_answer_has_all_that_its_notebook_gives_it(cell, used):
    answer = f"def dot(a: 'list', b: Nowhere = ()):\n    {used}\n    return 11.0"
    if "future" not in cell:
        answer = answer.replace(": Nowhere", "")
    request = {"cells": [cell, answer], "id": "05.dot", "name": "dot"}
    function, why, _ = Part(request, 0).define()
    assert why == "" and function(1) == 11.0


def test_an_answer_needs_no_test_of_its_own_and_no_names_like_its_own():
    """They might take long, or use what the answer mustn't use."""
    made = page(
        ["i = total = weights = 1", "def dot(a, b):\n    total = i = 0\n    i += 1\n    total += i\n    return total",
         "class C:\n    total = 0.0\n    half = total / 2", "def stress(f): f()", "stress(dot)", "dot(1, 2)", "weights += 1",
         "def use(): return dot, C"]
    )  # fmt: skip
    chosen = [s.cell for s in needed(made.statements, {"use"})]
    assert chosen == [1, 2, 7]


@pytest.mark.parametrize("checked", ["*[dot]", "await dot", "(yield)"])
def test_a_check_that_gives_no_expression_goes_by_the_name(checked):
    made = page(["def dot(a, b): ...", f'check("05.dot", {checked})'])
    assert made.checks == {} and not made.faults.get(0)


def test_a_version_changes_with_the_cohort_and_the_record():
    exercise = load("04.mean_past")
    one, other = (version(exercise, cohort) for cohort in ("a", "b"))
    assert one != other and one == version(exercise, "a") != version(load("05.dot"), "a")


def test_hidden_inputs_come_from_the_secret_alone_and_stand_behind_the_shown():
    exercise = prepared("04.mean_past", "one")
    shown, first = exercise.inputs[: exercise.n_shown], [x.tolist() for (x,) in exercise.hidden]
    assert len(first) == exercise.n_drawn and exercise.hidden == exercise.inputs[len(shown) :]
    assert not [x for x in first if x in [x.tolist() for (x,) in shown]]
    exercise.hide("two")
    assert [x.tolist() for (x,) in exercise.hidden] != first and len(exercise.inputs) == 51
    exercise.hide("one")
    assert [x.tolist() for (x,) in exercise.hidden] == first
    assert judge(exercise, exercise.reference.function).sentence == "passed on 51 inputs."
    del exercise.inputs[exercise.n_shown :]
    exercise.hidden = []


def test_a_call_that_names_no_exercise_is_no_check():
    calls = ['check("04.answer")', "check(id, answer)", "check(4, answer)", "other('04.x', f)"]
    checks = page([*calls, 'check("04.answer", twice(answer))']).checks
    assert checks == {"04.answer": (4, "twice(answer)")}


def test_what_a_function_calls_its_own_is_not_needed_from_outside():
    made = page(["late = forever()", "def answer(T):\n    late = T\n    return late"])
    assert [s.cell for s in needed(made.statements, {"answer"})] == [1]
    made = page(["late = 1", "def answer(T):\n    global late\n    late += T\n    return late"])
    assert [s.cell for s in needed(made.statements, {"answer"})] == [0, 1]


# ---------------------------------------------------------------- the command


def handed_in(folder, student, **answers):
    """A notebook of chapter 04 with these answers in it."""
    notebook = json.loads(
        (ROOT / "notebooks/04_averaging_the_past.ipynb").read_text(encoding="utf-8")
    )
    for cell in notebook["cells"]:
        name = cell["metadata"].get("course", {}).get("exercise", "").partition(".")[2]
        if cell["cell_type"] == "code":
            cell["outputs"] = []
            cell["source"] = answers.get(name, cell["source"])
    path = folder / "submitted" / student / "04" / "04_averaging_the_past.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(notebook), encoding="utf-8")


@pytest.fixture
def few(monkeypatch):
    """Two exercises of the chapter are enough here."""
    ids = ["04.averaging_weights", "04.mean_past"]
    monkeypatch.setattr(run, "known", lambda: ids)
    return ids


def test_from_a_folder_to_a_gradebook(tmp_path, few, bubblewrap, capsys, monkeypatch):
    folder, out = tmp_path / "in", tmp_path / "out"
    right = {id.partition(".")[2]: load(id).solution for id in few}
    handed_in(folder, "ada", **right)
    handed_in(folder, "=bob()")
    handed_in(folder, "carl", **right, unused="")
    (folder / "submitted/carl/04/04_averaging_the_past.ipynb").write_text("{", encoding="utf-8")
    wish = ["grade", str(folder), "--out", str(out), "--export-code", "--cohort", "x", "-j", "1"]
    assert cli.main(wish) == 1
    said = capsys.readouterr()
    assert "3 submissions, 3 of them graded now" in said.out
    assert "not graded: carl (submitted/carl/04/04_averaging_the_past.ipynb)" in said.err
    table = (out / "grades.csv").read_text(encoding="utf-8").splitlines()
    rows = {row["student_id"]: row for row in csv.DictReader(table)}
    scores = {id: row["score"] for id, row in rows.items()}
    assert scores == {"ada": "2", "'=bob()": "0", "carl": ""}
    page = (out / "feedback/ada/04.html").read_text(encoding="utf-8")
    assert page.count("passed on") == 2 and "course-exercise" in page and "Hint 1" in page
    assert right["mean_past"] in (out / "code/ada.py").read_text(encoding="utf-8")
    assert "| 04.mean_past | 1 | 0 | 0 | 1 | 1 |" in (out / "summary.md").read_text(
        encoding="utf-8"
    )

    before = {p: p.read_bytes() for p in out.rglob("*.json")}
    monkeypatch.setattr(many, "judge", lambda _: pytest.fail("graded again"))
    assert cli.main(wish) == 1
    assert "3 submissions, 0 of them graded now" in capsys.readouterr().out
    assert {p: p.read_bytes() for p in out.rglob("*.json")} == before


def test_a_submission_that_ends_its_judge_is_lost_to_nobody(tmp_path, few, monkeypatch):
    folder = tmp_path / "in"
    for student in ("ada", "bob"):
        handed_in(folder, student)
    found, _ = find([folder])
    ready = run.exercises({"04"})
    monkeypatch.setattr(many.sys, "executable", "/bin/true")
    got = dict((one.student, r) for one, r in many.grade(found, ready, "x", many.here(2)))
    assert set(got) == {"ada", "bob"}
    told = got["ada"]["04.mean_past"]["told"][0]
    assert "the process that judged it ended; look at submitted/ada" in told
    for one in found:
        results.keep(tmp_path, one, got[one.student])
        assert not results.is_graded(results.stored(tmp_path, one.student)["chapters"]["04"])


def test_a_run_that_is_stopped_ends_its_judges(tmp_path, monkeypatch):
    fifo, python = tmp_path / "fifo", tmp_path / "python"
    os.mkfifo(fifo)
    forever = f"import time\nopen({str(fifo)!r}, 'w').close()\ntime.sleep(9999)  # for ever"
    python.write_text(f"#!{sys.executable}\n{forever}\n", encoding="utf-8")
    python.chmod(0o755)
    monkeypatch.setattr(many.sys, "executable", str(python))
    with pytest.raises(KeyboardInterrupt), many.here(1) as pool:
        future = pool.submit(many.judge, "")
        fifo.read_text(encoding="utf-8")  # it is at work
        raise KeyboardInterrupt
    assert future.result() == {"failed": "the process that judged it ended"}


def test_a_run_that_is_stopped_starts_no_other_judge(monkeypatch):
    monkeypatch.setattr(many.subprocess, "Popen", lambda *args, **kwargs: pytest.fail("started"))
    at_work = threading.Event()

    def late(asked):
        at_work.set()
        many.stopped.wait()
        return many.judge(asked)

    with pytest.raises(KeyboardInterrupt), many.here(1) as pool:
        future = pool.submit(late, "")
        at_work.wait()
        raise KeyboardInterrupt
    assert future.result() == {"failed": "the process that judged it ended"}
    assert not many.stopped.is_set()  # another run can start


def test_one_learner_a_dry_run_and_marks_instead_of_names(tmp_path, few, capsys, monkeypatch):
    monkeypatch.setattr(many, "judge", lambda asked: found_right(json.loads(asked)))
    folder, out = tmp_path / "in", tmp_path / "out"
    for student in ("ada", "bob"):
        handed_in(folder, student)
    wish = ["grade", str(folder), "--out", str(out), "--trust"]
    assert cli.main([*wish, "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "ada, chapter 04: to be graded: submitted/ada" in said and not out.exists()
    assert cli.main([*wish, "--student", "adda"]) == 2
    assert "expected --student to be one of ada, bob, got 'adda'" in capsys.readouterr().err
    assert cli.main([*wish, "--student", "bob"]) == 0
    assert "2 submissions, 1 of them graded now" in capsys.readouterr().out
    assert [path.stem for path in (out / "results").iterdir()] == ["bob"]
    assert cli.main([*wish, "--dry-run"]) == 0
    assert "1 of 2 submissions would be graded" in capsys.readouterr().out
    assert cli.main([*wish, "--anonymous", "--export-code"]) == 0
    marks = dict(csv.reader((out / "names.csv").read_text().splitlines()))
    [mark] = [mark for mark, name in marks.items() if name == "ada"]
    page = (out / "feedback" / mark / "04.html").read_text(encoding="utf-8")
    assert mark in page and "ada" not in page and (out / "code" / f"{mark}.py").exists()


CANVAS = "Student,ID,Quiz 1,04 Mean\n    Points Possible,,5,10\nAda,ada,,\n"
MOODLE = "Identifier,Grade,Maximum Grade\nParticipant ada,,100\n"


@pytest.mark.parametrize(
    ("options", "export", "row"),
    [
        ([], CANVAS, "Ada,ada,,10"),
        (["--column", "Quiz"], CANVAS, "Ada,ada,5,"),
        (["--chapter", "4"], MOODLE, "Participant ada,100.00,100"),
        (["--due", "2020-01-01", "--late", "1 point a week"], MOODLE, "Participant ada,0.00,100"),
    ],
)
def test_the_instructors_export_is_filled_in(tmp_path, few, monkeypatch, options, export, row):
    monkeypatch.setattr(many, "judge", lambda asked: found_right(json.loads(asked)))
    handed_in(tmp_path / "in", "ada")
    file, out = tmp_path / "export.csv", tmp_path / "out"
    file.write_text(export, encoding="utf-8")
    platform = "--canvas" if export is CANVAS else "--moodle"
    wish = ["grade", str(tmp_path / "in"), "--out", str(out), "--trust", platform, str(file)]
    assert cli.main([*wish, *options]) == 0
    assert (out / "export.csv").read_text(encoding="utf-8").splitlines()[-1] == row
    assert file.read_text(encoding="utf-8") == export


def found_right(asked):
    """What a judge says that finds all of it right."""
    right = {"status": "passed", "mistake": "", "look": "", "told": ["it is right."]}
    ids = {id: right | {"version": version(load(id), asked["cohort"])} for id in asked["ids"]}
    return {"results": ids}


def test_two_graders_on_one_folder_the_second_gets_a_sentence(tmp_path, few, capsys):
    handed_in(tmp_path / "in", "ada")
    out = tmp_path / "out"
    out.mkdir()
    with FileLock(out / ".lock"):
        assert cli.main(["grade", str(tmp_path / "in"), "--out", str(out), "--trust"]) == 2
    assert "another `course grade` is at work there" in capsys.readouterr().err


def test_a_machine_without_a_sandbox_refuses_before_anything_runs(tmp_path, monkeypatch, capsys):
    from grading import sandbox

    handed_in(tmp_path, "ada")
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: None)
    assert cli.main(["grade", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "apt-get install bubblewrap" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_submissions_that_a_sandbox_could_read_are_refused(tmp_path, bubblewrap, capsys):
    assert cli.main(["grade", "/usr/share/doc", "--out", str(tmp_path / "out")]) == 2
    assert "expected submissions and grades where no sandbox sees them, got /usr" in (
        capsys.readouterr().err
    )
    handed_in(tmp_path / "in", "ada")
    assert cli.main(["grade", str(tmp_path / "in"), "--out", "/usr/grades"]) == 2
    assert not Path("/usr/grades").exists()


def test_a_cohorts_secret_is_drawn_once_and_kept(tmp_path):
    first = run.secret(tmp_path, "")
    assert len(first) == 32 and run.secret(tmp_path, "") == first
    assert run.secret(tmp_path, "x") == "x"
    assert (tmp_path / "cohort").stat().st_mode & 0o077 == 0
