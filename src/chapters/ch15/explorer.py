"""Chapter 15: how large the cache of a context is."""

from chapters.ch15.figures import calculator_figure
from course.draw.explorer import Explorer, choice

CONTEXTS = [1024, 4096, 8192, 32_768, 131_072]
KV_HEADS = [32, 8, 1]
SEQUENCES = [1, 8, 64]


def cache_calculator() -> Explorer:
    """Show how the context, the heads of keys and the texts at once change the cache of a 7B model."""

    def render(context: int, kv_heads: int, sequences: int):
        return calculator_figure(context, kv_heads, sequences)

    return Explorer(
        render,
        {"context": CONTEXTS, "kv_heads": KV_HEADS},
        context=choice("context", [(f"{n:,}", n) for n in CONTEXTS], 1024),
        kv_heads=choice("heads of keys", KV_HEADS, 32),
        sequences=choice("texts at once", SEQUENCES, 1),
    )
