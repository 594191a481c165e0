"""What the source notebooks show of chapter 09, causal attention module."""

from tests.sources import Source

_BUILD = "a dropout mask belongs to a build (T56): equal on x86 builds of torch, elsewhere others"
SOURCES = [
    Source(
        "S2.9",
        "a function that closes over its layers (T42) and makes its mask on each call (T44): "
        "only the shape of its output",
        "torch.Size([4, 8, 16])",
    ),
    Source(
        "S3.19",
        f"dropout with p = 0.5 on ones, seed 123; {_BUILD}",
        """[2., 2., 0., 2., 2., 0.], [0., 0., 0., 2., 0., 2.], [2., 2., 2., 2., 0., 2.],
        [0., 2., 2., 0., 0., 2.], [0., 2., 0., 2., 0., 2.], [0., 2., 2., 2., 2., 0.]""",
    ),
    Source(
        "S3.19",
        f"then on the masked weights; {_BUILD}",
        """[2.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.0000, 0.7582, 0.7366, 0.0000, 0.0000, 0.0000],
        [0.0000, 0.0000, 0.5587, 0.4206, 0.0000, 0.0000],
        [0.0000, 0.0000, 0.0000, 0.0000, 0.3068, 0.0000],
        [0.3115, 0.4183, 0.0000, 0.2839, 0.2178, 0.3588]""",
    ),
    Source("S3.20", "a batch of two copies of one sequence (T57)", "torch.Size([2, 6, 3])"),
    Source("S3.21", "the module's output for that batch, seed 123", "torch.Size([2, 6, 2])"),
]
