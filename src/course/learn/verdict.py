"""Judge an answer: it passes, it is a known mistake, or it is wrong in some other way.

An answer that does the same as the reference on every input passes. If it does the same as a known
mistake on every input, the verdict is that mistake's hint. Otherwise the verdict says what is wrong
first, on the first input on which the answer is wrong.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from course.learn.attempt import Gone, Outcome, attempt
from course.learn.record import Exercise, Program
from course.learn.sentences import complaint, describe, misfit, remarks
from course.learn.values import is_a
from course.learn.words import call, kind

HIDDEN = (
    "your function is right on every input of the notebook's check, but wrong on others of the "
    "same kinds. Does it compute its answer for inputs that it has never seen?"
)


@dataclass(frozen=True)
class Verdict:
    """`status` is passed, not attempted, known mistake or wrong; `seen` is a call that shows it."""

    status: str
    sentence: str
    seen: str = ""
    remarks: tuple[str, ...] = ()  # what else the learner should know
    answer: str = ""  # what the function did with every input, as text


def judge(exercise: Exercise, function: Callable, run: Callable | None = None) -> Verdict:
    """Try a function on all inputs of the exercise, in their order, and return the verdict.

    `run` makes one attempt, as `attempt` does. The notebook's own `run` ends a function that never
    ends (`apart`); the grader's gives what the function did in a sandbox. Hidden inputs are counted
    in the verdict, but never shown.
    """
    run = run or attempt
    if not callable(function):
        sentence = (
            f"expected your function itself, got {kind(function)}; pass its name, not a call."
        )
        return Verdict("wrong", sentence)
    if sentence := attempt(partial(misfit, exercise, function), ()).value:
        return Verdict("wrong", sentence)
    rights = [exercise.reference.outcome(n) for n in range(len(exercise.inputs))]
    outcomes = list(_outcomes(exercise, function, run))
    if _untouched(outcomes[-1]):
        sentence = "not attempted yet. Replace the line that raises, and run the cell again."
        return Verdict("not attempted", sentence)
    wrong = [n for n, outcome in enumerate(outcomes) if not outcome.alike(rights[n])]
    status, sentence, seen = _finding(exercise, outcomes, rights, wrong)
    more = [*remarks(outcomes[: exercise.n_shown])]
    shown = status == "wrong" and wrong and wrong[0] < exercise.n_shown
    if shown and _is_nondeterministic(exercise, function, outcomes, wrong[0], run):
        more.append(
            "Your function does something else when it is called again with the same input."
        )
    return Verdict(status, sentence, seen, tuple(more), "\n".join(map(describe, outcomes)))


def _finding(
    exercise: Exercise, outcomes: list[Outcome], rights: list[Outcome], wrong: list[int]
) -> tuple[str, str, str]:
    """Return the status, the sentence, and the call that shows a known mistake, or ""."""
    if wrong:
        where = call(exercise.name, exercise.inputs[wrong[0]])
        ours, right = outcomes[wrong[0]], rights[wrong[0]]
        if hint := _known(exercise.mistakes, outcomes, wrong):
            return "known mistake", hint, f"{where}: yours {describe(ours)}."
    if used := next((outcome.used for outcome in outcomes if outcome.used), ""):
        return "wrong", f"you use {used}, but this exercise asks you to do without it.", ""
    if not wrong:
        return "passed", f"passed on {len(outcomes)} inputs.", ""
    if wrong[0] >= exercise.n_shown:
        return "wrong", HIDDEN, ""
    sentence = complaint(exercise, ours, right, exercise.inputs[wrong[0]])
    return "wrong", f"on {where}, {sentence}", ""


def _untouched(outcome: Outcome) -> bool:
    """Whether the stub's own line raised: a NotImplementedError of PyTorch's has a message."""
    return type(outcome.error) is NotImplementedError and not outcome.words


def _is_nondeterministic(
    exercise: Exercise, function: Callable, outcomes: list[Outcome], n: int, run: Callable
) -> bool:
    """Whether the function does something different when it is called again with the same input."""
    if is_a(outcomes[n].error, Gone):
        return False
    return describe(run(function, exercise.inputs[n])) != describe(outcomes[n])


def _outcomes(exercise: Exercise, function: Callable, run: Callable) -> Iterator[Outcome]:
    """Yield the outcome for each input, until one shows an untouched stub or ends its process."""
    for inputs in exercise.inputs:
        outcome = run(function, inputs, exercise.without)
        yield outcome
        if _untouched(outcome) or is_a(outcome.error, Gone):
            return  # one wait is enough


def _known(mistakes: list[Program], outcomes: list[Outcome], wrong: list[int]) -> str:
    """Return the hint of the first mistake with the same outcome for every input, or ""."""
    order = sorted(range(len(outcomes)), key=lambda n: n not in wrong)  # wrong ones first
    for mistake in mistakes:
        if all(outcomes[n].alike(mistake.outcome(n), to_the_word=True) for n in order):
            return mistake.hint
    return ""
