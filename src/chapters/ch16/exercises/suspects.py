"""Return the faults that would have answered all used checks as found, a list in the table's
order."""

from course.learn.record import Exercise

CHECKS = ["row sums", "future", "batch", "order", "gradients"]

def told(**rows):
    """A table from strings of y and n, with one sign for each check."""
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

E.slip("all(row", "any(row", """you keep a fault if one check agrees. A suspect has to answer *all*
    used checks as this patient did. (If no check was used, every fault is a suspect.)""")
E.slip("==", "!=", """your test is inverted: you keep the faults that would have answered every
    check differently.""")
E.slip("row[name] == said", "row[name] or said", """you drop a fault only where both answers are
    no. A suspect has to answer as the patient did, whether that is yes or no.""")
E.slip("row[name] == said", "said or not row[name]", """you ignore the checks that found nothing.
    They rule out every fault that they would have found.""")
E.slip("row[name] == said", "row[name] or not said", """you ignore the checks that found something.
    They rule out every fault that would have passed them.""")
E.slip("row[name] == said", "row[name]", """you keep the faults that pass the used checks. You
    ignore the patient's answers.""")
E.slip("row[name] == said", "not row[name]", """you keep the faults that fail the used checks. You
    ignore the patient's answers.""")
E.slip("found.items())", "list(found.items())[:1])", """you look only at the first check. Look at
    all used checks.""")
E.slip("found.items())", "list(found.items())[-1:])", """you look only at the last check. Look at
    all used checks.""")
E.slip("return left", "return sorted(left)", """you return the right faults, but in alphabetical
    order. Keep the order of the table.""")
E.slip("return left", "return set(left)", """you return a set, which has no order. Return a list, in
    the order of the table.""")
E.slip("return left", "return len(left)", "you return the number of suspects. Return their names.")
E.slip("row[name] == said for name, said in found.items()",
       "row[name] == found.get(name, True) for name in row", """you treat a check that wasn't used
           as if it had found nothing. Look only at the used checks.""")

@E.law
def nobody_who_answers_otherwise(left, found, table):
    """every suspect has to answer the used checks as the patient did"""
    return all(table[fault][name] == said for fault in left for name, said in found.items())

E.hint("When do you rule out a fault? One check is enough for that.")
E.hint("""Go through the table. Keep a fault if its row agrees with the patient's answer to every
    check that was used.""")
E.hint("`all(row[name] == said for name, said in found.items())` is True for a fault that stays.")
