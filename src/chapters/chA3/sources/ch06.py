"""What the source notebooks show of chapter 06, queries keys values."""

import torch
from torch import Tensor, nn

from attention.heads import Head, attention_scores, attention_weights, scaled_dot_product_attention
from attention.masks import causal_mask
from chapters.chA3.source import Source
from chapters.chA3.sources.ch05 import WORDS

MASK = causal_mask(8)


def random_head() -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values of 4 by 8 tokens of 32 channels, 16 numbers each, seed 1337."""
    _ = torch.manual_seed(1337)
    x = torch.randn(4, 8, 32)
    key, query, value = (nn.Linear(32, 16, bias=False) for _ in range(3))
    return query(x), key(x), value(x)


def overwritten_weights() -> Tensor:
    """The weights of a head whose scores were replaced by zeros, T01."""
    return attention_weights(torch.zeros(8, 8), MASK)


def word_matrices() -> list[Tensor]:
    """Three weight matrices of uniform numbers, for queries, keys and values, seed 123."""
    _ = torch.manual_seed(123)
    return [torch.rand(3, 2) for _ in range(3)]


def word_projections() -> list[Tensor]:
    """Queries, keys and values of the six words."""
    return [WORDS @ W for W in word_matrices()]


def word_scores() -> Tensor:
    """The scores of the six words, not scaled."""
    q, k, _ = word_projections()
    return attention_scores(q, k, scale=1.0)


def word_weights() -> Tensor:
    """The attention weights of the six words."""
    q, k, _ = word_projections()
    return attention_weights(attention_scores(q, k))


def float_is_minus_inf() -> Tensor:
    """The weights of a causal head whose mask was filled with a comparison, T68."""
    q, k, _ = random_head()
    comparison = float == ("-inf")  # noqa: E721
    scores = (q @ k.mT).masked_fill(~MASK, comparison) * 16**-0.5
    return scores.softmax(dim=-1)


def _journey() -> tuple[Tensor, ...]:
    _, _, v = word_projections()
    return word_scores()[1, 1], word_scores()[1], word_weights()[1], word_weights()[1] @ v


def _by_parameters() -> Tensor:
    return scaled_dot_product_attention(*word_projections())


def transplanted() -> Head:
    """A head of `nn.Linear` layers with the matrices of the six words."""
    head = Head(3, 2)
    with torch.no_grad():
        layers = (head.query, head.key, head.value)
        for layer, W in zip(layers, word_matrices(), strict=True):
            layer.weight.copy_(W.T)
    return head


def _by_linear() -> Tensor:
    _ = torch.manual_seed(789)
    return Head(3, 2)(WORDS)


def _looked_up() -> Tensor:
    """What a very sharp query finds among three keys: one value, almost alone."""
    keys, values = torch.eye(3), torch.tensor([[10.0], [20.0], [60.0]])
    return scaled_dot_product_attention(keys[1:2], keys, values, scale=20.0)


def _what_a_word_asks_of_itself() -> tuple[Tensor, Tensor]:
    q, k, _ = word_projections()
    return q[1], k[1]


def _notes() -> str:
    """The six notes, each as a law that is tried."""
    _ = torch.manual_seed(1337)
    x, memory, order = torch.randn(2, 6, 3), torch.randn(2, 4, 3), torch.randperm(6)
    head, mask = Head(3, 2), causal_mask(6)
    other = torch.stack((x[0], x[1] + 1))
    later = torch.cat((x[:, :5], x[:, 5:] + 1), dim=1)
    laws = {
        "each output is a weighted sum: rows sum to 1": (head.weights(x).sum(-1), 1.0),
        "no notion of space: shuffled in, shuffled out": (head(x[:, order]), head(x)[:, order]),
        "sequences of a batch never talk": (head(other)[0], head(x)[0]),
        "a decoder: the last word moves no other": (
            head(later, mask=mask)[:, :5],
            head(x, mask=mask)[:, :5],
        ),
        "cross-attention: keys and values from a memory": (head.weights(x, memory).shape[-1], 4),
        "scaled: times 1 / sqrt(head size)": (
            attention_scores(x, x),
            attention_scores(x, x, scale=1.0) * 3**-0.5,
        ),
    }
    for law, (one, other) in laws.items():
        torch.testing.assert_close(
            torch.as_tensor(one), torch.as_tensor(other).expand_as(torch.as_tensor(one)), msg=law
        )
    return "\n".join(laws)


def _decoder_and_cross() -> tuple[object, ...]:
    """The share of the future in a decoder, and the shape of cross-attention's weights."""
    _ = torch.manual_seed(1337)
    head, x, memory = Head(3, 2), torch.randn(6, 3), torch.randn(4, 3)
    return head.weights(x, mask=causal_mask(6)).triu(1).sum(), head.weights(x, memory).shape


def _private_x() -> tuple[Tensor, Tensor]:
    """What journey is, and what it hands on."""
    return WORDS[1], word_projections()[2][1]


SOURCES = [
    Source(
        "S0.7",
        "one head on (4, 8, 32) with head size 16; its scores are overwritten by zeros (T01)",
        lambda text: (overwritten_weights() @ random_head()[2]).shape,
        "torch.Size([4, 8, 16])",
    ),
    Source(
        "S0.8",
        "the variance of the keys, which still has a gradient",
        lambda text: random_head()[1].var(),
        "tensor(0.3164",
    ),
    Source(
        "S0.9",
        "the variance of the overwritten weights, which has none: the symptom of T01",
        lambda text: overwritten_weights().var(),
        "tensor(0.0273)",
    ),
    Source(
        "S1.27",
        "a query is what a token looks for, a key what it contains",
        lambda text: _what_a_word_asks_of_itself(),
    ),
    Source(
        "S1.28",
        "one unscaled causal head under seed 1337: its first sequence's weights",
        lambda text: attention_weights(attention_scores(*random_head()[:2], scale=1.0), MASK)[0],
        """[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.1574, 0.8426, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.2088, 0.1646, 0.6266, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.5792, 0.1187, 0.1889, 0.1131, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.0294, 0.1052, 0.0469, 0.0276, 0.7909, 0.0000, 0.0000, 0.0000],
        [0.0176, 0.2689, 0.0215, 0.0089, 0.6812, 0.0019, 0.0000, 0.0000],
        [0.1691, 0.4066, 0.0438, 0.0416, 0.1048, 0.2012, 0.0329, 0.0000],
        [0.0210, 0.0843, 0.0555, 0.2297, 0.0573, 0.0709, 0.2423, 0.2391]""",
    ),
    Source(
        "S1.29",
        "notes: communication, no notion of space, no talk across the batch, encoder and "
        "decoder, self- and cross-attention, scaling",
        lambda text: _notes(),
    ),
    Source(
        "S2.8",
        "why queries, keys and values: x is private, v is what is handed over; a very high score "
        "makes softmax one-hot; d_k and d_v",
        lambda text: _private_x(),
    ),
    Source(
        "S3.10",
        "weight matrices under seed 123, the query of journey, the shapes of keys and values",
        lambda text: (word_projections()[0][1], *(x.shape for x in word_projections()[1:])),
        "0.4306, 1.4551 torch.Size([6, 2]) torch.Size([6, 2])",
    ),
    Source(
        "S3.11",
        "one score, all scores of journey, its weights, its context vector",
        lambda text: _journey(),
        "1.8524 1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440 "
        "0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820 0.3061, 0.8210",
    ),
    Source(
        "S3.12", "queries, keys and values as a search in a database", lambda text: _looked_up()
    ),
    Source(
        "S3.13",
        "a module with three Parameters, seed 123",
        lambda text: _by_parameters(),
        """[0.2996, 0.8053], [0.3061, 0.8210], [0.3058, 0.8203],
        [0.2948, 0.7939], [0.2927, 0.7891], [0.2990, 0.8040]""",
    ),
    Source(
        "S3.14",
        "a module with three Linear layers, seed 789",
        lambda text: _by_linear(),
        """[-0.0739,  0.0713], [-0.0748,  0.0703], [-0.0749,  0.0702],
        [-0.0760,  0.0685], [-0.0763,  0.0679], [-0.0754,  0.0693]""",
    ),
    Source(
        "S3.15",
        "the Parameters transplanted into the Linear layers: the same output",
        lambda text: transplanted()(WORDS),
        """[0.2996, 0.8053], [0.3061, 0.8210], [0.3058, 0.8203],
        [0.2948, 0.7939], [0.2927, 0.7891], [0.2990, 0.8040]""",
    ),
    Source(
        "S3.16",
        "the attention weights of the module with the transplanted weights",
        lambda text: transplanted().weights(WORDS),
        """[0.1551, 0.2104, 0.2059, 0.1413, 0.1074, 0.1799],
        [0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820],
        [0.1503, 0.2256, 0.2192, 0.1315, 0.0914, 0.1819],
        [0.1591, 0.1994, 0.1962, 0.1477, 0.1206, 0.1769],
        [0.1610, 0.1949, 0.1923, 0.1501, 0.1265, 0.1752],
        [0.1557, 0.2092, 0.2048, 0.1419, 0.1089, 0.1794]""",
    ),
    Source(
        "S4.1",
        "a decoder because of its mask; self-attention against cross-attention",
        lambda text: _decoder_and_cross(),
    ),
    Source(
        "S4.2",
        "a head with a value size of its own, checked by its shapes alone; its last line, which "
        "would have shown the weights, is commented out",
        lambda text: ((float_is_minus_inf() @ random_head()[2]).shape, float_is_minus_inf()[0, 0]),
    ),
]
