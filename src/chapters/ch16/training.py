"""The checks of the training ward: for a loss, writing, drawing blocks, and evaluating in batches."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

LOGITS = torch.randn(3, 6, 7, generator=torch.Generator().manual_seed(0))
IDS = torch.randint(7, (3, 6), generator=torch.Generator().manual_seed(1))
REAL = torch.arange(6) < torch.tensor([6, 4, 2])[:, None]


class Guesser(torch.nn.Module):
    """A model that guesses from ids and their positions, and reads at most `block_size` of them."""

    def __init__(self, block_size: int = 4):
        super().__init__()
        self.block_size, self.dropout = block_size, torch.nn.Dropout(0.5)

    def forward(self, ids: Tensor) -> Tensor:
        if ids.shape[1] > self.block_size:
            raise IndexError(f"position {ids.shape[1] - 1}: there are {self.block_size}")
        sums = (ids * (torch.arange(ids.shape[1]) + 1)).cumsum(dim=1)[..., None]
        return self.dropout(1 + (sums * torch.arange(1, 12) % 11).float())


def equal_guesses(loss: Callable) -> bool:
    """Do equal guesses cost ln V?"""
    return bool((loss(0 * LOGITS, IDS, REAL) - torch.tensor(7.0).log()).abs() < 1e-5)


def sure_guesses(loss: Callable) -> bool:
    """Do guesses that are sure of each next word cost nothing?"""
    following = F.one_hot(IDS.roll(-1, 1), 7) * 50.0
    return bool(loss(following, IDS, REAL | True).abs() < 1e-5)


def padding(loss: Callable) -> bool:
    """Does the loss stay the same when an id in the padding changes?"""
    return bool((loss(LOGITS, IDS, REAL) - loss(LOGITS, IDS.where(REAL, 3), REAL)).abs() < 1e-6)


def written(writing: Callable, ids: Tensor, n_new: int) -> Tensor | None:
    torch.manual_seed(0)
    try:
        return writing(Guesser().train(), ids, n_new, 4)
    except IndexError:
        return None


def twice(writing: Callable) -> bool:
    """Does a model write the same text right after training, whatever was drawn before?"""
    one, two = (writing(Guesser().train(), IDS[:, :1], 3, 4) for _ in range(2))
    return torch.equal(one, two)


def past_the_block(writing: Callable) -> bool:
    """After a text longer than the block, does the next word depend only on the last words?"""
    long, short = (written(writing, ids, 1) for ids in (IDS, IDS[:, -4:]))
    return long is not None and torch.equal(long[:, -1], short[:, -1])


def whole_blocks(starts: Callable) -> bool:
    """Does every block have all of its words?"""
    blocks = starts(torch.arange(100), 60, 5, 40, torch.Generator().manual_seed(0))
    return all(len(block) == 5 for block in blocks)


def any_order(judging: Callable) -> bool:
    """Is the loss the same if the batches come in a different order?"""
    return judging([3.0, 2.0, 2.5]) == judging([2.0, 2.5, 3.0])


TRAINING = {
    "equal guesses": ("loss", equal_guesses), "sure guesses": ("loss", sure_guesses),
    "padding": ("loss", padding), "twice": ("writing", twice),
    "past the block": ("writing", past_the_block), "whole blocks": ("starts", whole_blocks),
    "any order": ("judging", any_order),
}  # fmt: skip
