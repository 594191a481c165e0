"""An induction circuit whose weights are set by hand instead of trained.

It is two layers of attention, one head each (Elhage et al., 2021; Olsson et al., 2022). The first head
writes into each position which id came before it. The second attends to the position whose previous id
is its own id, and copies the id there.
"""

from typing import NamedTuple

import torch
from torch import nn

from attention.gpt import GPT, Config
from chapters.ch14.attention_only import make_attention_only


class Channels(NamedTuple):
    """How the stream's channels are used: one channel for each id, or for each position."""

    token: slice  # the id at this position
    previous: slice  # the id before it: the first head writes it
    following: slice  # the id that comes next: the second head writes it, the lm_head reads it
    position: slice


def channels(vocab_size: int, block_size: int) -> Channels:
    """The four groups of channels in a stream of 3 * vocab_size + block_size channels."""
    ends = [0, vocab_size, 2 * vocab_size, 3 * vocab_size, 3 * vocab_size + block_size]
    return Channels(*(slice(low, high) for low, high in zip(ends, ends[1:], strict=False)))


def handcrafted_induction(vocab_size: int, block_size: int, strength: float = 12.0) -> GPT:
    """A GPT of two layers that continues a string which it has seen before.

    `strength` is the score of the key that fits; all other keys have the score 0.
    """
    if not strength > 0:
        raise ValueError(f"strength: expected a score above 0, got {strength}; 12 is sharp")
    at = channels(vocab_size, block_size)
    config = Config(
        vocab_size, block_size, n_layer=2, n_head=1, n_embd=at.position.stop,
        positions="learned", norm="none", qk_norm=False,
    )  # fmt: skip
    model = GPT(config, make_attention_only)
    for parameter in model.parameters():
        nn.init.zeros_(parameter)
    with torch.no_grad():
        model.token_embedding.weight[:, at.token] = torch.eye(vocab_size)
        model.position_embedding.weight[:, at.position] = torch.eye(block_size)
        model.lm_head.weight[:, at.following] = strength * torch.eye(vocab_size)
    set_previous_token_head(model.blocks[0].attention, at, strength)
    set_induction_head(model.blocks[1].attention, at, strength)
    return model.eval()


@torch.no_grad()
def set_previous_token_head(attention: nn.Module, at: Channels, strength: float) -> None:
    """Set weights so that position t asks for t - 1, each key shows its position, and ids are copied."""
    q, k, v = attention.qkv.weight.chunk(3)  # (C, C) each, rows are the head's channels
    n = at.position.stop - at.position.start
    asks = strength * attention.head_size**0.5  # scores are divided by the root
    q[:n, at.position] = asks * torch.eye(n).roll(-1, dims=0)  # position t asks by channel t - 1
    q[n - 1, at.position.start] = 0  # there is no position before 0
    k[:n, at.position] = torch.eye(n)
    copy(attention, v, at.token, at.previous)


@torch.no_grad()
def set_induction_head(attention: nn.Module, at: Channels, strength: float) -> None:
    """Set weights so that each position asks for its id, keys show the id before them, and ids are copied."""
    q, k, v = attention.qkv.weight.chunk(3)
    n = at.token.stop
    q[:n, at.token] = strength * attention.head_size**0.5 * torch.eye(n)
    k[:n, at.previous] = torch.eye(n)
    copy(attention, v, at.token, at.following)


def copy(attention: nn.Module, v: torch.Tensor, source: slice, target: slice) -> None:
    """Copy the source channels of the attended position into the target channels."""
    n = source.stop - source.start
    v[:n, source] = torch.eye(n)
    attention.out.weight[target, :n] = torch.eye(n)
