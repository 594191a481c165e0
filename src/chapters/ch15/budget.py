"""The cost of length, in bytes and in operations, computed from the sizes of real models.

A multiplication and an addition are two operations, and a product with W, (m, n), takes 2 m n
operations for each position, so a model with P weights takes about 2 P (Kaplan et al., 2020, section
2.1).
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    """The sizes of a model that matter for length, and where they are published.

    `parameters` counts those that one token uses. `window` is how far back a layer attends, if there is
    a limit. `latent` counts the numbers that each layer keeps instead of keys and values: a vector from
    which the keys and values of all heads are computed, and a rotary key (DeepSeek-AI, 2024, section 2.1).
    """

    name: str
    n_layer: int
    n_head: int
    n_kv_head: int
    head_size: int
    parameters: int
    context: int
    source: str
    window: int | None = None
    latent: tuple[int, int] | None = None


GPT2 = Sizes(
    "GPT-2", 12, 12, 12, 64, 124_439_808, 1024, "Radford et al., 2019, table 2, and its code"
)
LLAMA_2_7B = Sizes(
    "Llama 2 7B", 32, 32, 32, 128, 6_738_415_616, 4096, "Touvron et al., 2023; config.json"
)
LLAMA_3_8B = Sizes(
    "Llama 3 8B", 32, 32, 8, 128, 8_030_261_248, 8192, "Grattafiori et al., 2024, table 3"
)
MISTRAL_7B = Sizes(
    "Mistral 7B", 32, 32, 8, 128, 7_241_732_096, 8192, "Jiang et al., 2023, table 1", window=4096
)
DEEPSEEK_V2 = Sizes(
    "DeepSeek-V2", 60, 128, 128, 128, 21_000_000_000, 131_072,
    "DeepSeek-AI, 2024, section 3.1.2", latent=(512, 64),
)  # fmt: skip
DEEPSEEK_V3 = Sizes(
    "DeepSeek-V3", 61, 128, 128, 128, 37_000_000_000, 131_072,
    "DeepSeek-AI, 2024b, section 4.2", latent=(512, 64),
)  # fmt: skip
MODELS = (GPT2, LLAMA_2_7B, LLAMA_3_8B, MISTRAL_7B, DEEPSEEK_V2, DEEPSEEK_V3)


def kept_positions(sizes: Sizes, n_positions: int) -> int:
    """How many of the positions so far a layer still holds."""
    if n_positions < 0:
        raise ValueError(f"n_positions: expected 0 or more, got {n_positions}")
    return min(n_positions, sizes.window or n_positions)


def cache_bytes(sizes: Sizes, n_positions: int, number_bytes: int = 2) -> int:
    """The bytes of the cache of one sequence: a key and a value for each layer, head and position.

    2 * layers * kv_heads * head_size * positions * bytes; with a latent, one vector for each layer.

    >>> cache_bytes(GPT2, 1024)  # 36 MiB
    37748736
    """
    each = 2 * sizes.n_kv_head * sizes.head_size if sizes.latent is None else sum(sizes.latent)
    return sizes.n_layer * each * kept_positions(sizes, n_positions) * number_bytes


def look_operations(sizes: Sizes, n_positions: int) -> int:
    """The operations with which one token's queries score and mix the positions that it sees.

    Two products of 2 * head_size operations for each layer, query head and position; with a latent,
    the head's own projections are moved to the query and the output, and the vectors are longer.
    """
    wide = 2 * sizes.head_size if sizes.latent is None else 2 * sizes.latent[0] + sizes.latent[1]
    return 2 * sizes.n_layer * sizes.n_head * wide * kept_positions(sizes, n_positions)


def cached_operations(sizes: Sizes, n_positions: int) -> int:
    """The operations for the token at the end of `n_positions`, with the other keys and values cached."""
    return 2 * sizes.parameters + look_operations(sizes, n_positions)


def uncached_operations(sizes: Sizes, n_positions: int) -> int:
    """The operations for the same token if all positions are read again, each with its own past."""
    held = kept_positions(sizes, n_positions)  # the earlier ones see 1, 2, ... held positions
    seen = held * (held + 1) // 2 + (n_positions - held) * held
    return 2 * sizes.parameters * n_positions + look_operations(sizes, 1) * seen


def least_seconds(
    sizes: Sizes,
    n_positions: int,
    bytes_per_second: float,
    operations_per_second: float,
    number_bytes: int = 2,
) -> float:
    """The least time that a machine needs for one more token of one reader, by bytes or by operations.

    It has to read every weight and the entire cache once, and to do `cached_operations`.
    """
    moved = number_bytes * sizes.parameters + cache_bytes(sizes, n_positions, number_bytes)
    worked = cached_operations(sizes, n_positions)
    return max(moved / bytes_per_second, worked / operations_per_second)
