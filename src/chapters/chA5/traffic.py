"""What many machines send to each other, in bytes, computed from the sizes of a model.

Two bytes a number, as the weights and gradients of large models are sent as a rule.
"""


def ring_bytes(n_words: int, kv_width: int, n_machines: int, number_bytes: int = 2) -> int:
    """Bytes that each machine sends in the forward of one layer: keys and values, n - 1 times.

    Each machine holds n_words / n_machines of the words (Liu et al., 2023). The backward sends twice
    as much in each hand-on, and n times: gradients go with their keys and values, and home.

    >>> ring_bytes(12, 8, 3)
    256
    """
    if n_machines < 1 or n_words % n_machines:
        raise ValueError(
            f"n_words, n_machines: expected words that the machines can share equally, got "
            f"{n_words} and {n_machines}; pad the text"
        )
    return 2 * n_words // n_machines * kv_width * (n_machines - 1) * number_bytes


def all_reduce_bytes(n_numbers: int, n_machines: int, number_bytes: int = 2) -> float:
    """Bytes that each machine sends until all have the sum of what all had (Patarasuk & Yuan, 2009).

    In a ring each sends its share of the sums n - 1 times, and then of the results n - 1 times.

    >>> all_reduce_bytes(12, 3)
    32.0
    """
    if n_machines < 1:
        raise ValueError(f"n_machines: expected 1 or more, got {n_machines}")
    return 2 * (n_machines - 1) / n_machines * n_numbers * number_bytes


def tensor_parallel_bytes(
    n_words: int, width: int, n_layer: int, n_machines: int, number_bytes: int = 2
) -> float:
    """Bytes that each machine sends in a training step whose matrices are cut over machines.

    Attention and MLP of every layer each end in a sum over machines, in the forward and in the
    backward: four all-reduces of (n_words, width) a layer (Shoeybi et al., 2019, section 3).
    """
    return 4 * n_layer * all_reduce_bytes(n_words * width, n_machines, number_bytes)


def words_that_hide(
    width: int, kv_width: int, operations_a_second: float, bytes_a_second: float
) -> float:
    """How many words a machine needs in a ring, so that it computes for as long as it sends.

    A block of t queries and t keys takes 4 t^2 width operations (scores, then the mix), and its keys
    and values are 4 t kv_width bytes. Computing grows with t^2, sending with t.
    """
    return kv_width / width * operations_a_second / bytes_a_second
