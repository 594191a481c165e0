"""Answers to the exercises of appendix A5, written from its page alone."""

import torch

from tests.chapters.answers import right, wrong


@wrong("A5.holder")
def from_the_next(rank, size, step):
    """keys come from the next process"""
    return (rank + step) % size


@wrong("A5.holder")
def no_ring(rank, size, step):
    """forgets that 0 has a neighbour before it"""
    return rank - step


@wrong("A5.holder")
def one_round_only(rank, size, step):
    """adds the size once, which is too little for many steps"""
    found = rank - step
    return found if found >= 0 else found + size


@wrong("A5.holder")
def always_the_neighbour(rank, size, step):
    """the neighbour before, whatever the step"""
    return (rank - 1) % size


@wrong("A5.holder")
def stays(rank, size, step):
    """nothing moves"""
    return rank


@wrong("A5.holder")
def a_float(rank, size, step):
    """a number with a point"""
    return float((rank - step) % size)


@right("A5.holder")
def step_by_step(rank, size, step):
    """walks back"""
    for _ in range(step):
        rank = rank - 1 if rank > 0 else size - 1
    return rank


@right("A5.holder")
def a_list_turned(rank, size, step):
    """turns a list, as the page does"""
    parts = list(range(size))
    for _ in range(step):
        parts = parts[-1:] + parts[:-1]
    return parts[rank]


@wrong("A5.mean_gradient")
def plain_mean(gradients, counts):
    """the mean of the means"""
    return torch.stack(gradients).mean(dim=0)


@wrong("A5.mean_gradient")
def sums_divided(gradients, counts):
    """forgets that they are means"""
    return sum(gradients) / sum(counts)


@wrong("A5.mean_gradient")
def not_divided(gradients, counts):
    """forgets to divide"""
    return sum(g * n for g, n in zip(gradients, counts))


@wrong("A5.mean_gradient")
def divided_by_processes(gradients, counts):
    """divides by the processes"""
    return sum(g * n for g, n in zip(gradients, counts)) / len(gradients)


@wrong("A5.mean_gradient")
def one_number(gradients, counts):
    """a mean over everything"""
    return (sum(g * n for g, n in zip(gradients, counts)) / sum(counts)).mean()


@wrong("A5.mean_gradient")
def changes_its_input(gradients, counts):
    """multiplies in place"""
    for g, n in zip(gradients, counts):
        g *= n
    return sum(gradients) / sum(counts)


@right("A5.mean_gradient")
def shares(gradients, counts):
    """weights each by its share"""
    return sum(g * (n / sum(counts)) for g, n in zip(gradients, counts))


@right("A5.mean_gradient")
def as_a_product(gradients, counts):
    """a row of shares times the gradients"""
    n = torch.tensor(counts, dtype=gradients[0].dtype)
    return torch.tensordot(n / n.sum(), torch.stack(gradients), dims=1)


@wrong("A5.sent_bytes")
def one_too_many(n_tokens, width, size, number_bytes):
    """comes home, too"""
    return 2 * (n_tokens // size) * width * size * number_bytes


@wrong("A5.sent_bytes")
def keys_alone(n_tokens, width, size, number_bytes):
    """keys, no values"""
    return n_tokens // size * width * (size - 1) * number_bytes


@wrong("A5.sent_bytes")
def the_whole_text(n_tokens, width, size, number_bytes):
    """all words each time"""
    return 2 * n_tokens * width * (size - 1) * number_bytes


@wrong("A5.sent_bytes")
def one_hand_on(n_tokens, width, size, number_bytes):
    """only one step"""
    return 2 * (n_tokens // size) * width * number_bytes


@wrong("A5.sent_bytes")
def numbers(n_tokens, width, size, number_bytes):
    """numbers, not bytes"""
    return 2 * (n_tokens // size) * width * (size - 1)


@wrong("A5.sent_bytes")
def with_queries(n_tokens, width, size, number_bytes):
    """queries travel, too"""
    return 3 * (n_tokens // size) * width * (size - 1) * number_bytes


@right("A5.sent_bytes")
def all_but_ours(n_tokens, width, size, number_bytes):
    """everything but one part passes through us"""
    return 2 * width * number_bytes * (n_tokens - n_tokens // size)


@right("A5.sent_bytes")
def in_a_loop(n_tokens, width, size, number_bytes):
    """adds up the steps"""
    sent = 0
    for _ in range(1, size):
        for _ in ("k", "v"):
            sent += n_tokens // size * width * number_bytes
    return sent
