"""Inputs for exercises: tensors from a seed, and drawn inputs that aren't kind.

Hypothesis was tried for this. Every input has to be the same for a learner's function and for all
known mistakes, or they could not be told apart, so its search for a failing input has no use here;
and what is left, making examples, took it from 20 ms to 4 s an exercise. These draws take a
millisecond, are the same on every run, and come smallest first, so the first that fails is small.
"""

import random

import torch
from torch import Tensor

WORDY = "aeinorst ABC,.\n-'"  # an alphabet for texts
UNUSUAL = "\u00e9\u00df\u03b1\u4e2d\U0001f600\u2603"  # letters of two to four bytes


def _normal(shape: tuple[int, ...], seed: int, steps: int, dtype: torch.dtype) -> Tensor:
    """Normal numbers, rounded, as another processor's differ in the last bits."""
    numbers = torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)
    return ((numbers * steps).round() / steps + 0.0).float()  # no minus before a 0


def normal(*shape: int, seed: int = 0) -> Tensor:
    """Normal numbers to three places, the same on every run and every processor."""
    return _normal(shape, seed, 1000, torch.float64)  # in float32, one in 10,000 is a tie


def quarters(*shape: int, seed: int = 0) -> Tensor:
    """Normal numbers in steps of 1/4: exact in binary, and short to read where they are shown."""
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
        """A size from `least` on."""
        return self.randint(least, max(least, self.most))

    def sizes(self, k: int, least: int = 1) -> list[int]:
        """k different sizes, so that a swapped axis shows."""
        return self.sample(range(least, least + max(self.most, k)), k)

    def number(self, low: float = -4, high: float = 4) -> float:
        """A number in steps of 1/4."""
        return self.randint(round(4 * low), round(4 * high)) / 4

    def tensor(self, *shape: int, scales: tuple[float, ...] = (1.0,)) -> Tensor:
        """Quarters times one of the scales; every fourth time with two rows alike."""
        numbers = quarters(*shape, seed=self.getrandbits(30)) * self.choice(scales)
        if self.n % 4 == 3 and len(shape) > 1 and shape[-2] > 1:
            numbers[..., 1, :] = numbers[..., 0, :]
        return numbers

    def shares(self, *shape: int) -> Tensor:
        """Rows of weights that sum to 1; every third time some of them are 0."""
        weights = shares(*shape, seed=self.getrandbits(30))
        if self.n % 3 == 2:
            weights = weights * self.mask(*shape)
        return weights / weights.sum(dim=-1, keepdim=True)

    def whole(self, low: int, high: int, *shape: int) -> Tensor:
        """Whole numbers from low to high - 1."""
        generator = torch.Generator().manual_seed(self.getrandbits(30))
        return torch.randint(low, high, shape, generator=generator)

    def mask(self, *shape: int) -> Tensor:
        """Booleans with at least one True in each row, not triangular as a rule."""
        mask = self.whole(0, 2, *shape).bool()
        mask.scatter_(-1, self.whole(0, shape[-1], *shape[:-1], 1), True)
        return mask

    def text(self, length: int, alphabet: str = WORDY + UNUSUAL) -> str:
        """A text of this length."""
        return "".join(self.choices(alphabet, k=length))

    def shuffled(self, items) -> list:
        """The items in another order."""
        return self.sample(list(items), len(items))
