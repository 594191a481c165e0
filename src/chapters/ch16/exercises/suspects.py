"""Return the faults, a list in the table's order, that would have answered all checks as found."""

from course.learn.record import Exercise

CHECKS = ["row sums", "future", "batch", "order", "gradients"]

def told(**rows):
    """A table out of strings of y and n, one sign for each check."""
    return {fault: {name: sign == "y" for name, sign in zip(CHECKS, row, strict=True)}
            for fault, row in rows.items()}

SMALL = told(mask="ynyyy", scale="yyyyy", zeros="yyynn", diagonal="nnnyy", axis="nnyyy")
GIVEN = [({"future": False}, SMALL), ({"future": False, "row sums": True}, SMALL), ({}, SMALL),
         ({"order": False, "future": False}, SMALL), ({"row sums": True, "order": True}, SMALL),
         ({"batch": True, "gradients": True, "row sums": False}, SMALL)]

def drawn(d):
    rows = {f"fault {n}": "".join(d.choice("yyn") for _ in CHECKS) for n in d.shuffled(range(d.size(2)))}
    table = told(**rows)
    found = {name: d.choice([*table.values()])[name] for name in d.shuffled(CHECKS)[:d.size() % 4]}
    return found, table

E = Exercise(__name__, GIVEN, drawn)

@E.answer
def suspects(found, table):
    left = []
    for fault, row in table.items():
        if all(row[name] == said for name, said in found.items()):
            left.append(fault)
    return left

E.slip("all(row", "any(row", """one check that agrees is not enough: a suspect would have answered *all*
    spent checks as this patient did. (And if none was spent, everybody is suspect.)""")
E.slip("==", "!=", """turned round: you keep those who would have answered every check otherwise.""")
E.slip("row[name] == said", "row[name] or said", """you drop a fault only where both answers are no. It
    has to answer as the patient did, whether that is yes or no.""")
E.slip("row[name] == said", "said or not row[name]", """a check that found nothing tells something
    too: whoever would have been seen by it is no suspect any more.""")
E.slip("row[name] == said", "row[name] or not said", """a check that found something tells
    something too: whoever would have passed it is no suspect any more.""")
E.slip("row[name] == said", "row[name]", """you keep those that pass the spent checks. What the patient
    answered doesn't come in.""")
E.slip("row[name] == said", "not row[name]", """you keep those that fail the spent checks. What the
    patient answered doesn't come in.""")
E.slip("found.items())", "list(found.items())[:1])", """you look at the first check only.""")
E.slip("found.items())", "list(found.items())[-1:])", """you look at the last check only.""")
E.slip("return left", "return sorted(left)", """the right faults, but in the order of the alphabet. Keep the
    table's.""")
E.slip("return left", "return set(left)", """a set has no order. Return a list, in the table's order.""")
E.slip("return left", "return len(left)", """that is how many there are. Return their names.""")
E.slip("row[name] == said for name, said in found.items()",
       "row[name] == found.get(name, True) for name in row", """you take a check that wasn't spent for one
    that found nothing. Only the spent ones say something.""")

@E.law
def nobody_who_answers_otherwise(left, found, table):
    """every suspect has to answer the spent checks as found"""
    return all(table[fault][name] == said for fault in left for name, said in found.items())

E.hint("When is a fault no suspect any more? One check is enough for that.")
E.hint("Go through the table. A fault stays if for every spent check its row says what was found.")
E.hint("`all(row[name] == said for name, said in found.items())` is True for a fault that stays.")
