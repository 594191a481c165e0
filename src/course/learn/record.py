"""The record of an exercise: its answer, known mistakes with a hint each, laws, and three hints.

A record is a module `chNN.exercises.name` of the chapters, written in this order:

    E = Exercise(__name__, inputs=[(2,), (3,)], draw=lambda d: (d.size(),))

    @E.answer                 # what a learner could write; the solution that is shown
    def name(T): ...

    E.slip("dim=1", "dim=0", "your columns sum to 1, not your rows.")   # one edit of the answer
    E.mistake(lambda T: torch.ones(T, T), "nothing is divided yet.")    # a different program
    E.law(rows_sum_to_1)      # true of every right answer; also a decorator
    E.hint("What is one share?")                                        # always three

`slip` raises RecordError unless its text occurs exactly once in the answer. `compare`, which a test
calls, raises it for a mistake that does the same as the answer or as another mistake.
"""

import inspect
import textwrap
from collections.abc import Callable, Sequence
from functools import cached_property

import torch

from course.errors import RecordError
from course.learn.attempt import Outcome, attempt
from course.learn.draws import Draw
from course.learn.values import same
from course.learn.words import extent

N_HINTS = 3
N_MISTAKES = 4  # at least
TRIES = 6  # draws at most until a hidden input differs from all shown ones


def _fits(function: Callable, given: tuple) -> bool:
    """Whether the function can be called with these inputs."""
    try:
        inspect.signature(function).bind(*given)
    except TypeError:
        return False
    return True


def _is_noticed(word: str) -> bool:
    names = (*vars(torch), *vars(torch.nn.functional), *dir(torch.Tensor))
    return len(word) > 1 and (word == "attention" or any(word in name for name in names))


class Program:
    """A function and its outcome for each input; it is called only once for each."""

    def __init__(self, exercise: "Exercise", function: Callable, hint: str = ""):
        self.exercise, self.function, self.hint = exercise, function, hint
        self._outcomes: dict[int, Outcome] = {}

    def outcome(self, n: int) -> Outcome:
        if n not in self._outcomes:
            self._outcomes[n] = attempt(self.function, self.exercise.inputs[n])
        return self._outcomes[n]

    def forget(self, first: int) -> None:
        """Forget the outcomes from input `first` on, because those inputs have changed."""
        for n in [n for n in self._outcomes if n >= first]:
            del self._outcomes[n]

    def like(self, other: "Program", to_the_word: bool) -> bool:
        """Whether the two programs have the same outcome for every input.

        Inputs on which both have run cost nothing and come first; then the last, which are drawn.
        """
        mine, theirs = self._outcomes, other._outcomes
        last_first = reversed(range(len(self.exercise.inputs)))
        inputs = sorted(last_first, key=lambda n: (n not in mine) + (n not in theirs))
        return all(self.outcome(n).alike(other.outcome(n), to_the_word) for n in inputs)


class Exercise:
    """One exercise; `draw` makes `n_drawn` inputs that follow the fixed ones, the smallest first.

    `without` names what an answer mustn't use, as the task says: "torch", "attention" (the helper
    package), or a word in the name of a torch function, such as "softmax".
    `trained` is False if no training passes through the answer (a mask, or a score that is only
    looked at); then its gradient isn't checked.
    """

    def __init__(
        self,
        module: str,
        inputs: Sequence[tuple],
        draw: Callable[[Draw], tuple] | None = None,
        n_drawn: int = 24,
        without: tuple[str, ...] = (),
        trained: bool = True,
    ):
        if unknown := [word for word in without if not _is_noticed(word)]:
            raise RecordError(
                f"expected `without` to be a tuple of 'torch', 'attention' or words in the names of "
                f"torch's functions, got {unknown[0]!r} in {without!r}"
            )
        chapter, _, self.name = module.split(".")[-3:]
        self.id = f"{chapter.removeprefix('ch')}.{self.name}"
        self.fixed, self.draw, self.n_drawn, self.without = list(inputs), draw, n_drawn, without
        self.trained = trained
        self.hidden: list[tuple] = []
        self.reference: Program | None = None
        self.mistakes: list[Program] = []
        self.laws: list[Callable[..., bool]] = []
        self.hints: list[str] = []

    @cached_property
    def inputs(self) -> list[tuple]:
        """The fixed inputs in their order, then the drawn ones, the smallest first."""
        rounds = range(self.n_drawn if self.draw else 0)
        drawn = [self.draw(Draw(self.id, n)) for n in rounds]
        for given in self.fixed + drawn:
            if type(given) is not tuple or not _fits(self.reference.function, given):
                raise RecordError(
                    f"expected each input to be a tuple of arguments for "
                    f"{inspect.signature(self.reference.function)}, got {given!r}"
                )
        return self.fixed + sorted(drawn, key=extent)

    def prepare(self) -> None:
        """Run the reference on every input and keep the outcomes."""
        for n in range(len(self.inputs)):
            self.reference.outcome(n)

    @property
    def n_shown(self) -> int:
        """The number of inputs that a learner may see: the first, as in the notebook's check."""
        return len(self.inputs) - len(self.hidden)

    def hide(self, seed: str) -> None:
        """Add inputs at the end that no learner has seen and that depend only on this seed.

        An exercise without `draw` has none to hide, because its question has only one answer.
        """
        del self.inputs[self.n_shown :]
        rounds = range(self.n_drawn if self.draw else 0)
        self.hidden = sorted((self._unseen(seed, n) for n in rounds), key=extent)
        self.inputs.extend(self.hidden)
        for program in (self.reference, *self.mistakes):
            program.forget(self.n_shown)

    def _unseen(self, seed: str, n: int) -> tuple:
        """The n-th draw from a seed, or a further one if that happens to equal a shown input."""
        for n_try in range(TRIES):
            given = self.draw(Draw(f"{seed}/{self.id}/{n_try}", n))
            if not any(same(given, shown, rtol=0.0) for shown in self.inputs):
                break
        return given

    def answer(self, function: Callable) -> Callable:
        """Decorator for the reference; its source is the solution that learners see."""
        if function.__name__ != self.name:
            raise RecordError(
                f"expected the answer to be called {self.name}, as the file is, got "
                f"{function.__name__}: rename one of them"
            )
        if self.reference is not None:
            raise RecordError(
                "expected one @E.answer, got a second: make it a mistake, or delete it"
            )
        self.reference = Program(self, function)
        return function

    @cached_property
    def solution(self) -> str:
        """The source of the reference without decorators, as a learner would type it."""
        lines = textwrap.dedent(inspect.getsource(self.reference.function)).splitlines()
        while lines[0].startswith("@"):
            del lines[0]
        return "\n".join(lines)

    def slip(self, old: str, new: str, hint: str) -> None:
        """Add a mistake that is one edit of the answer: `new` instead of `old`."""
        if self.reference is None:
            raise RecordError("expected @E.answer first, of which this slip is an edit")
        times = self.solution.count(old)
        if times != 1:
            advice = "take more of the line" if times else "copy it from the answer"
            raise RecordError(
                f"expected the text {old!r} once in the answer, found it {times} times: {advice}"
            )
        source = self.solution.replace(old, new)
        namespace = dict(vars(inspect.getmodule(self.reference.function)))
        try:
            exec(compile(source, f"<slip of {self.id}>", "exec"), namespace)
        except SyntaxError as error:
            raise RecordError(
                f"the slip {new!r} for {old!r} isn't valid Python: {error}"
            ) from None
        self.mistake(namespace[self.name], hint)

    def mistake(self, function: Callable, hint: str = "") -> Callable:
        """Add a wrong program and its hint; as a decorator, take the docstring as the hint."""
        hint = " ".join((hint or function.__doc__ or "").split())
        if self.reference is None or not hint:
            missing = "a hint or a docstring" if self.reference else "@E.answer above"
            raise RecordError(f"expected {missing} for this mistake, got none")
        if not _fits(function, self.inputs[0]):
            raise RecordError(
                f"expected a mistake of {inspect.signature(self.reference.function)}, "
                f"got {inspect.signature(function)} ({hint!r})"
            )
        self.mistakes.append(Program(self, function, hint))
        return function

    def law(self, *laws: Callable[..., bool]) -> Callable[..., bool]:
        """Add laws, law(answer, *inputs), that every right answer obeys; also a decorator for one.

        A law's docstring is the sentence that a learner sees when an answer breaks it.
        """
        for law in laws:
            if not law.__doc__:
                raise RecordError(f"expected a docstring, the law's sentence, in {law.__name__}")
        self.laws += laws
        return laws[0]

    def hint(self, text: str) -> None:
        """Add the next of three hints, each of which says more than the one before."""
        self.hints.append(" ".join(text.split()))

    def check(self) -> None:
        """Raise RecordError if a part of the record is missing."""
        few = len(self.mistakes) < N_MISTAKES or len(self.hints) != N_HINTS
        if self.reference is None or not self.fixed or few:
            raise RecordError(
                f"expected an answer, inputs, {N_MISTAKES} known mistakes or more and {N_HINTS} hints, "
                f"got {'an' if self.reference else 'no'} answer, {len(self.fixed)} inputs, "
                f"{len(self.mistakes)} known mistakes and {len(self.hints)} hints"
            )

    def compare(self) -> None:
        """Raise RecordError if a mistake has a typo, or the same outcomes as the answer or another.

        A NameError counts as a typo. This is slow, so only a test calls it, and no learner waits.
        """
        for n, new in enumerate(self.mistakes):
            typo = new.outcome(0).error
            if isinstance(typo, NameError) and str(typo.name) not in self.solution:
                raise RecordError(
                    f"this mistake ends in a NameError, a typo? {typo} ({new.hint!r})"
                )
            if new.like(self.reference, to_the_word=False):
                raise RecordError(
                    f"no input tells this mistake from the answer ({new.hint!r}): "
                    f"add an input on which they differ, or delete the mistake"
                )
            for known in self.mistakes[:n]:
                if new.like(known, to_the_word=True):
                    raise RecordError(
                        f"no input tells this mistake ({new.hint!r}) from an earlier one "
                        f"({known.hint!r}): add an input on which they differ, or join the two"
                    )
