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

E.slip("@ v", "@ turned(v)", """you turned the values too. They say what a word gives, and are added up:
    an output would be turned by a mix of angles. Turn what makes the scores, q and k.""")
E.slip("@ v", "@ turned(v) * 0 + turned(weights @ v)", """you turned what comes out. Positions only
    decide who listens to whom: turn q and k, before the scores.""")
E.slip("turned(k)", "k", """only the queries are turned. Then the score depends on the query's position,
    not on the distance: the keys have to be turned by theirs.""")
E.slip("turned(q)", "q", """only the keys are turned. Then the score depends on the key's position, not
    on the distance: the queries have to be turned by theirs.""")
E.slip("turned(q) @ turned(k)", "q @ k", "nothing is turned: order makes no difference to these scores.")
E.slip("turned(q) @ turned(k)",
       "(q + torch.cat([sin, cos], -1)) @ (k + torch.cat([sin, cos], -1))", """you *added* sines and cosines
    to q and k. Rotary positions turn each pair: both new channels are made of both old ones.""")
E.slip("first, second = x.chunk(2, dim=-1)", "first, second = x[:, 0::2], x[:, 1::2]", """you pair
    neighbours, channel 0 with 1 (interleaved). Here channel i goes with channel i + D/2.""")
E.slip("first * sin + second * cos", "second * cos - first * sin", """one sign is wrong: your pairs are
    no longer turned, and their lengths change. The formula is x cos - y sin, x sin + y cos.""")
E.slip("first * sin + second * cos", "first * cos + second * sin", """the second channel is x sin + y cos;
    you have sin and cos the wrong way round there.""")
SCORES = "scores = turned(q) @ turned(k).T"
E.slip(SCORES, "queries = turned(q)\n    sin = -sin\n    scores = queries @ turned(k).T", """you turn queries
    and keys in opposite directions, so that the score depends on the *sum* of their positions. Turn
    both the same way.""")
E.slip(SCORES, "keys = turned(k)\n    cos, sin = (angles + speeds).cos(), (angles + speeds).sin()\n    "
       "scores = turned(q) @ keys.T", """queries and keys don't count from the same start: a word and
    itself are at distance 0, and yours at 1.""")
E.slip("10_000", "1_000", "your base is 1,000: the slow pairs turn too fast.")
E.slip("angles = torch", "angles = -torch", """you turn the other way. The law holds, but the score for a
    distance is that of the opposite one. x cos - y sin comes first, x sin + y cos second;
    and positions count from the start.""")
E.slip("torch.arange(0, D, 2) / D", "torch.arange(D // 2) / D", """your speeds fall half as fast as they
    should: pair i has 10,000 to the power of -2 i / D.""")
E.slip("(-torch.arange(0, D, 2) / D)", "-(torch.arange(0, D, 2) / D / 2 * D // 1)", """your speeds fall
    by 10,000 from one pair to the next. All pairs together span that: divide by D.""")
E.slip("(-torch.", "(torch.", """your pairs turn faster and faster: the exponent is negative, -2 i / D.""")
E.slip("10_000 ** (-torch.arange(0, D, 2) / D)", "torch.ones(D // 2)", """all your pairs turn at the same
    speed, a radian a position. Pair i turns at 10,000 to the power of -2 i / D.""")
E.slip("angles =", "angles = torch.pi / 180 *", "your angles are degrees. `cos` and `sin` take radians.")
E.slip(" / D**0.5", "", "the scores aren't scaled: divide by the root of D.")
E.slip("triu(1)", "triu(T)", "no mask: every position sees its future.")
E.slip("triu(1)", "triu()", "your mask forbids the diagonal too, so row 0 may look nowhere: nan.")
E.slip("), dim=-1)", "), dim=0)", "your columns sum to 1, not your rows: the keys are the last axis.")
E.slip("@ v", "", "these are the weights. What do they mix?")

@E.law
def output_0_is_value_0(out, q, k, v):
    """output 0 has to be v[0]: it may look nowhere else, and values are not turned"""
    return close(out[0], v[0])

E.hint("Which of q, k and v make the scores? Only those are turned.")
E.hint("""The angle of position t and pair i is t times 10,000 to the power of -2 i / D. A pair is
    channel i and channel i + D/2: `chunk(2, dim=-1)` gives all first and all second ones.""")
E.hint("""`cat([first * cos - second * sin, first * sin + second * cos], dim=-1)` for q and for k. Then
    scores over the root of D, the causal mask, softmax, and a product with v.""")
