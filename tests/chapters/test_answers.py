"""Every exercise and quiz keeps its promises; right answers pass, and wrong ones are told why.

Records and answers are tried in one file, so each answer is judged once. The answers were written
without seeing the records. `told.txt`, next to the answers of a chapter, holds what each wrong one is
told, beside its true cause, so that a change of words is read by whoever makes it.
`python -m tests.chapters.test_answers 05.dot` writes the part of one exercise anew, without a name all
of it.
"""

import ast
import inspect
import os
import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from itertools import groupby
from pathlib import Path
from types import CodeType

import nbformat
import pytest
import torch

from course.check.compare import compare_text
from course.learn import sentences
from course.learn.attempt import attempt
from course.learn.exercises import check, known, load
from course.learn.quizzes import quiz
from course.learn.restore import settings
from course.learn.verdict import judge
from tests.chapters.answers import ANSWERS
from tests.conftest import ROOT

FOLDER = Path(__file__).parent
for path in sorted(FOLDER.glob("ch*/answers.py")):
    import_module(f"tests.chapters.{path.parent.name}.answers")
WRONG = {(id, answer.__name__): answer for id, answer, right in ANSWERS if not right}
each_exercise = pytest.mark.parametrize("id", known())
# The appendices that hold what is looked up, A1 to A4, ask nothing.
NOTEBOOKS = [
    path
    for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
    if any(id[:2] == path.stem[:2] for id in known())
]
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
weekly = pytest.mark.weekly
# No two mistakes do the same, so one of each is enough.
MISTAKES = [slice(1), pytest.param(slice(1, None), marks=weekly)]


# ---------------------------------------------------------------- the records


@each_exercise
def test_some_input_tells_each_mistake_from_the_answer_and_the_others(id):
    with settings():  # the streams of random numbers, as in a check
        load(id).compare()


@each_exercise
@pytest.mark.parametrize("some", MISTAKES, ids=["first", "others"])
def test_every_known_mistake_gets_its_own_hint(id, some, as_a_user):
    for mistake in load(id).mistakes[some]:
        found = judge(load(id), mistake.function)
        assert (found.status, found.sentence) == ("known mistake", mistake.hint)


# In which a learner judges functions, whose changes of up to 1e-5 are rounding.
JUDGES = ["06.is_deaf", "08.no_future_leak", "09.mixes_batch", "11.knows_order"]
JUDGES += ["16.alone", "16.is_right"]


@pytest.mark.parametrize("tolerance", ["2e-5", pytest.param("8.5e-6", marks=weekly)])
@pytest.mark.parametrize("id", JUDGES)
def test_no_function_is_so_near_the_tolerance_that_rounding_decides(id, tolerance):
    exercise = load(id)
    assert any(map(callable, exercise.inputs[0])) and "1e-5" in exercise.solution
    names = dict(vars(inspect.getmodule(exercise.reference.function)))
    exec(exercise.solution.replace("1e-5", tolerance), names)
    assert judge(exercise, names[exercise.name]).status == "passed"


@each_exercise
def test_the_answer_changes_none_of_its_inputs(id):
    """Nor seems to: of an input that is an object, a copy has to count as the same."""
    exercise = load(id)
    assert {exercise.reference.outcome(n).mutated for n in range(len(exercise.fixed))} == {()}


@each_exercise
def test_laws_hold_for_the_reference_and_are_broken_by_some_mistake(id):
    exercise = load(id)
    for law in exercise.laws:
        assert law.__doc__[0].islower() or law.__doc__[0] == "`", (
            f"{law.__doc__!r} goes on a sentence"
        )
        for n, inputs in enumerate(exercise.inputs):
            right = exercise.reference.outcome(n)
            if right.error is None:
                assert law(right.value, *inputs), (law.__doc__, inputs)
        assert any(
            mistake.outcome(n).error is None
            and sentences.broken(law, mistake.outcome(n).value, inputs)
            for mistake in exercise.mistakes
            for n, inputs in enumerate(exercise.inputs)
        ), f"no known mistake breaks the law: {law.__doc__}"


FOUR = torch.full((1, 1), 4096.0)  # where a float32 is so coarse that 1e-4 is lost
COUNTS = torch.tensor([[2, 1], [1, 4]])
BOUNDS = {  # what is just within a law, and just beyond it
    "between_the_values": ("06.attend", (FOUR, *[torch.ones(1, 1)] * 3), FOUR, FOUR + 1),
    "one_fewer_is_too_few": ("03.batches_needed", (0.5, 0.25), 4, 5),
    "no_lower_than_all_likeliest": ("03.lowest_loss", (COUNTS,), 0.292, 0.291),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_a_law_holds_up_to_its_bound(name):
    id, inputs, within, beyond = BOUNDS[name]
    [law] = [law for law in load(id).laws if law.__name__ == name]
    assert law(within, *inputs) and not law(beyond, *inputs)


def globals_of(code: CodeType) -> set[str]:
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return set(code.co_names).union(*map(globals_of, inner))


@each_exercise
def test_laws_never_consult_a_reference(id):
    exercise = load(id)
    for law in exercise.laws:
        named = globals_of(law.__code__) & {"E", exercise.name, "course", "chapters"}
        assert not named, f"{law.__doc__!r} asks {named}: a law reads the answer and the inputs"


@each_exercise
def test_hints_and_a_solution_that_stands_alone(id, monkeypatch):
    monkeypatch.delenv("COURSE_HEADLESS", raising=False)
    exercise = load(id)
    assert len(set(exercise.hints)) == 3, "three different hints"
    function = ast.parse(exercise.solution).body[0]
    assert isinstance(function, ast.FunctionDef | ast.ClassDef)
    assert check(id, None)._repr_html_().count("<summary>") == 4


@each_notebook
def test_every_exercise_of_a_chapter_stands_in_its_notebook(path):
    cells = nbformat.read(path, 4).cells
    stubs = {
        cell.metadata.course.exercise: cell.source
        for cell in cells
        if "exercise" in cell.metadata.get("course", {})
    }
    assert 3 <= len(stubs) <= 6, (
        f"{path.stem} has {len(stubs)} exercises, expected 3 to 6: "
        "put the new one into another chapter, or in place of one"
    )
    files = {id for id in known() if id.startswith(path.stem[:2])}
    assert set(stubs) == files, (
        f"one stub in {path.name} for each file in ch{path.stem[:2]}/exercises: give it three cells"
    )
    for id, source in stubs.items():
        name = load(id).name
        assert f"{name}(" in source, f"the stub of {id} has to define {name}"
        called = f'check("{id}", {name})'
        assert any(called in cell.source for cell in cells), f"add a cell with `{called}`"
    asked = [m[1] for c in cells if (m := re.match(r"### (?:Deeper: )?(\d+)\. ", c.source))]
    assert asked == [str(n) for n in range(1, len(stubs) + 1)], (
        "number the exercises' headings from 1, `### 1. …` or `### Deeper: 1. …`"
    )


STUB = re.compile(r"^(?:def|class) .*?(?=^\S|\Z)", re.M | re.S)
IMPORTS = (ast.Import, ast.ImportFrom)
DEFINES = (*IMPORTS, ast.FunctionDef, ast.ClassDef)


def filled_in(cell) -> str:
    """The source of a cell, with the solution where it has a stub."""
    if name := cell.metadata.get("course", {}).get("exercise"):
        return f"{STUB.sub('', cell.source)}\n{load(name).solution}\n"
    return cell.source


def lines_of(cell, names_only: bool) -> list[ast.stmt]:
    """What is run of a cell: all but what is drawn, or only what gives names to an exercise."""
    body, tags = ast.parse(filled_in(cell)).body, set(cell.metadata.get("tags", []))
    if tags & {"figure", "explorer"}:  # what is drawn is tested elsewhere
        body = [line for line in body if not isinstance(line, ast.Expr)]
    if names_only and "exercise" in tags:
        body = [n for n in body if isinstance(n, DEFINES) or ast.unparse(n).startswith("check(")]
    elif names_only:
        body = [n for n in body if isinstance(n, IMPORTS)]
    return body


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize("names_only", [True, pytest.param(False, marks=weekly)])
@each_notebook
def test_every_solution_passes_in_its_notebook(path, names_only, monkeypatch):
    """In this process: a kernel of its own would spend most of its time on imports and figures."""
    monkeypatch.setenv("COURSE_HEADLESS", "1")
    monkeypatch.chdir(path.parent)
    page, shown, ids = {"__name__": "__main__", "display": str}, [], []
    with settings():
        for cell in nbformat.read(path, 4).cells:
            if cell.cell_type != "code" or "raises-exception" in cell.metadata.get("tags", []):
                continue
            ids += filter(None, [cell.metadata.get("course", {}).get("exercise")])
            body = lines_of(cell, names_only) or ast.parse("pass").body
            value = [ast.Expression(body.pop().value)] if isinstance(body[-1], ast.Expr) else []
            exec(compile(ast.Module(body, []), path.name, "exec"), page)
            shown += [repr(eval(compile(v, path.name, "eval"), page)) for v in value]
    for name in ids:
        said = [text for text in shown if text.startswith(name)]
        assert f"{name}: passed on {len(load(name).inputs)} inputs." in said, said
    assert ids and not any("not attempted" in text for text in shown)


# ---------------------------------------------------------------- quizzes


@each_notebook
def test_every_quiz_explains_itself_and_moves_the_right_option(path):
    found = quiz(path.stem[:2])
    for question in found.questions:
        short = [option.text for option in question.options if len(option.why) <= 20]
        assert not short, f"explain these options of {question.text!r} in a sentence: {short}"
    places = [[o.right for o in question.options].index(True) for question in found.questions]
    assert len(set(places)) > 1, "the right option is always in the same place"


# ---------------------------------------------------------------- the answers


@cache
def found_for(id, answer):
    """What is said of an answer, and what it did with each input."""
    outcomes = []

    def run(*given):
        outcomes.append(attempt(*given))
        return outcomes[-1]

    return judge(load(id), answer, run), outcomes


def answers(id, right):
    return [answer for name, answer, is_right in ANSWERS if (name, is_right) == (id, right)]


@each_exercise
def test_right_answers_pass(id):
    found = {answer.__name__: found_for(id, answer)[0] for answer in answers(id, right=True)}
    assert not {name: said for name, said in found.items() if said.status != "passed"}


@each_exercise
def test_every_exercise_has_six_wrong_answers_and_two_right_ones(id):
    assert len(answers(id, right=False)) >= 6 and len(answers(id, right=True)) >= 2, (
        f"write six wrong and two right answers to {id} in tests/chapters/ch{id[:2]}/answers.py"
    )


@each_exercise
def test_laws_hold_for_all_right_answers(id):
    exercise = load(id)
    for answer in answers(id, right=True):
        outcomes = found_for(id, answer)[1]
        for inputs, outcome in zip(exercise.inputs, outcomes, strict=True):
            if outcome.error is None:
                for law in exercise.laws:
                    assert law(outcome.value, *inputs), (answer.__name__, law.__doc__)


def told(id, name) -> str:
    """A wrong answer with its true cause, and what it is told."""
    answer = WRONG[id, name]
    found, _ = found_for(id, answer)
    kind = {"known mistake": "hint", "wrong": "said"}[found.status]  # no other: it is refused
    assert "NameError" not in found.sentence, f"{id} {name} lacks an import: {found.sentence}"
    cause = " ".join(answer.__doc__.split())
    lines = [f"{id} {name}: {cause}", f"{kind}: {found.sentence}", *found.remarks]
    return "\n    ".join(lines)


def told_file(chapter: str) -> Path:
    return FOLDER / f"ch{chapter}" / "told.txt"


def stored(chapter: str) -> dict[tuple[str, ...], str]:
    """The parts of a chapter's told.txt by exercise and answer."""
    file = told_file(chapter)
    parts = file.read_text(encoding="utf-8").strip().split("\n\n") if file.exists() else []
    return {tuple(part.partition(":")[0].split()): part for part in parts}


def write(ids):
    """Write what the wrong answers to these exercises are told into the told.txt of their chapters."""
    order = [id for id, _ in WRONG]
    for chapter in sorted({id[:2] for id in ids}):
        was, here = stored(chapter), [key for key in WRONG if key[0][:2] == chapter]
        keys = [*(key for key in was if key in here), *(key for key in here if key not in was)]
        keys.sort(key=lambda key: order.index(key[0]))  # what is stored keeps its place
        parts = [told(*key) if key[0] in ids else was.get(key, "") for key in keys]
        said = "\n\n".join(filter(None, parts)) + "\n"
        told_file(chapter).write_text(said, encoding="utf-8")


# Most exercises have seven: the first two every day, and all of them when the week's tests run.
SOME = [slice(2), pytest.param(slice(2, None), marks=weekly)]


@each_exercise
@pytest.mark.parametrize("some", SOME, ids=["first", "others"])
def test_what_wrong_answers_are_told_is_what_was_read(id, some):
    was = stored(id[:2])
    for key in [key for key in WRONG if key[0] == id][some]:
        old, new = was.get(key, "nothing"), told(*key)
        assert not compare_text(old, new), (
            f"\nstored: {old}\ntold: {new}\n"
            f"run `python -m tests.chapters.test_answers {id}` and read the diff of told.txt"
        )


def otherwise(id: str) -> list[str]:
    """Which wrong answers to an exercise are told something else than what is stored."""
    was, keys = stored(id[:2]), [key for key in WRONG if key[0] == id]
    return [" ".join(key) for key in keys if compare_text(was[key], told(*key))]


@pytest.mark.weekly
def test_on_another_processor_records_load_and_say_the_same():
    """Sums are rounded in another order there, and with two of torch's threads."""
    code = (
        "from tests.chapters import test_answers as t; print(sum(map(t.otherwise, t.known()), []))"
    )
    command, root = [sys.executable, "-c", code], ROOT
    env = os.environ | {"ATEN_CPU_CAPABILITY": "default", "OMP_NUM_THREADS": "2"}
    done = subprocess.run(command, env=env, cwd=root, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.parametrize("chapter", sorted({id[:2] for id, _ in WRONG}))
def test_told_has_every_wrong_answer_once_and_the_exercises_in_order(chapter):
    """As the answers of the chapter have them."""
    here = [(id, answer.__name__) for id, answer, right in ANSWERS if not right]
    here = [key for key in here if key[0][:2] == chapter]
    again = f"run `python -m tests.chapters.test_answers {chapter}` and read the diff"
    assert told_file(chapter).exists(), again
    text = told_file(chapter).read_text(encoding="utf-8")
    there = re.findall(r"^(\S+) (\w+): ", text, re.M)
    assert sorted(there) == sorted(here), again
    exercises = [id for id, _ in groupby(id for id, _ in there)]
    assert exercises == [*dict.fromkeys(id for id, _ in here)], again


if __name__ == "__main__":
    for id in (asked := sys.argv[1:]):
        assert any(name.startswith(id) for name in known()), f"there is no exercise {id}"
    write([id for id in known() if not asked or id.startswith(tuple(asked))])
