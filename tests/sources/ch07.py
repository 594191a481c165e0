"""What the source notebooks show of chapter 07, scaling and softmax."""

from tests.sources import Source

SOURCES = [
    Source(
        "S1.30",
        "variances of k, of q, of their scores, and of the scaled scores: the third pair drawn "
        "after the head of S1.28 (T29)",
        "1.0966 0.9416 16.1036 1.0065",
    ),
    Source(
        "S1.31",
        "softmax of five scores",
        "[0.1925, 0.1426, 0.2351, 0.1426, 0.2872]",
    ),
    Source(
        "S1.31",
        "softmax of eight times the scores: close to one-hot",
        "[0.0326, 0.0030, 0.1615, 0.0030, 0.8000]",
    ),
]
