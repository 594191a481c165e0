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
    "from_the_ninth_word_on": lambda i, j: (i - j) / 4 + (i >= 8),
    "queries_fade": lambda i, j: -i / 4, "sum": lambda i, j: (i + j) / 4,
}

def scheme(name):
    def score(i, j):
        return RULES[name](i, j)

    score.__name__ = name
    return score

E = Exercise(__name__, n_drawn=8,
    inputs=[(scheme(name), n) for n in (3, 6) for name in RULES] + [(scheme("from_the_ninth_word_on"), 12)],
    draw=lambda d: (scheme(d.choice([*RULES])), d.size(3)))

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

E.slip("return True", "return False", """your test says False for all scores. For which of them
    does the score stay the same if both positions move?""")
E.slip("return False", "return True", """your test says True for all scores. Compare the scores of pairs that have the
    same distance.""")
E.mistake(lambda s, n: not relative_only(s, n), "your answer is reversed: True means that only the distance decides.")
E.slip("range(1 - n, n)", "[0]", """your test finds scores that change at distance 0, but accepts some that change at
    a different distance. Which distances does it try?""")
E.slip("range(1 - n, n)", "range(n)", """your test accepts a score that depends on the position when the key comes
    after its query. The distance can also be negative: does your test try such pairs?""")
E.slip("range(1 - n, n)", "range(1 - n, 1)", """your test accepts a score that depends on the position when the key
    comes before its query. Does it try such pairs?""")
E.slip("range(1 - n, n)", "[-1, 0, 1]", """your test accepts a score that depends on the position only when query and
    key are two or more apart. Which distances does it try?""")
E.slip("range(1 - n, n)", "range(-2, 3)", """your test accepts a score that depends on the position only when query
    and key are three or more apart. Which distances does it try?""")
E.slip("range(1 - n, n)", "[d for d in range(1 - n, n) if d]", """your test misses that the score
    of a word with itself can depend on its position. Does it try distance 0?""")
E.slip("j in range(n) if 0 <= j + distance < n", "j in range(n - 1) if 0 <= j + distance < n - 1 or n - 2 < abs(distance)", """your
    test finds scores that change at other positions, but accepts some that change only at the last one. Does it
    reach position n - 1?""")
E.slip("max(scores) - min(scores)", "abs(scores[0] - scores[:2][-1])", """your test finds scores that change at the
    first positions, but accepts some that change further on. Which positions does it try?""")
E.mistake(lambda s, n: all(abs(s(i, j) - s(j, i)) <= 1e-4 for i in range(n) for j in range(n)), """you swap query and
    key. That reverses the distance, so the score can change. Move both in the same direction.""")
E.mistake(lambda s, n: all(abs(s(i, j) - s(abs(i - j), 0)) <= 1e-4 for i in range(n) for j in range(n)),
    """you treat the distances 2 and -2 as the same. Their scores can differ, so keep the sign.""")
E.mistake(moves(1, 0), "you move only the query, which changes the distance.")
E.mistake(moves(0, 1), "you move only the key, which changes the distance.")
E.mistake(moves(1, 1), """your test accepts a drift that is below 1e-4 from one pair to the next,
    but adds up to more. Do you compare only neighbours? The largest and the smallest score of a
    distance may differ by at most 1e-4.""")
for where, hint in (
    (lambda i, j: j <= i, "some in which the key comes after its query. Does it try such pairs?"),
    (lambda i, j: j >= i, "some in which the key comes before its query. Does it try such pairs?"),
    (lambda i, j: i == j, "scores that change at a distance other than 0. Which distances does it try?"),
    (lambda i, j: i != j, "the score of a word with itself. Does it try distance 0?"),
    (lambda i, j: i == 0, "scores that change further on. From which positions does it move a query?"),
):
    E.mistake(moves(1, 1, where=where), "your test finds some scores that depend on the position, but it misses " + hint)
E.mistake(moves(1, 1, 1e-3), """your test accepts a slow drift. How large may a difference be? Anything above 1e-4
    counts.""")
E.slip("max(scores) - min(scores)", "max(abs(s - scores[0]) for s in scores)", """you compare each
    score with the first one of its distance. If one score is 7e-5 above the first and another is
    7e-5 below it, how far apart are these two?""")
E.slip("max(scores) - min(scores)", "max(abs(s - sum(scores) / len(scores)) for s in scores)", """your test accepts
    scores that differ from their mean by less than 1e-4, although the largest and the smallest are further apart.
    Compare these two.""")
E.slip("max(scores) - min(scores)", "scores[-1] - scores[0]", """your test finds scores that grow with the position,
    but accepts some that shrink or that go up and come back. Of all the scores at one distance, which two are furthest apart?""")
for fine in ("0", "1e-6"):
    E.slip("> 1e-4", f"> {fine}", """your test rejects scores that differ by less than 1e-4, as rounded ones do. Allow
        1e-4.""")
for wide in ("1e-3", "1e-2"):
    E.slip("> 1e-4", f"> {wide}", """your test accepts a small difference. How large may it be? Anything above 1e-4
        counts.""")
E.slip("> 1e-4", ">= 1e-4", "your test rejects scores that differ by exactly 1e-4, which is still allowed.")
E.slip("max(scores) - min(scores)", "torch.tensor(scores).max() - torch.tensor(scores).min()", """
    your test misses a drift in scores near a million. A tensor of floats is float32, which keeps
    only seven digits. Give it `dtype=torch.float64`, or use Python's floats.""")
E.slip("> 1e-4", "> 1e-4 + 1e-5 * abs(scores[0])", """your test accepts a small difference between scores near 1000. A
    relative tolerance grows with the numbers: set it to 0.""")

@E.law
def true_just_when_moving_changes_nothing(answer, score, n):
    """the result has to be False if two scores of the same distance differ by more than 1e-4,
    otherwise True"""
    pairs = ((i, j, s) for i in range(n) for j in range(n) for s in range(1, n - max(i, j)))
    return answer == all(abs(score(i + s, j + s) - score(i, j)) <= 1e-4 for i, j, s in pairs)

E.hint("If only the distance decides, what can you do to both positions without changing the score?")
E.hint("Collect all scores of one distance, and do so for negative distances as well. How far apart may they be?")
E.hint("""For each distance d from 1 - n to n - 1, collect the scores `score(j + d, j)` whose two positions are from 0
    to n - 1. If the largest minus the smallest is above 1e-4 for any d, the answer is False.""")
