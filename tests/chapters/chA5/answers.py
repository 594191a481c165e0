"""Answers to the exercises of appendix A5, written from its page alone."""

import torch

from tests.chapters.answers import right, slips


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


slips(step_by_step)("""
from_the_next: keys come from the next process
    return (rank + step) % size
no_ring: forgets that 0 has a neighbour before it
    return rank - step
one_round_only: adds the size once, which is too little for many steps
    found = rank - step
    return found if found >= 0 else found + size
always_the_neighbour: the neighbour before, whatever the step
    return (rank - 1) % size
stays: nothing moves
    return rank
a_float: a number with a point
    return float((rank - step) % size)
""")


@right("A5.mean_gradient")
def shares(gradients, counts):
    """weights each by its share"""
    return sum(g * (n / sum(counts)) for g, n in zip(gradients, counts))


@right("A5.mean_gradient")
def as_a_product(gradients, counts):
    """a row of shares times the gradients"""
    n = torch.tensor(counts, dtype=gradients[0].dtype)
    return torch.tensordot(n / n.sum(), torch.stack(gradients), dims=1)


slips(shares)("""
plain_mean: the mean of the means
    return torch.stack(gradients).mean(dim=0)
sums_divided: forgets that they are means
    return sum(gradients) / sum(counts)
not_divided: forgets to divide
    (n / sum(counts)) -> n
divided_by_processes: divides by the processes
    return sum(g * n for g, n in zip(gradients, counts)) / len(gradients)
one_number: a mean over everything
    return (sum(g * n for g, n in zip(gradients, counts)) / sum(counts)).mean()
changes_its_input: multiplies in place
    for g, n in zip(gradients, counts):
        g *= n
    return sum(gradients) / sum(counts)
""")


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


slips(all_but_ours)("""
one_too_many: comes home, too
    return 2 * (n_tokens // size) * width * size * number_bytes
keys_alone: keys, no values
    return n_tokens // size * width * (size - 1) * number_bytes
the_whole_text: all words each time
    return 2 * n_tokens * width * (size - 1) * number_bytes
one_hand_on: only one step
    return 2 * (n_tokens // size) * width * number_bytes
numbers: numbers, not bytes
    return 2 * (n_tokens // size) * width * (size - 1)
with_queries: queries travel, too
    return 3 * (n_tokens // size) * width * (size - 1) * number_bytes
""")
