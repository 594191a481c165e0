"""The sentences of a check: what an answer did, and the first thing that is wrong with it."""

import inspect
from collections.abc import Callable, Iterator
from types import CoroutineType, GeneratorType
from typing import Any

from torch import Tensor

from course.learn.attempt import Gone, Late, Outcome
from course.learn.record import Exercise
from course.learn.values import TENSORS, exactly, first_difference, is_a, odd, plain_keys, same
from course.learn.words import MANY, kind, listed, show, type_name


def misfit(exercise: Exercise, function: Callable) -> str:
    """Return a sentence if the function can't be called with the exercise's inputs, or ""."""
    try:
        theirs = inspect.signature(function)
    except Exception:  # some built-in functions have no signature
        return ""
    try:
        theirs.bind(*exercise.inputs[0])
    except TypeError:
        ours = inspect.signature(exercise.reference.function)
        return f"expected a function of {ours}, yours takes {theirs}."
    return ""


def describe(outcome: Outcome) -> str:
    """What a function did with an input, in words that follow a subject: `returned 3`."""
    if outcome.error is not None:
        return f"raised {raised(outcome)}"
    return f"returned {show(outcome.value)}" + " and changed its input" * bool(outcome.mutated)


def raised(outcome: Outcome) -> str:
    """An exception's name, and the first line of its text."""
    name, first = type_name(type(outcome.error)), outcome.words.strip().split("\n")[0][:200]
    return f"{name}: {first}" if first else name


def _names(exercise: Exercise, places: list[int]) -> str:
    """The names of the parameters at these positions, listed."""
    names = [*inspect.signature(exercise.reference.function).parameters]
    return listed([f"`{names[n]}`" for n in places])


def remarks(outcomes: list[Outcome]) -> Iterator[str]:
    """Yield a sentence each on what a function replaced, changed and printed."""
    if replaced := [name for o in outcomes for name in o.replaced]:
        yield f"{listed(replaced)} had been replaced; the check used the original."
    if changed := [name for o in outcomes for name in o.changed]:
        yield f"Your function changed {listed(changed)}; the check has put it back."
    if printed := next((o.printed.strip() for o in outcomes if o.printed.strip()), ""):
        lines = printed.split("\n")
        more = " ..." if len(lines) > 5 else ""
        yield "Your function printed: " + " / ".join(lines[:5])[:300] + more


def complaint(exercise: Exercise, ours: Outcome, right: Outcome, inputs: tuple) -> str:
    """The first thing that is wrong, as the rest of a sentence that names the call."""
    if is_a(ours.error, Late):
        return f"your function {ours.words}. Does it ever end?"
    if is_a(ours.error, Gone):
        return f"your function {ours.words}."
    if ours.error is not None:
        where = f" in the line `{ours.line}`" if ours.line else ""
        wanted = f"expected {kind(right.error)}, but " if right.error else ""
        return f"{wanted}your function raised {raised(ours)}{where}"
    value, wanted = ours.value, right.value
    if right.error is not None:
        error = is_a(value, BaseException) or value is type(right.error)
        more = ". Write raise, not return." if error else "."
        return f"expected {kind(right.error)}, but your function returned {show(value)}{more}"
    if value is None and wanted is not None:
        return "your function returned None. Did it reach a `return` that returns a value?"
    if type(value) is GeneratorType or type(value) is CoroutineType:
        return (
            f"expected {kind(wanted)}, got {kind(value)}. Is there a `yield` or an `async` in it?"
        )
    if spoilt := [n for n in ours.mutated if n not in right.mutated]:
        return f"your function changed {_names(exercise, spoilt)} in place. Work on a new object instead."
    if differ := _form(value, wanted):
        return differ
    if is_a(wanted, Tensor) and (no_number := value.isnan() & ~wanted.isnan()).any():
        place = no_number.nonzero()[0].tolist()
        at = f" at {place}" if place else ""
        return f"expected {show(wanted[tuple(place)].item())}{at}, got nan (not a number)."
    for law in exercise.laws:
        if broken(law, value, inputs):
            sentence = " ".join(law.__doc__.split())
            if is_a(value, Tensor) and value.numel() > MANY:
                return f"{sentence}: {_difference(value, wanted)}"
            shown = show(value, wrong=lambda rounded: broken(law, rounded, inputs))  # noqa: B023
            return f"{sentence}, but you returned {shown}."
    return _difference(value, wanted)


def _difference(value: Any, wanted: Any) -> str:
    """Say what was expected and what was returned, at the point where the two differ."""
    where = ""
    if type(wanted) is dict:  # shows only the keys that differ
        if missing := [repr(key) for key in wanted if key not in plain_keys(value)]:
            return f"the key {missing[0]} is missing in {show(list(value))}."
        if len(value) > len(wanted):
            return f"expected only the keys {show(list(wanted))}, got {show(list(value))}."
        wanted = {key: item for key, item in wanted.items() if not same(value[key], item)}
        value = {key: value[key] for key in wanted}
    elif is_a(wanted, Tensor) and wanted.numel() > MANY:
        index = first_difference(value, wanted)
        where, value, wanted = f" at {list(index)}", value[index].item(), wanted[index].item()
    expected, got = show(wanted, unlike=value), show(value, unlike=wanted)
    got = got if got != expected else "something that only looks the same"
    return f"expected {expected}{where}, got {got}."


def _form(value: Any, wanted: Any, where: str = "") -> str:
    """How the kind, shape or dtype of a value, or of a part, differs from what is wanted; or ""."""
    place = f" at {where} of your answer" if where else ""
    if type(value) is not type(wanted) and not same(value, wanted):
        more = " of another class" if kind(value) == kind(wanted) else ""
        return f"expected {kind(wanted)}{place}, got {kind(value)}{more}{_way_out(value, wanted)}."
    if is_a(wanted, Tensor) and odd(value):
        return f"expected {kind(wanted)}{place}, got {kind(value)}."
    if is_a(wanted, Tensor) and value.shape != wanted.shape:
        shapes = f"expected the shape {tuple(wanted.shape)}{place}, got {tuple(value.shape)}"
        return f"{shapes}{_way_out(value, wanted)}."
    if is_a(wanted, Tensor) and value.dtype != wanted.dtype:
        return f"expected numbers of type {wanted.dtype}{place}, got {value.dtype}."
    if type(wanted) in (list, tuple) and len(value) == len(wanted):
        parts = enumerate(zip(value, wanted, strict=True))
    elif type(wanted) is dict and plain_keys(value) == wanted.keys():
        parts = ((repr(key), (value[key], wanted[key])) for key in wanted)
    else:
        return ""
    found = (_form(*both, where=f"{where}[{part}]") for part, both in parts)
    return next(filter(None, found), "")


def _way_out(value: Any, wanted: Any) -> str:
    """If a tensor was returned instead of the one number in it, how to take that out; or ""."""
    if not exactly(value, *TENSORS) or odd(value) or value.numel() != 1:
        return ""
    if is_a(wanted, float) or is_a(wanted, int):
        return ". It holds one number, which `.item()` takes out"
    return ". One number has the shape (): `.squeeze()` gives it" if wanted.shape == () else ""


def broken(law: Callable, value, inputs: tuple) -> bool:
    """Whether a value breaks a law. A law that raises an error on it doesn't count as broken."""
    try:
        return not law(value, *inputs)
    except Exception:
        return False
