"""The weight that each position of a causal map receives, divided by what equal shares would give
it, (T,)."""

import torch

from chapters.ch14.exercises.behind_score import causal
from chapters.laws import close
from course.learn.record import Exercise


def drawn(d):
    T = d.size(2)
    return (causal(d.tensor(T, T, scales=(0, 1, 3))),)

E = Exercise(__name__, trained=False, draw=drawn, without=("attention",),
    inputs=[(torch.tensor([[1, 0], [0.75, 0.25]]),), (causal(torch.zeros(3, 3)),), (torch.eye(3),),
            (torch.eye(4)[[0, 0, 1, 2]],), (torch.eye(5)[[0, 0, 0, 0, 0]],)])

@E.answer
def times_equal(weights):
    T = len(weights)
    equal = torch.ones(T, T).tril() / torch.arange(1, T + 1)[:, None]
    return weights.sum(dim=0) / equal.sum(dim=0)

QUOTIENT = "weights.sum(dim=0) / equal.sum(dim=0)"
E.slip(QUOTIENT, "weights.sum(dim=0)", """you return the sums of the columns. T rows can see the
    first column, but only one row can see the last. So divide each sum by what equal shares would
    give.""")
E.slip(" / equal.sum(dim=0)", " / torch.arange(T, 0, -1)", """you divide by the number of rows that
    see a position. But row 0 shares its weight among one position and the last row among T, so
    even under equal shares your first number is the largest.""")
E.slip(" / equal.sum(dim=0)", " / weights.sum()", """you divide every column by the same number.
    Equal shares would give the first column much more than the last.""")
E.slip(" / equal.sum(dim=0)", " / torch.arange(1, T + 1)", """you divide by s + 1, but position s
    is seen by T - s rows. And rows that see more positions give less to each.""")
E.slip(QUOTIENT, "weights.sum(dim=1) / equal.sum(dim=1)", """your result is 1 for every position,
    because the rows of a map all sum to 1. The weight that a position receives is in its
    column.""")
E.slip(QUOTIENT, "(weights / equal).sum(dim=0)", """your result is nan from position 1 onwards,
    because above the diagonal equal shares are 0, and 0 / 0 is nan. Add up the columns first.""")
E.slip(QUOTIENT, "(weights / equal).nan_to_num(0).sum(dim=0) / torch.arange(T, 0, -1)", """you took
    the mean of the quotients, row by row. Return one quotient for each position: the sum of the
    column, divided by the sum that equal shares would give.""")
E.slip("/ torch.arange(1, T + 1)[:, None]", "/ torch.arange(1, T + 1)", """your equal shares divide
    column s by s + 1. It is row t that shares its weight among t + 1 positions.""")
E.slip("/ torch.arange(1, T + 1)[:, None]", "/ T", """your equal shares are 1 / T in every row. But
    row t sees t + 1 positions, and gives each 1 / (t + 1).""")
E.slip(QUOTIENT, "weights.sum(dim=0) - equal.sum(dim=0)", """you return how much more each position
    receives than it would with equal shares. How many *times* as much is it?""")
E.slip(QUOTIENT, "weights[-1] / equal[-1]", "you take only the last row. Add up the columns.")

@E.law
def equal_shares_give_1(answer, weights):
    """where every row gives equal shares, the result for every position has to be 1"""
    T = len(weights)
    equal = torch.tensor([[(s <= t) / (t + 1) for s in range(T)] for t in range(T)])
    return not close(weights, equal) or close(answer, torch.ones(T))

@E.law
def together_all_that_was_shared_out(answer, weights):
    """if each number is multiplied by what equal shares would give, the products have to sum to T,
    because each row gives 1"""
    T = len(weights)
    given = [sum(1 / (t + 1) for t in range(s, T)) for s in range(T)]
    return abs(sum(a * g for a, g in zip(answer.tolist(), given, strict=True)) - T) < 1e-3

E.hint("Write down the map of equal shares for T = 3, and add up its columns. Are they equal?")
E.hint("""Its rows are 1, then 1/2 1/2, then 1/3 1/3 1/3. The first column sums to 11/6, the last
    one to 1/3.""")
E.hint("""The map of equal shares is `torch.ones(T, T).tril() / torch.arange(1, T + 1)[:, None]`.
    Divide the column sums of `weights` by those of this map.""")
