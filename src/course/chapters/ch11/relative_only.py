"""Return True if no score changes when both positions, from 0 to n - 1, move on by one."""

import torch

from attention.positions import rotary_angles, rotate
from course.learn.draws import normal
from course.learn.laws import true_just_when_moving_changes_nothing
from course.learn.record import Exercise

ARROWS, TABLE = normal(2, 4, seed=3), normal(40, seed=4).tolist()


def rotary(i, j):
    angles = rotary_angles(torch.tensor([i, j]), 4)
    return float(rotate(ARROWS[:1], angles[:1]) @ rotate(ARROWS[1:], angles[1:]).T)


RULES = {
    "same_everywhere": lambda i, j: 1.5, "keys_place": lambda i, j: TABLE[j],
    "alibi": lambda i, j: 2 - 0.25 * max(i - j, 0), "product": lambda i, j: i * j / 8,
    "rotary": rotary, "both_ways_alike": lambda i, j: 1 / (1 + abs(i - j)),
    "queries_place": lambda i, j: TABLE[i], "table": lambda i, j: TABLE[i] * TABLE[j],
    "only_the_query_turned": lambda i, j: rotary(i, 0),
    "from_the_middle": lambda i, j: abs(i - j) / 8 if i < 3 else 3.0 * i - 2.0 * j,
    "distance_but_for_later_keys": lambda i, j: (i - j) / 4 if j <= i else j / 4,
    "distance_but_for_earlier_keys": lambda i, j: (i - j) / 4 if j >= i else j / 4,
    "hardly_the_place": lambda i, j: (i - j) / 4 + i / 500,
    "itself_alike": lambda i, j: 1.0 if i == j else TABLE[i] + TABLE[j],
    "tenths": lambda i, j: 0.1 * i - 0.1 * j,  # equal but for the last bits
    "slow_drift": lambda i, j: (i - j) / 4 + 5e-4 * i,
    "one_far_pair": lambda i, j: (i - j) / 4 + (j - i >= 2 and j == 2),
    "one_far_pair_back": lambda i, j: (i - j) / 4 + (i - j >= 2 and i == 2),
    "one_word_with_itself": lambda i, j: (i - j) / 4 + (i == j == 1),
    "the_last_word_with_itself": lambda i, j: (i - j) / 4 + (i == j == 5 or i == j == 2),
    "the_last_pair": lambda i, j: (i - j) / 4 + ((i, j) in {(5, 4), (2, 1)}),
    "up_and_down": lambda i, j: (i - j) / 4 + ((i, j) == (1, 0)) - ((i, j) == (0, 1)),
    "cancels_over_all": lambda i, j: (i - j) / 4 + ((i == j == 1) - (i == 2 and j == 1)) / 8,
    "queries_fade": lambda i, j: -i / 4, "sum": lambda i, j: (i + j) / 4,
}


def scheme(name):
    def score(i, j):
        return RULES[name](i, j)

    score.__name__ = name
    return score


E = Exercise(
    __name__, n_drawn=8,
    inputs=[(scheme(name), n) for n in (3, 6) for name in RULES],
    draw=lambda d: (scheme(d.choice([*RULES])), d.size(3)),
)


@E.answer
def relative_only(score, n):
    for i in range(n - 1):
        for j in range(n - 1):
            if abs(score(i + 1, j + 1) - score(i, j)) > 1e-4:  # both have moved on by one
                return False
    return True


E.slip("return True", "return False", "you say False of all. With which of these does moving both change nothing?")
E.slip("return False", "return True", "you say True of all. Compare scores of pairs that have moved together.")
E.mistake(lambda s, n: not relative_only(s, n), "turned round: True means that distance alone decides.")
E.slip("for j in range(n - 1)", "for j in [i]", """you only look at distance 0. Move pairs of every
    distance.""")
E.slip("for j in range(n - 1)", "for j in range(i + 1)", """you only try keys that stand before their
    query or on it. The distance may be negative too.""")
E.slip("for j in range(n - 1)", "for j in range(i, n - 1)", """you only try keys that stand after their
    query or on it. Try those before it too.""")
E.slip("        for j in range(n - 1):\n", "        for j in range(n - 1):\n            if abs(i - j) > 1:\n                continue\n", """you
    only try pairs that are next to each other. A score may depend on the place further apart.""")
E.slip("        for j in range(n - 1):\n", "        for j in range(n - 1):\n            if i == j:\n                continue\n", """you
    leave distance 0 out. The score of a word with itself may depend on its place, too.""")
E.slip("for i in range(n - 1)", "for i in range(n - 2)", """you stop one pair too early: the last one to
    try is the one that moves to n - 1.""")
E.slip("for i in range(n - 1)", "for i in [0]", """you only move queries from position 0. A score may
    depend on the place further on: try all.""")
E.mistake(lambda s, n: all(abs(s(i, j) - s(j, i)) <= 1e-4 for i in range(n) for j in range(n)), """you let query and key change places. That turns the
    distance round, and a score may well change then. Move both in the same direction.""")
E.mistake(lambda s, n: all(abs(s(i, j) - s(abs(i - j), 0)) <= 1e-4 for i in range(n) for j in range(n)),
    """you treat the distances 2 and -2 as one. They need not score alike: keep the sign.""")
E.slip("score(i + 1, j + 1)", "score(i + 1, j)", "only the query has moved: that changes the distance.")
E.slip("score(i + 1, j + 1)", "score(i, j + 1)", "only the key has moved: that changes the distance.")
E.slip("> 1e-4", "> 0", "there is no tolerance: equal scores may differ in their last bits. Allow 1e-4.")
E.slip("> 1e-4", "> 1e-3", "you miss a slow drift: anything above 1e-4 counts.")
E.slip("> 1e-4", "> 1e-2", "you miss a small difference: anything above 1e-4 counts.")
E.slip("abs(score(i + 1, j + 1) - score(i, j))", "score(i + 1, j + 1) - score(i, j)", """you only notice
    scores that grow. Take the size of the difference.""")

E.law(true_just_when_moving_changes_nothing)
E.hint("If the distance alone decides, what may you do to both positions without changing the score?")
E.hint("Compare `score(i, j)` with `score(i + 1, j + 1)`, for all pairs that have room to move.")
E.hint("i and j run from 0 to n - 2, both of them, and one difference above 1e-4 means False.")
