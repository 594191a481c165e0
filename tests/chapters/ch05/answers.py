"""Answers to the exercises of chapter 05, written from its page alone."""

import math
import operator

import torch

from tests.chapters.answers import right, slips


@right("05.dot")
def sum_of_zip(a, b):
    return float(sum(p * q for p, q in zip(a, b, strict=True)))


@right("05.dot")
def map_mul_fsum(a, b):
    return math.fsum(map(operator.mul, a, b))


slips(sum_of_zip)("""
int_for_whole_numbers: returns an int, not a float, for whole numbers
    return sum(p * q for p, q in zip(a, b, strict=True))
looks_up_by_value: finds the partner with a.index, which is the first occurrence for repeated numbers
    return float(sum(p * b[a.index(p)] for p in a))
pairs_in_a_dict: keys a dict by the numbers of a, so repeated ones count once
    return float(sum(k * v for k, v in dict(zip(a, b, strict=True)).items()))
set_of_products: collects the products in a set, so equal products count once
    return float(sum({p * q for p, q in zip(a, b, strict=True)}))
absolute_products: takes absolute values, right for positive numbers only
    p * q -> abs(p * q)
cuts_to_whole_numbers: cuts the numbers to ints, right for whole numbers only
    p * q -> int(p) * int(q)
rounds_the_total: rounds to the four decimals that the page prints
    return round(float(sum(p * q for p, q in zip(a, b, strict=True))), 4)
""")


@right("05.is_weights")
def python_numbers(row):
    shares = row.tolist()
    return all(s >= 0 for s in shares) and abs(math.fsum(shares) - 1) < 1e-5


@right("05.is_weights")
def minimum_and_isclose(row):
    return row.min().item() >= 0 and math.isclose(row.sum().item(), 1, rel_tol=0, abs_tol=1e-5)


slips(python_numbers)("""
exactly_one: asks for a sum of exactly 1, which float addition often misses
    return bool((row >= 0).all()) and row.sum().item() == 1.0
generous_tolerance: accepts sums within 1e-2
    return bool((row >= 0).all()) and abs(row.sum().item() - 1) < 1e-2
default_isclose: math.isclose allows 1e-9 only, less than float32 can promise
    return bool((row >= 0).all()) and math.isclose(row.sum().item(), 1)
sign_of_the_product: looks at the sign of the product, so two negative entries pass
    return row.prod().item() >= 0 and abs(row.sum().item() - 1) < 1e-5
slightly_negative_passes: allows entries down to -1e-5, though none may be below 0
    return bool((row >= -1e-5).all()) and abs(row.sum().item() - 1) < 1e-5
rounds_the_sum: rounds the sum to a whole number
    return bool((row >= 0).all()) and round(row.sum().item()) == 1
ends_only: looks at the first and the last entry only
    return row[0].item() >= 0 and row[-1].item() >= 0 and abs(row.sum().item() - 1) < 1e-5
""")


@right("05.score_lead")
def minus_log_of_inverse(ratio):
    return -math.log(1 / ratio)


@right("05.score_lead")
def bisection(ratio):
    low, high = -800.0, 800.0
    for _ in range(200):
        middle = (low + high) / 2
        if middle < 700 and math.exp(middle) < ratio:
            low = middle
        else:
            high = middle
    return (low + high) / 2


slips(minus_log_of_inverse)("""
never_below_zero: cuts at 0, wrong for ratios below 1
    return max(0.0, math.log(ratio))
absolute_lead: loses the sign for ratios below 1
    return abs(math.log(ratio))
refuses_small_ratios: raises for ratios below 1
    if ratio < 1:
        raise ValueError("ratio must be at least 1")
    return math.log(ratio)
whole_ratios: cuts the ratio to a whole number, right for whole ratios
    return math.log(int(ratio))
four_decimals: rounds to the four decimals that the page prints
    return round(math.log(ratio), 4)
int_zero_for_one: returns the int 0, not a float, for a ratio of 1
    return 0 if ratio == 1 else math.log(ratio)
nothing_below_one: returns None for ratios below 1
    if ratio >= 1:
        return math.log(ratio)
""")


@right("05.stable_softmax")
def last_axis_first(scores):
    s = scores.movedim(-1, 0)
    e = (s - s.amax(dim=0)).exp()
    return (e / e.sum(dim=0)).movedim(0, -1)


@right("05.stable_softmax")
def row_by_row_recursion(scores):
    if scores.dim() > 1:
        return torch.stack([row_by_row_recursion(s) for s in scores])
    e = torch.exp(scores - scores.amax())
    return e / e.sum()


slips(last_axis_first)("""
along_axis_0: works along dim=0, right for a single row only
    e = torch.exp(scores - scores.amax(dim=0, keepdim=True))
    return e / e.sum(dim=0, keepdim=True)
one_maximum_for_all: subtracts the largest score of all, so rows far below it become 0 / 0
    e = torch.exp(scores - scores.amax())
    return e / e.sum(dim=-1, keepdim=True)
maximum_without_keepdim: forgets keepdim in amax, so row maxima meet the columns
    e = torch.exp(scores - scores.amax(dim=-1))
    return e / e.sum(dim=-1, keepdim=True)
total_without_keepdim: forgets keepdim in sum, so row sums meet the columns
    e = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return e / e.sum(dim=-1)
largest_absolute: subtracts the largest absolute value, so very negative rows become 0 / 0
    e = torch.exp(scores - scores.abs().amax(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)
shares_of_the_whole_tensor: divides by the sum of all entries, right for a single row only
    e = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return e / e.sum()
maximum_down_sum_across: two faults: maxima along dim=0 and no keepdim in the sum
    e = torch.exp(scores - scores.amax(dim=0))
    return e / e.sum(dim=-1)
""")


def circle(step, start=0, stop=360):
    a = torch.deg2rad(torch.arange(float(start), float(stop), step))
    return torch.stack([a.cos(), a.sin()], dim=-1)


@right("05.can_win")
def a_query_each_degree(keys, j):
    winners = (circle(1.0).double() @ keys.double().T).argmax(dim=-1)
    return j in winners.tolist()


@right("05.can_win")
def leads_over_the_circle(keys, j):
    others = torch.cat([keys[:j], keys[j + 1 :]])
    leads = circle(0.5).double() @ (keys[j] - others).double().T
    return bool((leads > 0).all(dim=1).any())


slips(a_query_each_degree)("""
fence_of_angle_neighbours: compares with the fence between the neighbours by angle only, as seen from the origin
    if len(keys) < 3:
        return True
    order = torch.atan2(keys[:, 1], keys[:, 0]).argsort().tolist()
    i = order.index(j)
    a, b = keys[order[i - 1]], keys[order[(i + 1) % len(order)]]
    edge, way = b - a, keys[j] - a
    return bool(edge[0] * way[1] - edge[1] * way[0] < 0)
never_once_around: forgets the gap between the last angle and the first
    lead = keys[j] - torch.cat([keys[:j], keys[j + 1 :]])
    angles = torch.atan2(lead[:, 1], lead[:, 0]).sort().values
    gaps = angles.diff()
    return len(gaps) == 0 or bool(gaps.max() > math.pi)
only_earlier_rivals: compares with the keys before j only
    if j == 0:
        return True
    leads = circle(1.0) @ (keys[j] - keys[:j]).T
    return bool((leads > 0).all(dim=1).any())
every_fifteen_degrees: steps of 15 degrees jump over narrow arcs
    return j in (circle(15.0) @ keys.T).argmax(-1).tolist()
away_from_the_centre: tries only the query that points from the mean of the keys to key j
    return int((keys @ (keys[j] - keys.mean(dim=0))).argmax()) == j
needs_a_positive_score: asks for a score above 0, although a key may win with a negative one
    s = circle(1.0) @ keys.T
    return bool(((s.argmax(-1) == j) & (s[:, j] > 0)).any())
needs_half_the_weight: asks for a softmax weight above one half with a query of length 1
    w = torch.softmax(circle(1.0) @ keys.T, dim=-1)
    return bool((w[:, j] > 0.5).any())
""")
