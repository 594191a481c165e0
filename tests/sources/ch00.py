"""What the source notebooks show of chapter 00, start here."""

from tests.sources import Source

S4_3 = """
tensor([[[5, 7, 2, 0, 5],
         [3, 5, 0, 4, 0],
         [2, 0, 7, 6, 0]],

        [[8, 1, 4, 9, 5],
         [3, 6, 2, 0, 2],
         [1, 6, 5, 9, 4]]])

tensor([[[5, 3, 2],
         [7, 5, 0],
         [2, 0, 7],
         [0, 4, 6],
         [5, 0, 0]],

        [[8, 3, 1],
         [1, 6, 6],
         [4, 2, 5],
         [9, 0, 9],
         [5, 2, 4]]])
"""

SOURCES = [
    Source("S0.1", "torch and torch.nn.functional are imported; nothing is printed"),
    Source(
        "S1.1",
        "whether PyTorch can use a GPU of this machine",
        figure="False",
        why_not="the answer is a fact about the machine that runs the cell, not about the course: "
        "stored, it would be wrong on every machine with a GPU; the cell prints the answer's type",
    ),
    Source(
        "S4.3",
        "thirty digits of shape (2, 3, 5) after seed 1337, and their transpose",
        figure=S4_3,
    ),
]
