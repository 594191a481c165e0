"""What the source notebooks show of chapter 04, averaging the past."""

import torch
from torch import Tensor

from attention.averaging import mean_past_loop, mean_past_softmax, mean_past_tril
from attention.heads import attention_weights
from attention.masks import causal_mask
from chapters.chA3.source import Source

_T06 = (
    "within 1e-6, which ours states; the source's bare allclose answers True or False with the "
    "machine, since the two differ by 3.2e-8 where its default allows 3.0e-8 (T06)"
)
_X0 = """[[ 0.1808, -0.0700], [-0.3596, -0.9152], [ 0.6258,  0.0255], [ 0.9545,  0.0643],
 [ 0.3612,  1.1679], [-1.3499, -0.5102], [ 0.2360, -0.2398], [-0.9211,  1.5433]]"""
_MEANS = """[[ 0.1808, -0.0700], [-0.0894, -0.4926], [ 0.1490, -0.3199], [ 0.3504, -0.2238],
 [ 0.3525,  0.0545], [ 0.0688, -0.0396], [ 0.0927, -0.0682], [-0.0341,  0.1332]]"""
_TRIL8 = """[[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
 [0.5000, 0.5000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
 [0.3333, 0.3333, 0.3333, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
 [0.2500, 0.2500, 0.2500, 0.2500, 0.0000, 0.0000, 0.0000, 0.0000],
 [0.2000, 0.2000, 0.2000, 0.2000, 0.2000, 0.0000, 0.0000, 0.0000],
 [0.1667, 0.1667, 0.1667, 0.1667, 0.1667, 0.1667, 0.0000, 0.0000],
 [0.1429, 0.1429, 0.1429, 0.1429, 0.1429, 0.1429, 0.1429, 0.0000],
 [0.1250, 0.1250, 0.1250, 0.1250, 0.1250, 0.1250, 0.1250, 0.1250]]"""


def _x(seed: int = 1337, draw: int = 1) -> Tensor:
    """The normal numbers of one draw after a seed, as 4 sequences of 8 positions, 2 channels."""
    _ = torch.manual_seed(seed)
    return [torch.randn(4, 8, 2) for _ in range(draw)][-1]


def _rows(seed: int) -> Tensor:
    _ = torch.manual_seed(seed)
    return torch.randint(0, 10, (3, 2)).float()


def _shares(n: int) -> Tensor:
    """The weights of a mean of the past."""
    below = torch.ones(n, n).tril()
    return below / below.sum(dim=1, keepdim=True)


def _close(one: Tensor, other: Tensor) -> bool:
    return bool((one - other).abs().max() < 1e-6)


def product_agrees(text: str) -> bool:
    """Whether loops and product agree within a tolerance that is stated."""
    return _close(mean_past_loop(_x()), mean_past_tril(_x()))


def _softmax_agrees(text: str) -> bool:
    return _close(mean_past_loop(_x()), mean_past_softmax(_x()))


def _masked(n: int) -> Tensor:
    return torch.zeros(n, n).masked_fill(~causal_mask(n), float("-inf"))


ONES = torch.ones(3, 3)
SOURCES = [
    Source("S0.1", "the imports", lambda text: torch.nn.functional.softmax(torch.zeros(2), dim=0)),
    Source("S0.2", "shape of x", lambda text: _x().shape, "torch.Size([4, 8, 2])"),
    Source("S0.2", "x[0][0]", lambda text: _x()[0][0], "[0.1808, -0.0700]"),
    Source("S0.3", "version 1, two loops: nothing printed", lambda text: mean_past_loop(_x())[1]),
    Source("S0.4", "version 2, a product: allclose", product_agrees, "True", note=_T06),
    Source("S0.5", "version 3, softmax: nothing printed", _softmax_agrees),
    Source(
        "S0.6",
        "the toy's shares",
        lambda text: _shares(3),
        "1.0000 0.0000 0.0000 0.5000 0.5000 0.0000 0.3333 0.3333",
    ),
    Source("S0.6", "its rows", lambda text: _rows(42), "[[2., 7.], [6., 4.], [6., 5.]]"),
    Source(
        "S0.6",
        "their means",
        lambda text: _shares(3) @ _rows(42),
        "[[2.0000, 7.0000], [4.0000, 5.5000], [4.6667, 5.3333]]",
    ),
    Source("S1.21", "x[0]", lambda text: _x()[0], _X0),
    Source("S1.21", "the mean of the past", lambda text: mean_past_loop(_x())[0], _MEANS),
    Source("S1.21", "x[0].mean(dim=0)", lambda text: _x()[0].mean(dim=0), "[-0.0341, 0.1332]"),
    Source("S1.22", "ones(3, 3)", lambda text: ONES, "[[1., 1., 1.], [1., 1., 1.], [1., 1., 1.]]"),
    Source(
        "S1.22", "tril", lambda text: ONES.tril(), "[[1., 0., 0.], [1., 1., 0.], [1., 1., 1.]]"
    ),
    Source("S1.22", "sum of all", lambda text: ONES.tril().sum(), "6."),
    Source("S1.22", "sum with dim=0", lambda text: ONES.tril().sum(dim=0), "[3., 2., 1.]"),
    Source("S1.22", "sum with dim=1", lambda text: ONES.tril().sum(dim=1), "[1., 2., 3.]"),
    Source(
        "S1.22",
        "the same as a column",
        lambda text: ONES.tril().sum(dim=1, keepdim=True),
        "[[1.], [2.], [3.]]",
    ),
    Source(
        "S1.22",
        "normalised",
        lambda text: _shares(3),
        "1.0000 0.0000 0.0000 0.5000 0.5000 0.0000 0.3333 0.3333 0.3333",
    ),
    Source(
        "S1.23",
        "the toy's rows, seed 1337",
        lambda text: _rows(1337),
        "[[5., 7.], [2., 0.], [5., 3.]]",
    ),
    Source(
        "S1.23",
        "their means",
        lambda text: _shares(3) @ _rows(1337),
        "[[5.0000, 7.0000], [3.5000, 3.5000], [4.0000, 3.3333]]",
    ),
    Source("S1.24", "8 x 8 weights", lambda text: _shares(8), _TRIL8),
    Source("S1.25", "allclose of loop and product", product_agrees, "True", note=_T06),
    Source(
        "S1.26",
        "masked scores",
        lambda text: _masked(8),
        "0. -inf -inf -inf -inf -inf -inf -inf 0. 0. -inf",
    ),
    Source(
        "S1.26",
        "their softmax",
        lambda text: attention_weights(torch.zeros(8, 8), causal_mask(8)),
        _TRIL8,
    ),
    Source("S1.26", "allclose of loop and softmax", _softmax_agrees, "True", note=_T06),
    Source(
        "S2.1",
        "the seed",
        lambda text: torch.manual_seed(1337).initial_seed(),
        "<torch._C.Generator at 0x...>",
        why_not=(
            "the cell shows a memory address, which differs on every run (T41); ours assigns to _"
        ),
    ),
    Source("S2.2", "x[0]", lambda text: _x()[0], _X0),
    Source("S2.2", "the mean of the past", lambda text: mean_past_loop(_x())[0], _MEANS),
    Source("S2.3", "rows, seed 42", lambda text: _rows(42), "[[2., 7.], [6., 4.], [6., 5.]]"),
    Source(
        "S2.3",
        "sums of all",
        lambda text: ONES @ _rows(42),
        "[[14., 16.], [14., 16.], [14., 16.]]",
    ),
    Source(
        "S2.4",
        "running sums",
        lambda text: ONES.tril() @ _rows(42),
        "[[2., 7.], [8., 11.], [14., 16.]]",
    ),
    Source(
        "S2.5",
        "running means",
        lambda text: _shares(3) @ _rows(42),
        "[[2.0000, 7.0000], [4.0000, 5.5000], [4.6667, 5.3333]]",
    ),
    Source(
        "S2.6",
        "means of the first draw after seed 42",
        lambda text: mean_past_tril(_x(42))[0],
        """1.9269 1.4873 1.4138 -0.3091 1.1687 -0.6176 0.8657 -0.8644 0.5422 -0.3617 0.3864 -0.5354
        0.2272 -0.5388 0.1027 -0.3762""",
    ),
    Source(
        "S2.7",
        "means of the second draw",
        lambda text: mean_past_softmax(_x(42, draw=2))[0],
        """1.4451 0.8564 1.8316 0.6898 1.3366 0.3941 0.7388 0.6151 0.5566 0.5968 0.4733 0.5684
        0.4878 0.3955 0.1510 0.2522""",
    ),
]
