"""Return whether, for some query, key j of keys, (n, 2), alone has the highest score."""

import cmath
import math

import torch

from course.learn.record import Exercise

KEYS = torch.tensor([[2.0, 2.0], [1.0, 0.0], [0.25, -0.25], [-3.0, 1.0], [0.0, 1.0]])
ROUND = torch.view_as_real(torch.polar(torch.ones(360), torch.arange(360).deg2rad()))  # queries
EXPLORER = ROUND[[20, 70, 100, 170, 240, 310]] * torch.tensor([[1.2, 1.0, 1.6, 1.2, 1.4, 1.0]]).T

def drawn(d):
    low, high = ((5, 6), (-12, -5), (5, 8), (-91, -12), (12, 181), (-181, -91))[d.n % 6]  # j's arc
    far = d.choice([0, 0, 20])  # far from 0, a short key can win, even with a score below 0
    while True:
        z = [complex(k % 25 - 12, k // 25 - 12) / 4 for k in d.sample(range(625), d.randint(2, 8))]
        for j in d.shuffled(range(len(z))):
            angles = sorted(math.degrees(cmath.phase(z[j] - other)) for other in z if other != z[j])
            gaps = (b - a for a, b in zip(angles, angles[1:] + [angles[0] + 360], strict=True))
            if low <= max(gaps) - 180 <= high:
                z = torch.tensor(z) + complex(d.uniform(-far, far), far)
                return torch.view_as_real(z) * d.choice([-10.0, 0.1, 1.0]), j

E = Exercise(__name__, draw=drawn, n_drawn=48, inputs=[
    (KEYS[:2], 0), (KEYS[:2], 1), (KEYS, 4), (KEYS, 1), *((EXPLORER, j) for j in range(6)),
    (torch.tensor([[0.0, 0.0], [4.0, 0.0], [-1.0, 4.0], [-4.0, -1.0], [0.0, -4.0]]), 0),
    (torch.tensor([[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]), 1),  # it can only tie
    (torch.tensor([[0.0, 2.0], [0.0, 0.0], [0.0, -1.0]]), 1),
    (torch.tensor([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]), 0),  # its score is 0, always
])

@E.answer
def can_win(keys, j):
    others = torch.cat([keys[:j], keys[j + 1 :]])
    leads = keys[j] - others  # the query must lie less than 90 degrees from every one of them
    angles = torch.atan2(leads[:, 1], leads[:, 0]).sort().values
    next_angles = torch.cat([angles[1:], angles[:1] + 2 * math.pi])  # once around
    widest_gap = (next_angles - angles).max()
    return bool(widest_gap > math.pi)

E.mistake(lambda keys, j: int(keys.norm(dim=-1).argmax()) == j, """you accept only the longest
    key, but other keys can win too: in the explorer, five of the six keys can win.""")
E.mistake(lambda keys, j: int((keys @ keys[j]).argmax()) == j, """you try only the query that points
    in the direction of the key. Key j may win for a different query, where its rivals are
    weaker.""")
E.mistake(lambda keys, j: j in (keys @ keys.T).argmax(dim=-1), """you try only the keys themselves
    as queries. A query can point anywhere, even between two keys.""")
FEW = """you miss some winners. Some keys win only within a narrow arc, and none of your queries
    points there. A full turn has 360 degrees, or 2 pi, and a query for every degree is enough."""
for queries in (*(ROUND[::step] for step in (90, 45, 30, 15, 10)), ROUND[:180]):
    E.mistake(lambda keys, j, q=queries: j in (q @ keys.T).argmax(dim=-1), FEW)
E.mistake(lambda keys, j: any((keys[j] == m).any().item() for m in keys.aminmax(dim=0)), FEW)
E.mistake(lambda keys, j: any(s[j] == max(s) > 0 for s in (ROUND @ keys.T).tolist()), """a
    score below 0 also wins if all others are even lower. Do you ask for a score above 0?""")
E.mistake(lambda keys, j: bool(keys[j].any()) and can_win(keys, j), """a key of length 0 has the
    score 0 for every query. If all others lie on one side, a query that points away from them
    gives them scores below 0, and key j wins.""")
E.mistake(lambda keys, j: True, """you return True for every key. For some query, key j has
    to beat all its rivals without a tie. (A query of length 0 gives only ties.) Or do you compare
    degrees with pi?""")
E.slip("> math.pi", "> math.pi - 1e-3", """you also count a tie. A key on the line between two
    others can have the highest score, but never alone.""")
LIMIT = "your limit is too low: the gap has to be more than half of the circle, which is pi."
E.slip("> math.pi", "> 2 * math.pi / 3", LIMIT)
E.slip("> math.pi", "> math.pi / 2", LIMIT)
E.slip("> m", "< m", "all your answers are reversed: True has to mean that key j can win.")
E.slip("bool", "", "your answer is right, but it is a tensor. Return `bool(...)` of it.")

@E.law
def true_if_one_of_360_wins(answer, keys, j):
    """the answer has to be True exactly if key j wins for at least one of 360 queries, a degree
    apart"""
    around = torch.arange(360.0).deg2rad()
    queries = torch.stack([around.cos(), around.sin()], dim=-1)
    return answer == (j in (queries @ keys.T).argmax(dim=-1))

E.hint("""Only a query's direction counts. How many directions are enough, if every winner has an
    arc of at least five degrees?""")
E.hint("""Make a query for each of 360 degrees. `queries @ keys.T` has a row for each query. Which
    key has the highest score in that row?""")
E.hint("""`(queries @ keys.T).argmax(dim=-1)` gives the winners. Is j among them? (Or sort the
    angles of all `keys[j] - other`. Once around the circle, is any gap between neighbours larger
    than pi?)""")
