"""What the source notebooks show of chapter 08, causal masking."""

from torch import Tensor

from attention.heads import attention_weights
from attention.masks import causal_mask
from chapters.chA3.source import Source
from chapters.chA3.sources.ch06 import word_scores, word_weights

MASK = causal_mask(6)


def _kept() -> Tensor:
    return word_weights() * MASK


SOURCES = [
    Source(
        "S3.17",
        "the mask of ones and zeros",
        lambda text: MASK.float(),
        """tensor([[1., 0., 0., 0., 0., 0.],
        [1., 1., 0., 0., 0., 0.],
        [1., 1., 1., 0., 0., 0.],
        [1., 1., 1., 1., 0., 0.],
        [1., 1., 1., 1., 1., 0.],
        [1., 1., 1., 1., 1., 1.]])""",
    ),
    Source(
        "S3.17",
        "weights times mask",
        lambda text: _kept(),
        """tensor([[0.1551, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.1500, 0.2264, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.1503, 0.2256, 0.2192, 0.0000, 0.0000, 0.0000],
        [0.1591, 0.1994, 0.1962, 0.1477, 0.0000, 0.0000],
        [0.1610, 0.1949, 0.1923, 0.1501, 0.1265, 0.0000],
        [0.1557, 0.2092, 0.2048, 0.1419, 0.1089, 0.1794]])""",
    ),
    Source(
        "S3.17",
        "their row sums",
        lambda text: _kept().sum(dim=-1, keepdim=True),
        "tensor([[0.1551], [0.3764], [0.5952], [0.7024], [0.8248], [1.0000]])",
    ),
    Source(
        "S3.17",
        "renormalised",
        lambda text: _kept() / _kept().sum(dim=-1, keepdim=True),
        """tensor([[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.3986, 0.6014, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.2526, 0.3791, 0.3683, 0.0000, 0.0000, 0.0000],
        [0.2265, 0.2839, 0.2794, 0.2103, 0.0000, 0.0000],
        [0.1952, 0.2363, 0.2331, 0.1820, 0.1534, 0.0000],
        [0.1557, 0.2092, 0.2048, 0.1419, 0.1089, 0.1794]])""",
    ),
    Source(
        "S3.18",
        "scores with -inf above the diagonal",
        lambda text: word_scores().masked_fill(~MASK, float("-inf")),
        """tensor([[0.9231,   -inf,   -inf,   -inf,   -inf,   -inf],
        [1.2705, 1.8524,   -inf,   -inf,   -inf,   -inf],
        [1.2544, 1.8284, 1.7877,   -inf,   -inf,   -inf],
        [0.6973, 1.0167, 0.9941, 0.5925,   -inf,   -inf],
        [0.6114, 0.8819, 0.8626, 0.5121, 0.2707,   -inf],
        [0.8995, 1.3165, 1.2871, 0.7682, 0.3937, 1.0996]])""",
    ),
    Source(
        "S3.18",
        "their softmax, scaled",
        lambda text: attention_weights(word_scores() * 2**-0.5, MASK),
        """tensor([[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.3986, 0.6014, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.2526, 0.3791, 0.3683, 0.0000, 0.0000, 0.0000],
        [0.2265, 0.2839, 0.2794, 0.2103, 0.0000, 0.0000],
        [0.1952, 0.2363, 0.2331, 0.1820, 0.1534, 0.0000],
        [0.1557, 0.2092, 0.2048, 0.1419, 0.1089, 0.1794]])""",
    ),
]
