"""Return the name of the check that leaves the fewest suspects in the worst case."""

from chapters.ch16.exercises.suspects import CHECKS, told
from course.learn.record import Exercise

SMALL = told(mask="ynyyy", scale="yyyyy", zeros="yyynn", diagonal="nnnyy", axis="nnyyn")
GIVEN = [(["mask", "scale"], SMALL, CHECKS), ([*SMALL], SMALL, CHECKS),
         (["zeros", "scale", "mask", "diagonal"], SMALL, CHECKS[::-1]),
         (["diagonal", "axis", "mask"], SMALL, CHECKS), ([*SMALL], SMALL, ["batch", "future"]),
         (["scale"], SMALL, CHECKS[2:]), ([*SMALL][::-1], SMALL, ["batch", "order", "row sums"])]

def drawn(d):
    rows = {f"fault {n}": "".join(d.choice("yyn") for _ in CHECKS) for n in range(d.size(3) + 2)}
    names = d.shuffled(rows)
    return names[: 1 + d.size(2)], told(**rows), d.shuffled(CHECKS)[: d.size(2)]

E = Exercise(__name__, GIVEN, drawn)

@E.answer
def next_check(suspects, table, checks):
    best, fewest = None, len(suspects) + 1
    for name in checks:
        yes = sum(table[fault][name] for fault in suspects)
        left = max(yes, len(suspects) - yes)
        if left < fewest:
            best, fewest = name, left
    return best

E.slip("max(yes", "min(yes", """you look at the smaller group, which is left only if you are lucky.
    Which answer leaves more suspects?""")
E.slip("left = max(yes, len(suspects) - yes)", "left = yes", """you count the suspects that stay if
    the answer is yes. But the answer can be no.""")
E.slip("left = max(yes, len(suspects) - yes)", "left = len(suspects) - yes", """you count the
    suspects that stay if the answer is no. But the answer can be yes.""")
E.slip("left < fewest", "left <= fewest", """if two checks are equally good, you take the later one.
    Take the one that comes first in `checks`.""")
E.slip("for fault in suspects)", "for fault in table)", """you count all faults in the table. Count
    only the suspects.""")
E.slip("    return best", "    return checks[0]", """you always return the first check. Which check
    leaves the fewest suspects?""")
E.slip("    return best", "    return fewest", """you return how many suspects are left. Which check
    leaves them?""")

@E.law
def one_of_the_checks(name, suspects, table, checks):
    """the result has to be the name of one of the checks"""
    return name in checks

E.hint("""A check splits the suspects into two groups: those that would answer yes, and those that
    would answer no.""")
E.hint("The unlucky answer leaves the larger of the two groups. Which check makes that group smallest?")
E.hint("""`yes = sum(table[fault][name] for fault in suspects)`, and the larger group has `max(yes,
    len(suspects) - yes)`. Keep the first check whose larger group is the smallest.""")
