"""Return True if the scores of each distance, of positions 0 to n - 1, differ by at most 1e-4."""

import torch

from attention.positions import rotary_angles, rotate
from course.learn.draws import normal
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
    "three_apart": lambda i, j: (i - j) / 4 + ((i, j) == (4, 1)),
    "three_apart_back": lambda i, j: (i - j) / 4 + ((i, j) == (1, 4)),
    "four_apart": lambda i, j: (i - j) / 4 + ((i, j) == (5, 1)),
    "four_apart_back": lambda i, j: (i - j) / 4 + ((i, j) == (1, 5)),
    "one_word_with_itself": lambda i, j: (i - j) / 4 + (i == j == 1),
    "the_last_word_with_itself": lambda i, j: (i - j) / 4 + (i == j == 5 or i == j == 2),
    "the_last_pair": lambda i, j: (i - j) / 4 + ((i, j) in {(5, 4), (2, 1)}),
    "up_and_down": lambda i, j: (i - j) / 4 + ((i, j) == (1, 0)) - ((i, j) == (0, 1)),
    "cancels_over_all": lambda i, j: (i - j) / 4 + ((i == j == 1) - (i == 2 and j == 1)) / 8,
    "slow_drift_that_adds_up": lambda i, j: (i - j) / 4 + 4e-5 * i,
    "both_sides_of_the_first": lambda i, j: (i - j) / 4 + (i == j) * (0, 7e-5, -7e-5)[i % 3],
    "within_the_tolerance": lambda i, j: (i - j) / 4 + 3e-5 + 4e-5 * (i % 2),
    "just_the_tolerance": lambda i, j: 1e-4 * (i == 1),
    "drift_very_far_from_0": lambda i, j: 1e6 + (i - j) / 4 + 1e-3 * i,
    "drift_far_from_0": lambda i, j: 1000 + (i - j) / 4 + 5e-4 * i,
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
    for distance in range(1 - n, n):
        scores = [score(j + distance, j) for j in range(n) if 0 <= j + distance < n]
        if max(scores) - min(scores) > 1e-4:
            return False
    return True


def moves(di, dj, limit=1e-4, where=lambda i, j: True):  # neighbours at these steps differ by at most this
    return lambda s, n: all(abs(s(i + di, j + dj) - s(i, j)) <= limit
                            for i in range(n - di) for j in range(n - dj) if where(i, j))


E.slip("return True", "return False", "you say False of all. With which of these does moving both change nothing?")
E.slip("return False", "return True", "you say True of all. Compare scores of pairs that have the same distance.")
E.mistake(lambda s, n: not relative_only(s, n), "turned round: True means that distance alone decides.")
E.slip("range(1 - n, n)", "[0]", """you find scores that change at distance 0, and pass some that change at
    another distance. Which distances does your test try?""")
E.slip("range(1 - n, n)", "range(n)", """you pass a score that depends on the place where the key comes after
    its query. The distance may be negative too: does your test try such pairs?""")
E.slip("range(1 - n, n)", "range(1 - n, 1)", """you pass a score that depends on the place where the key comes
    before its query. Does your test try such pairs?""")
E.slip("range(1 - n, n)", "[-1, 0, 1]", """you pass a score that depends on the place only where query and key
    are two or more apart. Which distances does your test try?""")
E.slip("range(1 - n, n)", "range(-2, 3)", """you pass a score that depends on the place only where query and key are
    three or more apart. Which distances does your test try?""")
E.slip("range(1 - n, n)", "[d for d in range(1 - n, n) if d]", """you pass a score of a word with itself that
    depends on its place. Does your test try distance 0?""")
E.slip("j in range(n) if 0 <= j + distance < n", "j in range(n - 1) if 0 <= j + distance < n - 1 or n - 2 < abs(distance)", """you
    find scores that change between other positions, and pass some that change only at the last one. Does your
    test reach position n - 1?""")
E.slip("max(scores) - min(scores)", "abs(scores[0] - scores[:2][-1])", """you find scores that change at the first
    positions, and pass some that change further on. Which positions does your test try?""")
E.mistake(lambda s, n: all(abs(s(i, j) - s(j, i)) <= 1e-4 for i in range(n) for j in range(n)), """you let query and
    key change places. That turns the distance round, and a score may well change then. Move both in the same
    direction.""")
E.mistake(lambda s, n: all(abs(s(i, j) - s(abs(i - j), 0)) <= 1e-4 for i in range(n) for j in range(n)),
    """you treat the distances 2 and -2 as one. They need not score alike: keep the sign.""")
E.mistake(moves(1, 0), "only the query has moved: that changes the distance.")
E.mistake(moves(0, 1), "only the key has moved: that changes the distance.")
E.mistake(moves(1, 1), """you pass a drift that is below 1e-4 from one pair to the next, and adds up to more. Do
    you compare only neighbours? It is the largest and the smallest score of a distance that may differ by 1e-4.""")
for where, hint in (
    (lambda i, j: j <= i, "You pass one where the key comes after its query: does your test try such pairs?"),
    (lambda i, j: j >= i, "You pass one where the key comes before its query: does your test try such pairs?"),
    (lambda i, j: i == j, "You pass some that change at another distance than 0. Which distances does your test try?"),
    (lambda i, j: i != j, "You pass one of a word with itself. Does your test try distance 0?"),
    (lambda i, j: i == 0, "You pass some that change further on. Which positions does your test move a query from?"),
):
    E.mistake(moves(1, 1, where=where), "you find some scores that depend on the place. " + hint)
E.mistake(moves(1, 1, 1e-3), "you pass a slow drift. How large may a difference be? Anything above 1e-4 counts.")
E.slip("max(scores) - min(scores)", "max(abs(s - scores[0]) for s in scores)", """you pass a score that is 7e-5 above
    the first of its distance at one place and 7e-5 below it at another. How far apart are those two?""")
E.slip("max(scores) - min(scores)", "max(abs(s - sum(scores) / len(scores)) for s in scores)", """you pass scores
    whose distance to their mean is below 1e-4, while the largest and the smallest lie further apart. Compare
    these two.""")
E.slip("max(scores) - min(scores)", "scores[-1] - scores[0]", """you find scores that grow with the place, and pass
    some that shrink or that come back. Which two scores of a distance are furthest apart?""")
for fine in ("0", "1e-6"):
    E.slip("> 1e-4", f"> {fine}", """you refuse scores that differ by less than 1e-4, as rounded ones do. Allow
        1e-4.""")
for wide in ("1e-3", "1e-2"):
    E.slip("> 1e-4", f"> {wide}", "you pass a small difference. How large may it be? Anything above 1e-4 counts.")
E.slip("> 1e-4", ">= 1e-4", "you refuse scores that differ by exactly 1e-4. At most 1e-4 is allowed.")
E.slip("max(scores) - min(scores)", "torch.tensor(scores).max() - torch.tensor(scores).min()", """you pass a
    drift of scores near a million. A tensor of floats is float32, which keeps seven digits: give it
    `dtype=torch.float64`, or stay with Python's floats.""")
E.slip("> 1e-4", "> 1e-4 + 1e-5 * abs(scores[0])", """you pass a small difference of scores that are near 1000. A
    relative tolerance grows with the numbers: set it to 0.""")

@E.law
def true_just_when_moving_changes_nothing(answer, score, n):
    """it has to be False if two scores of one distance differ by more than 1e-4, else True"""
    pairs = ((i, j, s) for i in range(n) for j in range(n) for s in range(1, n - max(i, j)))
    return answer == all(abs(score(i + s, j + s) - score(i, j)) <= 1e-4 for i, j, s in pairs)

E.hint("If the distance alone decides, what may you do to both positions without changing the score?")
E.hint("Gather all scores of one distance, also of the negative ones. How far apart may they be?")
E.hint("""For each distance d from 1 - n to n - 1, the scores `score(j + d, j)` whose two positions are from 0 to
    n - 1. If the largest minus the smallest is above 1e-4 for one d, the answer is False.""")
