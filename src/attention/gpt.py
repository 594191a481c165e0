"""A GPT in one file: its configuration, attention, MLP, block and model (Radford et al., 2019).

Characters in, logits for the next one out. A block is x + attention(norm(x)), then x + mlp(norm(x))
(Xiong et al., 2020, figure 1b). `forward` is quick; `forward_with_weights` returns the same output
and the attention weights of every head.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from attention.cache import Cache
from attention.checks import check_divides, check_dropout, check_length, choose
from attention.heads import attention_scores
from attention.masks import causal_mask
from attention.multi_head import merge_heads, split_heads
from attention.positions import POSITIONS, alibi_bias, rotary_angles, rotate, sinusoidal

Stream = Float[Tensor, "B T C"]  # the residual stream: a vector for each position
Weights = Float[Tensor, "B H T T"]  # attention weights: of each head, queries by keys
Ids, Logits = Int[Tensor, "B T"], Float[Tensor, "B T V"]


def relu2(x: Float[Tensor, "*B"]) -> Float[Tensor, "*B"]:
    """max(x, 0) squared (So et al., 2021)."""
    return F.relu(x).square()


ACTIVATIONS = {"relu2": relu2, "gelu": partial(F.gelu, approximate="tanh"), "relu": F.relu}
NORMS = {"rms": nn.RMSNorm, "layer": nn.LayerNorm, "none": nn.Identity}
CHOICES = {"positions": POSITIONS, "norm": NORMS, "activation": ACTIVATIONS}


@dataclass(frozen=True)
class Config:
    """A GPT's design; `benchmarks/gpt_loss.py` found none better by 0.02 in two minutes of CPU."""

    vocab_size: int
    block_size: int
    n_layer: int = 3
    n_head: int = 4
    n_embd: int = 96
    n_kv_head: int | None = None  # None: as many as n_head
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
        for name, among in CHOICES.items():
            choose(name, getattr(self, name), among)


class CausalSelfAttention(nn.Module):
    """Causal multi-head attention; `n_kv_head` heads of keys and values serve `n_head` of queries.

    Several query heads may share a head of keys and values (Shazeer, 2019; Ainslie et al., 2023), and
    queries and keys may be normalised (Henry et al., 2020). Of the positions of a `Config`, "rotary"
    and "alibi" act in here. Set `rotary_base` and `rotary_stretch` on a trained module to read
    further than it was trained.
    """

    def __init__(
        self,
        n_embd: int,
        n_head: int,
        n_kv_head: int | None = None,
        *,
        positions: str = "none",
        qk_norm: bool = False,
        bias: bool = False,
        dropout: float = 0.0,
    ):
        super().__init__()
        n_kv_head = n_head if n_kv_head is None else n_kv_head
        check_divides("n_head", n_head, "n_embd", n_embd)
        check_divides("n_kv_head", n_kv_head, "n_head", n_head)
        self.n_head, self.n_kv_head, self.head_size = n_head, n_kv_head, n_embd // n_head
        self.positions, self.qk_norm = choose("positions", positions, POSITIONS), qk_norm
        self.rotary_base, self.rotary_stretch = 10_000.0, 1.0
        if positions == "rotary":
            rotary_angles(torch.arange(1), self.head_size)  # refuses an odd head size
        self.qkv = nn.Linear(n_embd, (n_head + 2 * n_kv_head) * self.head_size, bias=bias)
        self.out = nn.Linear(n_embd, n_embd, bias=bias)
        self.dropout = nn.Dropout(check_dropout(dropout))

    def project(
        self, x: Stream, start: int = 0
    ) -> tuple[Float[Tensor, "B H T D"], Float[Tensor, "B Hkv T D"], Float[Tensor, "B Hkv T D"]]:
        """The queries, keys and values of tokens at the positions `start`, `start` + 1, ..."""
        heads = (self.n_head, self.n_kv_head, self.n_kv_head)
        parts = self.qkv(x).split([n * self.head_size for n in heads], dim=-1)
        q, k, v = (split_heads(part, n) for part, n in zip(parts, heads, strict=True))
        if self.qk_norm:
            q, k = F.rms_norm(q, (self.head_size,)), F.rms_norm(k, (self.head_size,))
        if self.positions == "rotary":
            where = torch.arange(start, start + x.shape[1], device=x.device)
            angles = rotary_angles(where / self.rotary_stretch, self.head_size, self.rotary_base)
            q, k = rotate(q, angles), rotate(k, angles)
        return q, k, v

    def attention_bias(self, n_queries: int, n_keys: int, x: Tensor) -> Float[Tensor, "#H Tq Tk"]:
        """The numbers added to the scores: -inf for the future, and ALiBi's penalties."""
        bias = x.new_zeros(1, n_queries, n_keys)
        if self.positions == "alibi":
            bias = alibi_bias(self.n_head, n_queries, n_keys).to(x)
        return bias.masked_fill(~causal_mask(n_keys, n_queries).to(x.device), float("-inf"))

    def forward(self, x: Stream, cache: Cache | None = None) -> Stream:
        """For each position a weighted mean of its past, in the cache as well if there is one."""
        q, k, v = self.project(x, 0 if cache is None else cache.seen)
        if cache is not None:
            k, v = cache.append(k, v)
        plain = self.positions != "alibi" and q.shape[2] == k.shape[2]  # only the causal mask
        bias = None if plain else self.attention_bias(q.shape[2], k.shape[2], x)
        dropout = self.dropout.p if self.training else 0.0  # the function has no train mode
        shared = self.n_kv_head != self.n_head
        mixed = F.scaled_dot_product_attention(q, k, v, bias, dropout, plain, enable_gqa=shared)
        return self.out(merge_heads(mixed))  # (B, H, T, D) -> (B, T, C)

    def forward_with_weights(self, x: Stream) -> tuple[Stream, Weights]:
        """The output as `forward` gives it, and the weights of every head before dropout."""
        q, k, v = self.project(x)
        k, v = (part.repeat_interleave(self.n_head // self.n_kv_head, dim=1) for part in (k, v))
        scores = attention_scores(q, k) + self.attention_bias(x.shape[1], x.shape[1], x)
        weights = scores.softmax(dim=-1)  # (B, H, T, T)
        return self.out(merge_heads(self.dropout(weights) @ v)), weights


class MLP(nn.Module):
    """Two Linears with an activation between them, four times as wide inside, token by token."""

    def __init__(
        self, n_embd: int, activation: str = "relu2", bias: bool = False, dropout: float = 0.0
    ):
        super().__init__()
        self.activation = ACTIVATIONS[choose("activation", activation, ACTIVATIONS)]
        self.hidden = nn.Linear(n_embd, 4 * n_embd, bias=bias)
        self.out = nn.Linear(4 * n_embd, n_embd, bias=bias)
        self.dropout = nn.Dropout(check_dropout(dropout))

    def forward(self, x: Float[Tensor, "*B C"]) -> Float[Tensor, "*B C"]:
        """A function of each token's vector alone."""
        return self.dropout(self.out(self.activation(self.hidden(x))))


class Block(nn.Module):
    """Attention, then an MLP, each with a norm before it; both are added to the residual stream."""

    def __init__(self, attention: nn.Module, mlp: nn.Module, n_embd: int, norm: str = "rms"):
        super().__init__()
        make = NORMS[choose("norm", norm, NORMS)]
        self.attention, self.mlp = attention, mlp
        self.norm_1, self.norm_2 = make(n_embd), make(n_embd)

    def forward(self, x: Stream, cache: Cache | None = None) -> Stream:
        """The residual stream, with what both have added to it."""
        x = x + self.attention(self.norm_1(x), cache)
        return x + self.mlp(self.norm_2(x))

    def forward_with_weights(self, x: Stream) -> tuple[Stream, Weights]:
        """The output as `forward` gives it, and the weights of every head."""
        mixed, weights = self.attention.forward_with_weights(self.norm_1(x))
        x = x + mixed
        return x + self.mlp(self.norm_2(x)), weights


@torch.no_grad()
def start_as_identity(block: nn.Module) -> None:
    """Zero every output projection, so that the block adds nothing before training."""
    for name, parameter in block.named_parameters():
        if ".out." in name:
            parameter.zero_()


def make_attention(config: Config) -> CausalSelfAttention:
    """Build the attention of this configuration."""
    names = ("n_embd", "n_head", "n_kv_head", "positions", "qk_norm", "bias", "dropout")
    return CausalSelfAttention(**{name: getattr(config, name) for name in names})


def make_block(config: Config) -> Block:
    """Build a block of this configuration, which adds nothing before it is trained."""
    attention = make_attention(config)
    mlp = MLP(config.n_embd, config.activation, config.bias, config.dropout)
    block = Block(attention, mlp, config.n_embd, config.norm)
    start_as_identity(block)
    return block


class GPT(nn.Module):
    """Embeddings, blocks, each made by `block`, a last norm, and a Linear that gives logits."""

    def __init__(self, config: Config, block: Callable[[Config], nn.Module] = make_block):
        super().__init__()
        self.config = config
        self.token_embedding = nn.Embedding(config.vocab_size, config.n_embd)
        if config.positions == "learned":
            self.position_embedding = nn.Embedding(config.block_size, config.n_embd)
        self.blocks = nn.ModuleList(block(config) for _ in range(config.n_layer))
        self.final_norm = NORMS[config.norm](config.n_embd)
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        if config.tied:
            nn.init.normal_(
                self.token_embedding.weight, std=0.02
            )  # as logits, ones would be far too sure
            self.lm_head.weight = self.token_embedding.weight

    def embed(self, ids: Ids, start: int = 0) -> Stream:
        """The vectors of the ids, plus those of their positions if these are added.

        Only a learned table ends, at `block_size`; the other positions go on, for better or worse.
        """
        x, end = self.token_embedding(ids), start + ids.shape[1]
        if self.config.positions == "learned":
            check_length("ids", end, self.config.block_size)
            return x + self.position_embedding.weight[start:end]
        if self.config.positions == "sinusoidal":
            return x + sinusoidal(end, self.config.n_embd)[start:].to(ids.device)
        return x

    def forward(self, ids: Ids, caches: Sequence[Cache] | None = None) -> Logits:
        """The logits of the next id at each position.

        With caches, one for each block, ids are only the new ones; the caches hold the others.
        """
        x = self.embed(ids, caches[0].seen if caches else 0)
        for i, block in enumerate(self.blocks):
            x = block(x, caches[i] if caches else None)
        return self.lm_head(self.final_norm(x))

    @torch.no_grad()
    def forward_with_weights(self, ids: Ids) -> tuple[Logits, Float[Tensor, "L B H T T"]]:
        """The logits as `forward` gives them, and the weights of every head of every block."""
        x, weights = self.embed(ids), []
        for block in self.blocks:
            x, heads = block.forward_with_weights(x)
            weights.append(heads)
        return self.lm_head(self.final_norm(x)), torch.stack(weights)
