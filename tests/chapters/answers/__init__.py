"""Answers to exercises, written from the pages alone, before their known mistakes were read.

`@right(id)` and `@wrong(id)` collect them; the docstring of a wrong one is its true cause.
"""

ANSWERS = []  # (id, function, is right)


def right(id):
    """A right answer in another style than the reference."""
    return lambda function: ANSWERS.append((id, function, True)) or function


def wrong(id):
    """A plausible wrong answer."""
    return lambda function: ANSWERS.append((id, function, False)) or function
