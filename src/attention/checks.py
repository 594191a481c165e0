"""Checks of arguments: a ValueError says what was expected, what came and what to do."""

from collections.abc import Collection
from difflib import get_close_matches

from torch import Tensor


def choose(name: str, value: str, among: Collection[str]) -> str:
    """The value itself, if it is one of the known names."""
    if value not in among:
        near = get_close_matches(str(value), among, n=1)
        raise ValueError(
            f"{name}: expected one of {', '.join(sorted(among))}, got {value!r}; "
            + (f"did you mean {near[0]!r}?" if near else "write one of these")
        )
    return value


def check_dropout(dropout: float) -> float:
    """The probability itself, if it is 0 or more and below 1."""
    if not 0 <= dropout < 1:
        raise ValueError(
            f"dropout: expected a probability from 0 to below 1, got {dropout}; 0 turns it off"
        )
    return dropout


def check_divides(name: str, n: int, of: str, total: int) -> None:
    """`n` is 1 or more and divides `total`, the number called `of`."""
    if n < 1 or total % n:
        raise ValueError(
            f"{name}: expected a number that divides {of} = {total}, got {n}; all heads get "
            f"equal parts of it"
        )


def check_length(name: str, n_positions: int, block_size: int) -> None:
    """There are at most `block_size` positions."""
    if n_positions > block_size:
        raise ValueError(
            f"{name}: expected at most {block_size} positions (the block size), got {n_positions}; "
            f"keep the last ones, {name}[:, -{block_size}:], or build the module with a larger block"
        )


def check_positions(x: Tensor, n_embd: int, block_size: int) -> int:
    """The number of positions of x, if x is (B, T, n_embd) and T at most the block size."""
    if x.ndim != 3 or x.shape[-1] != n_embd:
        raise ValueError(
            f"x: expected shape (B, T, {n_embd}), got {tuple(x.shape)}; one sequence becomes a "
            f"batch of one by x[None]"
        )
    check_length("x", x.shape[1], block_size)
    return x.shape[1]
