"""A small GPT: characters in, logits for the next one out, with blocks between."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attention.block import (
    ACTIVATIONS,
    NORMS,
    AttentionOnly,
    Block,
    Perceptron,
    start_as_identity,
)
from attention.cache import Cache
from attention.causal import choose
from attention.positions import POSITIONS, sinusoidal
from attention.self_attention import CausalSelfAttention


@dataclass(frozen=True)
class Config:
    """The sizes and choices of a GPT. What stands here unsaid did best in our benchmark."""

    vocab_size: int
    block_size: int
    n_layer: int = 3
    n_head: int = 4
    n_embd: int = 96
    n_kv_head: int | None = None
    positions: str = "rotary"
    norm: str = "rms"
    activation: str = "relu2"
    qk_norm: bool = True
    bias: bool = False
    tied: bool = False  # one table for the characters that come in and those that go out
    dropout: float = 0.0

    def __post_init__(self):
        for name in ("vocab_size", "block_size", "n_layer"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}: expected 1 or more, got {getattr(self, name)}")
        choose("positions", self.positions, POSITIONS)
        choose("norm", self.norm, NORMS)
        choose("activation", self.activation, ACTIVATIONS)


def make_attention(config: Config) -> CausalSelfAttention:
    """The attention of these sizes and choices."""
    return CausalSelfAttention(
        config.n_embd,
        config.n_head,
        config.n_kv_head,
        positions=config.positions,
        qk_norm=config.qk_norm,
        bias=config.bias,
        dropout=config.dropout,
    )


def make_block(config: Config) -> Block:
    """The block of these sizes, which adds nothing before it is trained."""
    attention = make_attention(config)
    perceptron = Perceptron(config.n_embd, config.activation, config.bias, config.dropout)
    block = Block(attention, perceptron, config.n_embd, config.norm)
    start_as_identity(block)
    return block


def make_attention_only(config: Config) -> AttentionOnly:
    """The same without a perceptron."""
    block = AttentionOnly(make_attention(config), config.n_embd, config.norm)
    start_as_identity(block)
    return block


class GPT(nn.Module):
    """Embeddings, blocks, a last normalisation, and logits (Radford et al., 2019).

    `block` makes each of the blocks: give another to see what a part was good for.
    """

    def __init__(self, config: Config, block: Callable[[Config], nn.Module] = make_block):
        super().__init__()
        self.config = config
        self.token = nn.Embedding(config.vocab_size, config.n_embd)
        if config.positions == "learned":
            self.position = nn.Embedding(config.block_size, config.n_embd)
        self.blocks = nn.ModuleList(block(config) for _ in range(config.n_layer))
        self.norm = NORMS[config.norm](config.n_embd)
        self.logits = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        if config.tied:
            nn.init.normal_(self.token.weight, std=0.02)  # as logits, ones would be far too sure
            self.logits.weight = self.token.weight

    def embed(self, ids: Int[Tensor, "B T"], start: int = 0) -> Float[Tensor, "B T C"]:
        """The characters' vectors, with those of their positions if these are added.

        Only a learned table ends, at `block_size`; the other positions go on, for better or worse.
        """
        end, block_size = start + ids.shape[1], self.config.block_size
        if self.config.positions == "learned":
            if end > block_size:
                raise ValueError(
                    f"ids: expected at most {block_size} positions (the block size), got {end}; "
                    f"keep the last ones, ids[:, -{block_size}:]"
                )
            return self.token(ids) + self.position.weight[start:end]
        if self.config.positions == "sinusoidal":
            return self.token(ids) + sinusoidal(end, self.config.n_embd)[start:].to(ids.device)
        return self.token(ids)

    def forward(
        self, ids: Int[Tensor, "B T"], caches: Sequence[Cache] | None = None
    ) -> Float[Tensor, "B T V"]:
        """The logits of the next character at each position.

        With caches, one for each block, ids are the new ones alone; the caches hold the others.
        """
        x = self.embed(ids, caches[0].seen if caches else 0)
        for i, block in enumerate(self.blocks):
            x = block(x, caches[i] if caches else None)
        return self.logits(self.norm(x))

    @torch.no_grad()
    def explain(
        self, ids: Int[Tensor, "B T"]
    ) -> tuple[Float[Tensor, "B T V"], Float[Tensor, "L B H T T"]]:
        """The logits as `forward` gives them, and the weights of every head of every block."""
        x, weights = self.embed(ids), []
        for block in self.blocks:
            x, heads = block.explain(x)
            weights.append(heads)
        return self.logits(self.norm(x)), torch.stack(weights)
