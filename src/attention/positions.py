"""Positions: added to the embeddings, rotating queries and keys, or subtracted from the scores.

Attention itself ignores order. `sinusoidal` is added to the embeddings (Vaswani et al., 2017,
section 3.5); rotary positions rotate queries and keys (Su et al., 2021, equation 34); ALiBi subtracts
from each score, the more the further back the key is (Press et al., 2022, section 3).
"""

import torch
from jaxtyping import Float, Real
from torch import Tensor

POSITIONS = ("rotary", "learned", "sinusoidal", "alibi", "none")


def rotary_angles(
    positions: Real[Tensor, " T"], head_size: int, base: float = 10_000.0
) -> Float[Tensor, "T half"]:
    """The angle by which each pair of channels is rotated at each position, in radians.

    The first pair rotates by 1 for each position, the others more and more slowly, the last by
    nearly 1 / base. Positions may be fractions: `positions / 2` fits twice the length into the trained
    angles (Chen et al., 2023).
    """
    if head_size < 2 or head_size % 2:
        raise ValueError(
            f"head_size: expected an even number, since channels rotate in pairs, got {head_size}; "
            f"choose n_embd and n_head so that n_embd / n_head is even"
        )
    if not base > 0:
        raise ValueError(f"base: expected a number above 0, got {base}; 10,000 is usual")
    pairs = torch.arange(0, head_size, 2, device=positions.device)  # (D / 2,)
    return positions[:, None] * base ** (-pairs / head_size)  # (T, 1) * (D / 2,) -> (T, D / 2)


def rotate(
    x: Float[Tensor, "*B T D"], angles: Float[Tensor, "T half"], interleaved: bool = False
) -> Float[Tensor, "*B T D"]:
    """The vectors with each pair of channels rotated by its angle: for queries and keys.

    A pair is channel i with channel i + D / 2, as most code has it (half-split), or channel 2 i with
    2 i + 1, as the paper has it (interleaved). Weights trained with one don't fit the other.
    """
    if angles.shape != (x.shape[-2], x.shape[-1] // 2):
        raise ValueError(
            f"angles: expected one for each position and pair of channels, "
            f"{(x.shape[-2], x.shape[-1] // 2)}, got {tuple(angles.shape)}; "
            f"rotary_angles(torch.arange(T), D) makes them"
        )
    first, second = (x[..., 0::2], x[..., 1::2]) if interleaved else x.chunk(2, dim=-1)
    cos, sin = angles.cos(), angles.sin()  # (T, D / 2)
    rotated = first * cos - second * sin, first * sin + second * cos  # two of (*B, T, D / 2)
    return torch.stack(rotated, dim=-1).flatten(-2) if interleaved else torch.cat(rotated, dim=-1)


def sinusoidal(n_positions: int, n_embd: int, base: float = 10_000.0) -> Float[Tensor, "T C"]:
    """A row for each position, to be added to the embeddings: sin and cos of the rotary angles.

    >>> sinusoidal(2, 4)
    tensor([[0.0000, 1.0000, 0.0000, 1.0000],
            [0.8415, 0.5403, 0.0100, 0.9999]])
    """
    angles = rotary_angles(torch.arange(n_positions), n_embd, base)  # (T, C / 2)
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2)  # (T, C)


def alibi_slopes(n_head: int) -> Float[Tensor, " H"]:
    """What each head subtracts from a score for each position that the key is further back.

    2^(-8 h / H) for head h = 1 ... H; where H is not a power of two, the slopes of the next smaller
    power, and then every second one of the next larger.

    >>> alibi_slopes(4)
    tensor([0.2500, 0.0625, 0.0156, 0.0039])
    """
    if n_head < 1:
        raise ValueError(f"n_head: expected 1 or more heads, got {n_head}")
    power = 1 << (n_head.bit_length() - 1)  # the largest power of two up to n_head
    slopes = 2.0 ** (-8 * torch.arange(1, power + 1) / power)  # (power,)
    between = 2.0 ** (-8 * torch.arange(1, 2 * power, 2) / (2 * power))  # (power,)
    return torch.cat((slopes, between))[:n_head]


def alibi_bias(n_head: int, n_queries: int, n_keys: int) -> Float[Tensor, "H Tq Tk"]:
    """The bias to add to the scores of all heads: minus the slope times the distance.

    The queries are the last `n_queries` of the `n_keys` positions, so that a model which keeps its
    keys gets the right distances. Later keys get 0; a causal mask hides them.
    """
    if not 0 < n_queries <= n_keys:
        raise ValueError(
            f"n_queries, n_keys: expected 1 <= n_queries <= n_keys, since every query is at the "
            f"position of a key, got {n_queries} and {n_keys}"
        )
    keys = torch.arange(n_keys)
    steps = (keys - keys[-n_queries:, None]).clamp(max=0)  # (Tk,) - (Tq, 1) -> (Tq, Tk)
    return alibi_slopes(n_head)[:, None, None] * steps
