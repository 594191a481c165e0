"""A GPT with only attention and no MLPs, in which heads are easiest to read."""

from jaxtyping import Float
from torch import Tensor, nn

from attention.cache import Cache
from attention.checks import choose
from attention.gpt import NORMS, Config, make_attention, start_as_identity


class AttentionOnly(nn.Module):
    """A block with only attention, a norm before it and a residual path around it (Elhage et al., 2021)."""

    def __init__(self, attention: nn.Module, n_embd: int, norm: str = "rms"):
        super().__init__()
        self.attention = attention
        self.norm_1 = NORMS[choose("norm", norm, NORMS)](n_embd)

    def forward(
        self, x: Float[Tensor, "B T C"], cache: Cache | None = None
    ) -> Float[Tensor, "B T C"]:
        """The residual stream, with what the heads have added to it."""
        return x + self.attention(self.norm_1(x), cache)

    def forward_with_weights(
        self, x: Float[Tensor, "B T C"]
    ) -> tuple[Float[Tensor, "B T C"], Float[Tensor, "B H T T"]]:
        """The same output, and the weights of every head."""
        mixed, weights = self.attention.forward_with_weights(self.norm_1(x))
        return x + mixed, weights


def make_attention_only(config: Config) -> AttentionOnly:
    """A block for `GPT(config, ...)`, which adds nothing until it is trained."""
    block = AttentionOnly(make_attention(config), config.n_embd, config.norm)
    start_as_identity(block)
    return block
