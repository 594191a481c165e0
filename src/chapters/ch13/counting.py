"""Formulas for the number of parameters of a GPT, and of its floating-point operations.

A product of (M, K) and (K, N) takes 2 M K N operations, because it has M N sums of K terms, each with a
multiplication and an addition. All other operations are so few that they aren't counted (Kaplan et
al., 2020, table 1).
"""

from attention.gpt import Config


def parameter_counts(config: Config) -> dict[str, int]:
    """How many parameters each part of a GPT has; their sum is the model's.

    >>> counts = parameter_counts(Config(65, 64, n_layer=2, n_head=4, n_embd=64))
    >>> counts["blocks"], sum(counts.values())
    (98560, 106944)
    """
    C, V = config.n_embd, config.vocab_size
    norm = {"rms": C, "layer": 2 * C, "none": 0}[config.norm]
    block = sum(K * N + config.bias * N for K, N in _products(config)) + 2 * norm
    return {
        "token_embedding": V * C,
        "position_embedding": config.block_size * C if config.positions == "learned" else 0,
        "blocks": config.n_layer * block,
        "final_norm": norm,
        "lm_head": 0 if config.tied else V * C,
    }


def forward_flops(config: Config, n_sequences: int, length: int) -> dict[str, int]:
    """The operations of one forward pass over `n_sequences` sequences of this length, by part.

    `attention` is the two products with T columns, scores and mix. Only these grow with the square of
    the length. They are counted as if nothing were masked, as most people and PyTorch count them.
    """
    if n_sequences < 1 or length < 1:
        raise ValueError(
            f"n_sequences, length: expected 1 or more of both, got {n_sequences} and {length}"
        )
    tokens, C = n_sequences * length, config.n_embd
    return {
        "projections": config.n_layer * tokens * sum(2 * K * N for K, N in _products(config)),
        "attention": config.n_layer * tokens * 2 * 2 * length * C,
        "lm_head": tokens * 2 * C * config.vocab_size,
    }


def training_flops(config: Config, n_sequences: int, length: int) -> int:
    """The operations of one training step, three times those of the forward pass.

    Each product needs two more in the backward pass, one for the gradient of its input, and one for the
    gradient of the weights.
    """
    return 3 * sum(forward_flops(config, n_sequences, length).values())


def _products(config: Config) -> list[tuple[int, int]]:
    """The sizes (in, out) of a block's four Linears."""
    C, head_size = config.n_embd, config.n_embd // config.n_head
    n_kv_head = config.n_head if config.n_kv_head is None else config.n_kv_head
    return [(C, C + 2 * n_kv_head * head_size), (C, C), (C, 4 * C), (4 * C, C)]
