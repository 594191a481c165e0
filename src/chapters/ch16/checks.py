"""The checks of the attention ward: six laws of `attention.properties`, and one comparison.

Each answers a question about a program on its layers and an x; True means that it finds nothing wrong.
`HOW_MUCH` gives the details.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.func import functional_call

from attention.gpt import CausalSelfAttention
from attention.properties import (
    batch_independent,
    gradients_reach,
    knows_order,
    no_future_leak,
    ripples,
    rows_sum_to_1,
)

B, T, C, H, HKV = 4, 8, 32, 4, 2
TEXTS = torch.tensor([[0, 0, 1, 1, 1, 2, 2, 2]]).repeat(B, 1)  # padding, followed by two texts


def case(
    seed: int = 1337, n_kv_head: int = HKV, positions: str = "rotary", n_embd: int = C
) -> tuple[CausalSelfAttention, Tensor]:
    """Untrained layers in `eval` mode, and an input of B rows of T words."""
    torch.manual_seed(seed)
    layers = CausalSelfAttention(n_embd, H, n_kv_head, positions=positions, dropout=0.1).eval()
    return layers, torch.randn(B, T, n_embd, generator=torch.Generator().manual_seed(seed))


def one_text(x: Tensor) -> Tensor:
    """Text numbers with which all positions of each row belong to one text."""
    return torch.ones(x.shape[:2], dtype=torch.long)


def output(program: Callable, layers) -> Callable[[Tensor], Tensor]:
    """The program as a function of x, without texts."""
    return lambda x: program(x, layers, one_text(x))[0]


def shape(program: Callable, layers, x: Tensor) -> bool:
    """Does the output have the shape of x?"""
    return output(program, layers)(x).shape == x.shape


def row_sums(program: Callable, layers, x: Tensor) -> bool:
    """Does every row of the weights sum to 1?"""
    return rows_sum_to_1(program(x, layers, one_text(x))[1])


def future(program: Callable, layers, x: Tensor) -> bool:
    """Do outputs stay the same when only later words change?"""
    return no_future_leak(output(program, layers), x)


def batch(program: Callable, layers, x: Tensor) -> bool:
    """Does each sequence give the same result alone as in the batch?"""
    return batch_independent(output(program, layers), x)


def order(program: Callable, layers, x: Tensor) -> bool:
    """Does the last output change when two earlier words swap?"""
    return knows_order(output(program, layers), x)


class Running(nn.Module):
    """A program on its layers, as a module whose weights `functional_call` can exchange."""

    def __init__(self, program: Callable, layers: nn.Module):
        super().__init__()
        self.program, self.layers = program, layers

    def forward(self, x: Tensor) -> Tensor:
        return output(self.program, self.layers)(x)


def reach(program: Callable, layers, x: Tensor) -> dict[str, bool]:
    """Which of the weights of q, k and v receive a gradient from the loss."""
    sizes = [n * layers.head_size for n in (layers.n_head, layers.n_kv_head, layers.n_kv_head)]
    parts = [part.detach().requires_grad_() for part in layers.qkv.weight.split(sizes)]
    running = Running(program, layers)

    def forward(x: Tensor) -> Tensor:
        return functional_call(running, {"layers.qkv.weight": torch.cat(parts)}, (x,))

    return {name: gradients_reach(forward, x, part) for name, part in zip("qkv", parts, strict=True)}


def gradients(program: Callable, layers, x: Tensor) -> bool:
    """Does the loss reach the weights of q, of k and of v?"""
    return all(reach(program, layers, x).values())


SIX = {
    "shape": shape, "row sums": row_sums, "future": future, "batch": batch, "order": order,
    "gradients": gradients,
}  # fmt: skip


def differing(program: Callable, layers, x: Tensor, texts: Tensor = TEXTS) -> Tensor:
    """True where a position (B, T) differs from the package's module, run on the position's text only."""
    out = program(x, layers, texts)[0]
    found = torch.ones(x.shape[:2], dtype=torch.bool)
    for b, row in enumerate(texts):
        for text in row.unique():
            places = row == text
            change = out[b : b + 1, places] - layers(x[b : b + 1, places])
            found[b, places] = ~(change.abs().amax(dim=-1) <= 1e-5)[0]
    return found


def equals(program: Callable, layers, x: Tensor) -> bool:
    """Does each text agree with our own module, run on it alone?"""
    return not differing(program, layers, x).any()


# ---------------------------------------------------------------- how much


def _listed(found: Tensor) -> str:
    return " ".join(map(str, found.nonzero().flatten().tolist())) or "none"


def _row_sums(program: Callable, layers, x: Tensor) -> str:
    sums = program(x, layers, one_text(x))[1].sum(dim=-1)
    return f"The sums lie between {sums.min():.2f} and {sums.max():.2f}."


def _future(program: Callable, layers, x: Tensor) -> str:
    def alone(x: Tensor) -> Tensor:
        return output(program, layers)(x[None])[0]

    heard = ~(ripples(alone, x[0]) <= 1e-5)
    counts = " ".join(str(row[t + 1 :].sum().item()) for t, row in enumerate(heard))
    return f"Later words that outputs 0 to {len(x[0]) - 1} hear: {counts}."


def _batch(program: Callable, layers, x: Tensor) -> str:
    forward = output(program, layers)
    alone = torch.cat([forward(row[None]) for row in x])
    changed = ~((alone - forward(x)).abs() <= 1e-5).all(dim=-1)
    return f"Outputs that differ: {changed.sum()} of {changed.numel()}."


def _order(program: Callable, layers, x: Tensor) -> str:
    forward, swapped = output(program, layers), [*range(x.shape[1] - 2), -1, -2]
    notice = ~((forward(x[:, swapped]) - forward(x)).abs() <= 1e-5).all(dim=-1).all(dim=0)
    return f"Outputs that change when the last two words swap: {_listed(notice)}."


def _gradients(program: Callable, layers, x: Tensor) -> str:
    reached = [name for name, hears in reach(program, layers, x).items() if hears]
    return f"It reaches {', '.join(reached) or 'none'}."


def _equals(program: Callable, layers, x: Tensor) -> str:
    texts = " ".join(map(str, TEXTS[0].tolist()))
    return f"With texts {texts}, positions that differ: {_listed(differing(program, layers, x).any(dim=0))}."


HOW_MUCH = {
    "shape": lambda program, layers, x: f"It is {tuple(output(program, layers)(x).shape)}.",
    "row sums": _row_sums, "future": _future, "batch": _batch, "order": _order,
    "gradients": _gradients, "equals": _equals,
}  # fmt: skip
