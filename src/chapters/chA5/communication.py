"""How many bytes machines send to each other, computed from the sizes of a model.

A number takes two bytes, as usual when weights and gradients of large models are sent.
"""


def ring_bytes(n_tokens: int, kv_width: int, n_machines: int, number_bytes: int = 2) -> int:
    """The bytes that each machine sends in the forward pass of one layer: keys and values, n - 1 times.

    Each machine holds n_tokens / n_machines of the tokens (Liu et al., 2023). The backward pass sends
    twice as much each time, and n times, because the gradients travel with their keys and values, and
    come home.

    >>> ring_bytes(12, 8, 3)
    256
    """
    if n_machines < 1 or n_tokens % n_machines:
        raise ValueError(
            f"n_tokens, n_machines: expected tokens that the machines can share equally, got "
            f"{n_tokens} and {n_machines}; pad the text"
        )
    return 2 * n_tokens // n_machines * kv_width * (n_machines - 1) * number_bytes


def all_reduce_bytes(n_numbers: int, n_machines: int, number_bytes: int = 2) -> float:
    """The bytes that each machine sends until all have the sum over all (Patarasuk & Yuan, 2009).

    In a ring each machine sends a share of the sums n - 1 times, and then a share of the results n - 1
    times.

    >>> all_reduce_bytes(12, 3)
    32.0
    """
    if n_machines < 1:
        raise ValueError(f"n_machines: expected 1 or more, got {n_machines}")
    return 2 * (n_machines - 1) / n_machines * n_numbers * number_bytes


def tensor_parallel_bytes(
    n_tokens: int, width: int, n_layer: int, n_machines: int, number_bytes: int = 2
) -> float:
    """The bytes that each machine sends in a training step whose matrices are shared by machines.

    The attention and the MLP of every layer each end in a sum over machines, in the forward and in the
    backward pass: four all-reduces of (n_tokens, width) per layer (Shoeybi et al., 2019, section 3).
    """
    return 4 * n_layer * all_reduce_bytes(n_tokens * width, n_machines, number_bytes)


def min_tokens_to_overlap(
    width: int, kv_width: int, operations_a_second: float, bytes_a_second: float
) -> float:
    """The fewest tokens that a machine in a ring needs for computing to take as long as sending.

    A block of t queries and t keys takes 4 t^2 width operations (scores, then the mix), and its keys
    and values are 4 t kv_width bytes. Computing grows with t^2, sending with t.
    """
    return kv_width / width * operations_a_second / bytes_a_second
