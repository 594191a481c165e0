"""Inputs for exercises: tensors from a seed, and random inputs that bring mistakes to light.

We tried Hypothesis for this. But a learner's function and all known mistakes must run on the same
inputs, or they can't be compared, so its search for a failing input has no use here. What remains is
drawing examples, which took it 20 ms to 4 s per exercise. These draws take a millisecond, are the
same on every run, and the smallest comes first, so the first input that fails is small.
"""

import random

import torch
from torch import Tensor

WORDY = "aeinorst ABC,.\n-'"  # an alphabet for texts
UNUSUAL = "\u00e9\u00df\u03b1\u4e2d\U0001f600\u2603"  # letters of two to four bytes


def _normal(shape: tuple[int, ...], seed: int, steps: int, dtype: torch.dtype) -> Tensor:
    """Normal numbers, rounded because their last bits differ from processor to processor."""
    numbers = torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)
    return ((numbers * steps).round() / steps + 0.0).float()  # + 0.0 turns -0.0 into 0.0


def normal(*shape: int, seed: int = 0) -> Tensor:
    """Normal numbers to three places, the same on every run and every processor."""
    return _normal(shape, seed, 1000, torch.float64)  # in float32, 1 in 10,000 would be a tie


def quarters(*shape: int, seed: int = 0) -> Tensor:
    """Normal numbers in steps of 1/4: exact in binary, and short in a sentence."""
    return _normal(shape, seed, 4, torch.float32)


def shares(*shape: int, seed: int = 0) -> Tensor:
    """Rows of weights: positive, and each row sums to 1."""
    return torch.softmax(normal(*shape, seed=seed), dim=-1)


class Draw(random.Random):
    """The n-th draw for an exercise: a source of random sizes, numbers, masks and texts.

    The sizes grow with n, up to `most`.
    """

    def __init__(self, exercise: str, n: int):
        super().__init__(f"{exercise}/{n}")
        self.n, self.most = n, 2 + n // 3

    def size(self, least: int = 1) -> int:
        """A size from `least` to `most`."""
        return self.randint(least, max(least, self.most))

    def sizes(self, k: int, least: int = 1) -> list[int]:
        """k different sizes, so that a swapped axis shows."""
        return self.sample(range(least, least + max(self.most, k)), k)

    def number(self, low: float = -4, high: float = 4) -> float:
        """A number in steps of 1/4."""
        return self.randint(round(4 * low), round(4 * high)) / 4

    def tensor(self, *shape: int, scales: tuple[float, ...] = (1.0,)) -> Tensor:
        """Quarters times one of the scales; in every fourth draw, the first two rows are equal."""
        numbers = quarters(*shape, seed=self.getrandbits(30)) * self.choice(scales)
        if self.n % 4 == 3 and len(shape) > 1 and shape[-2] > 1:
            numbers[..., 1, :] = numbers[..., 0, :]
        return numbers

    def shares(self, *shape: int) -> Tensor:
        """Rows of weights that sum to 1; in every third draw, some of them can be 0."""
        weights = shares(*shape, seed=self.getrandbits(30))
        if self.n % 3 == 2:
            weights = weights * self.mask(*shape)
        return weights / weights.sum(dim=-1, keepdim=True)

    def whole(self, low: int, high: int, *shape: int) -> Tensor:
        """Whole numbers from low to high - 1."""
        generator = torch.Generator().manual_seed(self.getrandbits(30))
        return torch.randint(low, high, shape, generator=generator)

    def mask(self, *shape: int) -> Tensor:
        """Booleans with at least one True in each row, usually not triangular."""
        mask = self.whole(0, 2, *shape).bool()
        mask.scatter_(-1, self.whole(0, shape[-1], *shape[:-1], 1), True)
        return mask

    def text(self, length: int, alphabet: str = WORDY + UNUSUAL) -> str:
        """A text of this length."""
        return "".join(self.choices(alphabet, k=length))

    def shuffled(self, items) -> list:
        """The items in random order."""
        return self.sample(list(items), len(items))
