"""What the source notebooks show of chapter 06, queries keys values."""

from tests.sources import Source

SOURCES = [
    Source(
        "S0.7",
        "one head on (4, 8, 32) with head size 16; its scores are overwritten by zeros (T01)",
        "torch.Size([4, 8, 16])",
    ),
    Source("S0.8", "the variance of the keys, which still has a gradient", "tensor(0.3164"),
    Source(
        "S0.9",
        "the variance of the overwritten weights, which has none: the symptom of T01",
        "tensor(0.0273)",
    ),
    Source("S1.27", "a query is what a token looks for, a key what it contains"),
    Source(
        "S1.28",
        "one unscaled causal head under seed 1337: its first sequence's weights",
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
    ),
    Source(
        "S2.8",
        "why queries, keys and values: x is private, v is what is handed over; a very high score "
        "makes softmax one-hot; d_k and d_v",
    ),
    Source(
        "S3.10",
        "weight matrices under seed 123, the query of journey, the shapes of keys and values",
        "0.4306, 1.4551 torch.Size([6, 2]) torch.Size([6, 2])",
    ),
    Source(
        "S3.11",
        "one score, all scores of journey, its weights, its context vector",
        "1.8524 1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440 "
        "0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820 0.3061, 0.8210",
    ),
    Source("S3.12", "queries, keys and values as a search in a database"),
    Source(
        "S3.13",
        "a module with three Parameters, seed 123",
        """[0.2996, 0.8053], [0.3061, 0.8210], [0.3058, 0.8203],
        [0.2948, 0.7939], [0.2927, 0.7891], [0.2990, 0.8040]""",
    ),
    Source(
        "S3.14",
        "a module with three Linear layers, seed 789",
        """[-0.0739,  0.0713], [-0.0748,  0.0703], [-0.0749,  0.0702],
        [-0.0760,  0.0685], [-0.0763,  0.0679], [-0.0754,  0.0693]""",
    ),
    Source(
        "S3.15",
        "the Parameters transplanted into the Linear layers: the same output",
        """[0.2996, 0.8053], [0.3061, 0.8210], [0.3058, 0.8203],
        [0.2948, 0.7939], [0.2927, 0.7891], [0.2990, 0.8040]""",
    ),
    Source(
        "S3.16",
        "the attention weights of the module with the transplanted weights",
        """[0.1551, 0.2104, 0.2059, 0.1413, 0.1074, 0.1799],
        [0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820],
        [0.1503, 0.2256, 0.2192, 0.1315, 0.0914, 0.1819],
        [0.1591, 0.1994, 0.1962, 0.1477, 0.1206, 0.1769],
        [0.1610, 0.1949, 0.1923, 0.1501, 0.1265, 0.1752],
        [0.1557, 0.2092, 0.2048, 0.1419, 0.1089, 0.1794]""",
    ),
    Source("S4.1", "a decoder because of its mask; self-attention against cross-attention"),
    Source(
        "S4.2",
        "a head with a value size of its own, checked by its shapes alone; its last line, which "
        "would have shown the weights, is commented out",
    ),
]
