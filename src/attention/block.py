"""A block: attention, then a perceptron, each with a normalisation before it and a way around it.

x + attention(norm(x)), then x + perceptron(norm(x)) (Xiong et al., 2020, figure 1b).
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from attention.cache import Cache
from attention.causal import check_dropout, choose


def relu2(x: Float[Tensor, "*B"]) -> Float[Tensor, "*B"]:
    """max(x, 0) squared (So et al., 2021)."""
    return F.relu(x).square()


def gelu(x: Float[Tensor, "*B"]) -> Float[Tensor, "*B"]:
    """x times the share of a normal distribution below x, by GPT-2's formula (Hendrycks, 2016)."""
    return F.gelu(x, approximate="tanh")


ACTIVATIONS = {"relu2": relu2, "gelu": gelu, "relu": F.relu}
NORMS = {"rms": nn.RMSNorm, "layer": nn.LayerNorm, "none": nn.Identity}


class Perceptron(nn.Module):
    """Two Linears with an activation between them, four times as wide inside, word by word."""

    def __init__(
        self, n_embd: int, activation: str = "relu2", bias: bool = False, dropout: float = 0.0
    ):
        super().__init__()
        self.activation = ACTIVATIONS[choose("activation", activation, ACTIVATIONS)]
        self.wide = nn.Linear(n_embd, 4 * n_embd, bias=bias)
        self.out = nn.Linear(4 * n_embd, n_embd, bias=bias)
        self.dropout = nn.Dropout(check_dropout(dropout))

    def forward(self, x: Float[Tensor, "*B C"]) -> Float[Tensor, "*B C"]:
        """What each word makes of what it has heard."""
        return self.dropout(self.out(self.activation(self.wide(x))))


class Block(nn.Module):
    """Words hear each other, then each thinks alone; both are added to what was there.

    `attention` and `perceptron` are the modules to use; both know their width.
    """

    def __init__(
        self, attention: nn.Module, perceptron: nn.Module, n_embd: int, norm: str = "rms"
    ):
        super().__init__()
        make = NORMS[choose("norm", norm, NORMS)]
        self.attention, self.perceptron = attention, perceptron
        self.before_attention, self.before_perceptron = make(n_embd), make(n_embd)

    def forward(
        self, x: Float[Tensor, "B T C"], cache: Cache | None = None
    ) -> Float[Tensor, "B T C"]:
        """The residual stream, with what both have added to it."""
        x = x + self.attention(self.before_attention(x), cache)
        return x + self.perceptron(self.before_perceptron(x))

    def explain(
        self, x: Float[Tensor, "B T C"]
    ) -> tuple[Float[Tensor, "B T C"], Float[Tensor, "B H T T"]]:
        """The same, and the weights of every head."""
        heard, weights = self.attention.explain(self.before_attention(x))
        x = x + heard
        return x + self.perceptron(self.before_perceptron(x)), weights


class AttentionOnly(nn.Module):
    """A block without a perceptron: words hear each other, and that is all (Elhage et al., 2021)."""

    def __init__(self, attention: nn.Module, n_embd: int, norm: str = "rms"):
        super().__init__()
        self.attention = attention
        self.before_attention = NORMS[choose("norm", norm, NORMS)](n_embd)

    def forward(
        self, x: Float[Tensor, "B T C"], cache: Cache | None = None
    ) -> Float[Tensor, "B T C"]:
        """The residual stream, with what the heads have added to it."""
        return x + self.attention(self.before_attention(x), cache)

    def explain(
        self, x: Float[Tensor, "B T C"]
    ) -> tuple[Float[Tensor, "B T C"], Float[Tensor, "B H T T"]]:
        """The same, and the weights of every head."""
        heard, weights = self.attention.explain(self.before_attention(x))
        return x + heard, weights


@torch.no_grad()
def start_as_identity(block: Block | AttentionOnly) -> None:
    """Zero every output projection, so that the block adds nothing before training."""
    parts = [block.attention, getattr(block, "perceptron", None)]
    for layer in [part.out for part in parts if part is not None]:
        layer.weight.zero_()
        if layer.bias is not None:
            layer.bias.zero_()
