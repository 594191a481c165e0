"""The live explorer of chapter 05: a query among six keys that are also the values."""

import math

import torch

from chapters.ch05.explorer import query_explorer
from tests.chapters.threads import Threads
from tests.conftest import WORDS

POLAR = [(20, 1.2), (70, 1.0), (100, 1.6), (170, 1.2), (240, 1.4), (310, 1.0)]
KEYS = torch.tensor(
    [[r * math.cos(math.radians(a)), r * math.sin(math.radians(a))] for a, r in POLAR]
)


class Turned(Threads):
    """One query, turned among the words."""

    NAME = "05"

    @staticmethod
    def live():
        return query_explorer(KEYS, WORDS)

    def stir(self):
        self.drag((0.4, 0.0))  # one weight near 1: the darkest cell
        yield
