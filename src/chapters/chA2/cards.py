"""Shape cards: for each chapter, the tensors that its code makes, with the letters of their axes.

A card runs the package with sizes that all differ, so that a letter in the wrong place would show.
"""

import html
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from attention import multi_head
from attention.averaging import mean_past_tril
from attention.batches import get_batch, split
from attention.bigram import BigramLanguageModel, bigram_counts
from attention.cache import Cache
from attention.causal import CausalAttention
from attention.gpt import GPT, MLP, Block, CausalSelfAttention, Config
from attention.heads import Head, attention_scores, attention_weights
from attention.masks import causal_mask, padding_mask
from attention.positions import alibi_bias, rotary_angles, rotate, sinusoidal
from attention.tokenizers import CharTokenizer
from attention.training import cross_entropy, token_losses
from chapters.ch14.patterns import previous_token_score, received, sink_score
from course.learn.html import table

AXES = {
    "B": 2,
    "T": 5,
    "C": 12,
    "H": 3,
    "D": 4,
    "V": 7,
    "Tk": 8,
    "Dv": 6,
    "N": 40,
    "Hkv": 1,
    "D/2": 2,
    "4C": 48,
    "L": 9,
}
LETTERS = {
    "B": "sequences in a batch", "T": "positions", "C": "channels", "H": "heads", "D": "head size",
    "V": "vocabulary", "Tk": "positions looked at, where they are others", "Dv": "value size",
    "N": "all tokens of a text", "Hkv": "heads of keys and values, where they are fewer",
    "D/2": "pairs of channels", "4C": "the MLP's width",
    "L": "layers",
}  # fmt: skip
Row = tuple[str, Tensor, str, str]  # a name, what it is, the letters of its axes, what it means
B, T, C, H, D, V = (AXES[letter] for letter in "BTCHDV")


def _x() -> Tensor:
    return torch.randn(B, T, C)


def _ids() -> Tensor:
    return torch.randint(V, (B, T))


def _arrays() -> Iterator[Row]:
    x = _x()
    yield "x", x, "B T C", "a batch: for each sequence, a row of channels for each position"
    yield "x[0]", x[0], "T C", "an index takes an axis away"
    yield "x.mean(dim=1)", x.mean(dim=1), "B C", "dim names the axis that disappears"
    yield (
        "x.mean(dim=1, keepdim=True) + x",
        x.mean(dim=1, keepdim=True) + x,
        "B T C",
        "an axis of 1 is stretched",
    )
    yield (
        "x @ w",
        x @ torch.randn(C, D),
        "B T D",
        "the last two axes are multiplied, the first stays",
    )
    yield "x.transpose(-2, -1)", x.transpose(-2, -1), "B C T", "two axes change places"


def _text() -> Iterator[Row]:
    text = "abcdefg" * 5 + "gfedc"
    ids = torch.tensor(CharTokenizer(text).encode(text))
    yield "torch.tensor(encode(text))", ids, "N", "a number for each character of the text"


def _batches() -> Iterator[Row]:
    ids = torch.arange(AXES["N"])
    x, y = get_batch(split(ids)[0], B, T, torch.Generator().manual_seed(1337))
    yield "ids", ids, "N", "the whole text"
    yield "x", x, "B T", "blocks of it, each from a random start"
    yield "y", y, "B T", "the targets, one place further on"


def _bigram() -> Iterator[Row]:
    model, ids = BigramLanguageModel(V), _ids()
    logits = model(ids)
    yield (
        "counts",
        bigram_counts(torch.arange(AXES["N"]) % V, V),
        "V V",
        "how often a character follows another",
    )
    yield "model.table.weight", model.table.weight, "V V", "row i: how well each would follow i"
    yield "logits", logits, "B T V", "at each position, scores of what comes next"
    yield (
        "logits.view(B * T, V).softmax(-1)[0]",
        logits.view(B * T, V).softmax(-1)[0],
        "V",
        "the shares of one position; they sum to 1",
    )
    yield "token_losses(logits, y)", token_losses(logits, ids), "B T", "what each guess costs, in nats"
    yield "loss", cross_entropy(logits, ids), "", "their mean, one number"


def _averages() -> Iterator[Row]:
    weights = causal_mask(T) / causal_mask(T).sum(dim=1, keepdim=True)
    yield "weights", weights, "T T", "row t: with which shares position t looks at each"
    yield "x", _x(), "B T C", "what is averaged"
    yield (
        "weights @ x",
        mean_past_tril(_x()),
        "B T C",
        "one matrix for every sequence: the mean of the past",
    )


def _without_matrices() -> Iterator[Row]:
    x = _x()[0]
    scores = attention_scores(x, x, scale=1.0)
    yield "x", x, "T C", "one sentence, without a batch"
    yield "scores[1]", scores[1], "T", "one query's score with every word"
    yield "scores", scores, "T T", "every query (row) with every key (column)"
    yield "weights", attention_weights(scores), "T T", "softmax of each row"
    yield "weights @ x", attention_weights(scores) @ x, "T C", "a context vector for each word"


def _projections() -> Iterator[Row]:
    x, memory = _x(), torch.randn(B, AXES["Tk"], C)
    head = Head(C, D, value_size=AXES["Dv"])
    q, k, v = head.project(x, memory)
    yield "head.query.weight", head.query.weight, "D C", "nn.Linear keeps its matrix transposed"
    yield "q", q, "B T D", "what each position asks for"
    yield "k", k, "B Tk D", "what each position that is looked at shows"
    yield "v", v, "B Tk Dv", "what it hands on; its size is free"
    yield "scores", attention_scores(q, k), "B T Tk", "a row for each query, a column for each key"
    yield "out", head(x, memory), "B T Dv", "a mix of values for each query"


def _scales() -> Iterator[Row]:
    q, k = torch.randn(2, B, T, D)
    scores = attention_scores(q, k)
    yield "q, and k", q, "B T D", "D products make one score"
    yield "scores", scores, "B T T", "times 1 / √D, so their variance is about 1"
    yield "scores.var()", scores.var(), "", "one number"
    row = scores[0, 0].softmax(-1)
    jacobian = torch.diag(row) - row[:, None] * row
    yield "jacobian", jacobian, "T T", "how each weight of one row moves with each of its scores"


def _masks() -> Iterator[Row]:
    mask = causal_mask(T)
    scores = torch.randn(B, T, T)
    yield "mask", mask, "T T", "True where a query (row) may look at a key (column)"
    yield (
        "scores.masked_fill(~mask, -inf)",
        scores.masked_fill(~mask, float("-inf")),
        "B T T",
        "one mask for every sequence",
    )
    yield "weights", attention_weights(scores, mask), "B T T", "0 above the diagonal"
    yield (
        "mask & padding",
        mask & padding_mask(torch.tensor([5, 3]), T),
        "B T T",
        "with padding, each sequence has a mask of its own",
    )


def _module() -> Iterator[Row]:
    module = CausalAttention(C, D, block_size=AXES["Tk"])
    yield (
        "module.mask",
        module.mask,
        "Tk Tk",
        "for the longest block; cut to (T, T) when it is used",
    )
    yield "module.weights(x)", module.weights(_x()), "B T T", "before dropout"
    yield "module(x)", module(_x()), "B T D", "one head's output"


def _heads() -> Iterator[Row]:
    layer, x = multi_head.MultiHeadAttention(C, H, block_size=T), _x()
    q, k, v = (multi_head.split_heads(part, H) for part in layer.qkv(x).chunk(3, dim=-1))
    weights = attention_weights(attention_scores(q, k), causal_mask(T))
    yield (
        "layer.qkv(x).chunk(3, -1)[0]",
        layer.qkv(x).chunk(3, dim=-1)[0],
        "B T C",
        "queries of all heads, side by side: C = H · D",
    )
    yield "split_heads(q, H)", q, "B H T D", "cut, and the heads' axis brought forward"
    yield "weights", weights, "B H T T", "each head has rows of its own"
    yield "weights @ v", weights @ v, "B H T D", "each head's mix"
    yield (
        "merge_heads(...)",
        multi_head.merge_heads(weights @ v),
        "B T C",
        "back in place, side by side",
    )
    yield "layer(x)", layer(x), "B T C", "after the output projection"


def _places() -> Iterator[Row]:
    q, angles = torch.randn(B, H, T, D), rotary_angles(torch.arange(T), D)
    yield "sinusoidal(T, C)", sinusoidal(T, C), "T C", "a row for each position, added to x"
    yield "angles", angles, "T D/2", "one turn for each position and pair of channels"
    yield (
        "rotate(q, angles)",
        rotate(q, angles),
        "B H T D",
        "queries (and keys) turned; values never",
    )
    yield (
        "alibi_bias(H, T, T)",
        alibi_bias(H, T, T),
        "H T T",
        "what each head takes off the scores",
    )


def _blocks() -> Iterator[Row]:
    attention = CausalSelfAttention(C, H)
    mlp = MLP(C)
    block = Block(attention, mlp, C, "rms")
    x = _x()
    yield "x", x, "B T C", "the stream: what every layer adds to"
    yield "attention(norm(x))", attention(F.rms_norm(x, (C,))), "B T C", "what attention adds"
    yield "mlp.hidden(x)", mlp.hidden(x), "B T 4C", "wider, for each position alone"
    yield "block(x)", block(x), "B T C", "the stream again: as many blocks as you like"


def _gpt() -> Iterator[Row]:
    model, ids = GPT(Config(V, T, n_layer=2, n_head=H, n_embd=C)), _ids()
    yield "ids", ids, "B T", "characters"
    yield "model.token_embedding(ids)", model.token_embedding(ids), "B T C", "a vector for each"
    yield "model.blocks[0](x)", model.blocks[0](model.embed(ids)), "B T C", "after a block"
    yield "model(ids)", model(ids), "B T V", "logits of the next character at each position"
    yield (
        "model(ids)[:, -1]",
        model(ids)[:, -1],
        "B V",
        "logits of the last position alone: the next character is drawn from their softmax",
    )


def _maps() -> Iterator[Row]:
    model = GPT(Config(V, 2 * T, n_layer=AXES["L"], n_head=H, n_embd=C))
    logits, maps = model.forward_with_weights(_ids())
    yield "logits", logits, "B T V", "what the model guesses, beside the maps"
    yield "maps", maps, "L B H T T", "the weights of every head of every layer"
    yield "maps[0, 0, 0]", maps[0, 0, 0], "T T", "one map: a layer, a text, a head"
    yield (
        "previous_token_score(maps)",
        previous_token_score(maps),
        "L B H",
        "a number for each map",
    )
    yield "sink_score(maps)", sink_score(maps), "L B H", "the share of the first column"
    yield "received(maps)", received(maps), "L B H T", "what each column gets"


def _clinic() -> Iterator[Row]:
    x, texts = _x(), torch.tensor([[0, 0, 1, 1, 1], [0, 1, 1, 2, 2]])
    yield "x", x, "B T C", "packed rows"
    yield "texts", texts, "B T", "to which text each place belongs"
    yield (
        "forward(x, texts)",
        CausalSelfAttention(C, H)(x),
        "B T C",
        "right or wrong, it has this shape",
    )


def _fast() -> Iterator[Row]:
    layer, cache = CausalSelfAttention(C, H, n_kv_head=AXES["Hkv"]), Cache(AXES["Tk"])
    q, k, _ = layer.project(_x())
    _ = layer(_x(), cache)
    new = layer(torch.randn(B, 1, C), cache)
    yield "q", q, "B H T D", "queries of every head"
    yield "k", k, "B Hkv T D", "fewer keys: one for all heads here"
    yield "cache.k", cache.k, "B Hkv Tk D", "keys that are kept, with room for what comes"
    yield (
        "attention(x, cache)[:, -1]",
        new[:, -1],
        "B C",
        "with a cache a step has one new position",
    )
    scores = q @ k.mT
    yield "q @ k.mT", scores, "B H T T", "one head of keys serves all queries"
    yield (
        "(q @ k.mT).logsumexp(-1)",
        scores.logsumexp(dim=-1),
        "B H T",
        "what an online softmax keeps of a row",
    )


CARDS: dict[str, Callable[[], Iterator[Row]]] = {
    "00": _arrays, "01": _text, "02": _batches, "03": _bigram, "04": _averages, "05": _without_matrices,
    "06": _projections, "07": _scales, "08": _masks, "09": _module, "10": _heads, "11": _places,
    "12": _blocks, "13": _gpt, "14": _maps, "15": _fast, "16": _clinic,
}  # fmt: skip


@dataclass(frozen=True)
class Card:
    """The shapes of one chapter."""

    rows: tuple[Row, ...]

    def __repr__(self) -> str:
        return "\n".join(
            f"{name:<36} {axes_of(axes):<15} {tuple(tensor.shape)!s:<15} {means}"
            for name, tensor, axes, means in self.rows
        )

    def _repr_html_(self) -> str:
        rows = (
            (f"<code>{html.escape(name)}</code>", axes_of(axes), f"{tuple(tensor.shape)}", html.escape(means))
            for name, tensor, axes, means in self.rows
        )  # fmt: skip
        return table(("what", "axes", "shape", "meaning"), rows)


def axes_of(letters: str) -> str:
    """Letters as a shape is written: `B T C` is (B, T, C), one letter is (T,), none ()."""
    parts = letters.split()
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def card(chapter: str) -> Card:
    """The card of a chapter, made by running its code. Raises ValueError for another chapter."""
    if chapter not in CARDS:
        raise ValueError(f"chapter: expected one of {', '.join(CARDS)}, got {chapter!r}")
    _ = torch.manual_seed(1337)
    return Card(tuple(CARDS[chapter]()))


def letters() -> str:
    """What each letter means, and its size on the cards."""
    return "\n".join(f"{a:<4} {size:>2}  {LETTERS[a]}" for a, size in AXES.items())
