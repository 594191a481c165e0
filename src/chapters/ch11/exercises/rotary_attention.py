"""Causal attention of q, k, v, (T, D), with rotary positions, half-split, base 10,000."""

import torch

from chapters.laws import close
from course.learn.draws import quarters
from course.learn.record import Exercise


def made(T, D, seed):
    return tuple(quarters(T, D, seed=seed + n) for n in range(3))

GIVEN = [made(1, 2, 1), made(2, 2, 4), made(3, 4, 7), made(6, 6, 10)]
E = Exercise(__name__, GIVEN, lambda d: made(d.size(2) + 8 * (d.n % 3 == 2), 2 * d.size(), d.getrandbits(30)),
             without=("attention",))

@E.answer
def rotary_attention(q, k, v):
    T, D = q.shape
    speeds = 10_000 ** (-torch.arange(0, D, 2) / D)
    angles = torch.arange(T)[:, None] * speeds
    cos, sin = angles.cos(), angles.sin()

    def turned(x):
        first, second = x.chunk(2, dim=-1)
        return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)

    scores = turned(q) @ turned(k).T / D**0.5
    future = torch.ones(T, T).triu(1).bool()
    weights = torch.softmax(scores.masked_fill(future, float("-inf")), dim=-1)
    return weights @ v

E.slip("@ v", "@ turned(v)", """you turned the values as well. Values are added up, so an output
    would be turned by a mix of angles. Turn only q and k, which make the scores.""")
E.slip("@ v", "@ turned(v) * 0 + turned(weights @ v)", """you turned the output. Positions only decide who
    listens to whom, so turn q and k, before the scores.""")
E.slip("turned(k)", "k", """you turn only the queries. Then the score depends on the query's position instead
    of the distance. Turn the keys by their positions as well.""")
E.slip("turned(q)", "q", """you turn only the keys. Then the score depends on the key's position instead of
    the distance. Turn the queries by their positions as well.""")
E.slip("turned(q) @ turned(k)", "q @ k", """you turn neither q nor k, so order makes no difference to your
    scores.""")
E.slip("turned(q) @ turned(k)",
       "(q + torch.cat([sin, cos], -1)) @ (k + torch.cat([sin, cos], -1))", """you *added* sines and cosines
           to q and k. Rotary positions turn each pair: each new channel is computed from both old ones.""")
E.slip("first, second = x.chunk(2, dim=-1)", "first, second = x[:, 0::2], x[:, 1::2]", """you pair
    neighbours, channel 0 with 1 (interleaved). Here channel i goes with channel i + D/2.""")
E.slip("first * sin + second * cos", "second * cos - first * sin", """one of your signs is wrong, so your
    pairs are no longer turned, and their lengths change. The formula is x cos - y sin, x sin + y cos.""")
E.slip("first * sin + second * cos", "first * cos + second * sin", """you swapped sin and cos in the second
    channel, which is x sin + y cos.""")
SCORES = "scores = turned(q) @ turned(k).T"
E.slip(SCORES, "queries = turned(q)\n    sin = -sin\n    scores = queries @ turned(k).T", """you turn queries
    and keys in opposite directions, so the score depends on the *sum* of their positions. Turn both in the
    same direction.""")
E.slip(SCORES, "keys = turned(k)\n    cos, sin = (angles + speeds).cos(), (angles + speeds).sin()\n    "
       "scores = turned(q) @ keys.T", """your queries and keys don't count from the same start, so
           the distance from a word to itself isn't 0.""")
E.slip("10_000", "1_000", """your base is 1,000, so the slow pairs turn too fast. It has to be
    10,000.""")
E.slip("angles = torch", "angles = -torch", """you turn in the opposite direction. The score still
    depends only on the distance, but it is the score of the opposite distance. The first channel
    becomes x cos - y sin, the second x sin + y cos, and positions count up from the start.""")
E.slip("torch.arange(0, D, 2) / D", "torch.arange(D // 2) / D", """your speeds fall half as fast as they
    should: pair i has 10,000 to the power of -2 i / D.""")
E.slip("(-torch.arange(0, D, 2) / D)", "-(torch.arange(0, D, 2) / D / 2 * D // 1)", """your speeds
    fall by a factor of 10,000 from one pair to the next. All pairs together should span that
    factor: the exponent of pair i is -2 i / D.""")
E.slip("(-torch.", "(torch.", """each of your pairs turns faster than the one before. The exponent has to be
    negative, -2 i / D.""")
E.slip("10_000 ** (-torch.arange(0, D, 2) / D)", "torch.ones(D // 2)", """all your pairs turn at
    the same speed, one radian for each position. Pair i turns at 10,000 to the power of -2 i /
    D.""")
E.slip("angles =", "angles = torch.pi / 180 *", """you convert the angles from degrees, but they
    are already in radians.""")
E.slip(" / D**0.5", "", "your scores aren't scaled. Divide them by the root of D.")
E.slip("triu(1)", "triu(T)", "your scores have no mask, so every position sees its future.")
E.slip("triu(1)", "triu()", """your mask also forbids the diagonal, so row 0 may not look at anything and
    becomes nan.""")
E.slip("), dim=-1)", "), dim=0)", "your columns sum to 1, not your rows: the keys are the last axis.")
E.slip("@ v", "", "you returned the weights. What do they mix?")

@E.law
def output_0_is_value_0(out, q, k, v):
    """output 0 has to be v[0], because position 0 may look only at itself, and values aren't
    turned"""
    return close(out[0], v[0])

E.hint("Which of q, k and v make the scores? Only those are turned.")
E.hint("""The angle of position t and pair i is t times 10,000 to the power of -2 i / D. A pair is channel i
    and channel i + D/2, so `chunk(2, dim=-1)` gives all first channels and all second ones.""")
E.hint("""Use `cat([first * cos - second * sin, first * sin + second * cos], dim=-1)` for q and for k. Then
    divide the scores by the root of D, and apply the causal mask, softmax, and the product with v.""")
