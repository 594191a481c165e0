"""Return the dot product of two lists of numbers of one length, as a float, without torch."""

from course.learn.record import Exercise


def drawn(d):
    pool, k = [0, *(d.randint(-4, 4) for _ in range(4))], d.choice([1, d.size(), d.size(), 40])
    if d.n % 3:  # not only whole numbers
        pool += [0.15, 1 / 3, 2 / 7, d.number(), d.number(-400, 400)]
    return d.choices(pool, k=k), d.choices(pool, k=k)

PAIRS = ([1.0, 2.0], [3.0, 4.0]), ([1.0, 0.0], [0.0, 1.0]), ([2], [-3]), ([1, 2, 2], [3, 0, -1])
E = Exercise(__name__, inputs=PAIRS, draw=drawn, without=("torch",))

@E.answer
def dot(a, b):
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total

E.slip("0.0", "0", """right, but of whole numbers your sum is whole too, an int, and a float was
    asked for. `float(...)` makes one of it; so does a total that starts from 0.0.""")
E.mistake(lambda a, b: [x * y for x, y in zip(a, b, strict=True)], """these are the products, one
    for each place. A dot product is a single number: what happens to the products last?""")
FIRST = "only the first product counts. Is the return inside the loop? Move it out to the left."
E.slip("    return", "        return", FIRST)
E.slip("total += a", "return a", FIRST)
LAST = "only the last product is left. Does each turn overwrite the total? Add to it with `+=`."
E.slip("+=", "=", LAST)
E.slip("+= a[i] * b[i]", "= a[i] * b[i] + 0.0", LAST)
E.slip("len(a)", "len(a) - 1", "the last place is missing: does your `range` stop one early?")
EVERY = """every number of a meets every number of b in yours, as in `sum(a) * sum(b)`. Only
    numbers at the same place meet: a[0] with b[0], a[1] with b[1]."""
E.slip("* b[i]", "* sum(b)", EVERY)
E.mistake(lambda a, b: sum(a) * sum(b), EVERY)
ADDED = "you add where you should multiply: only the products of two at one place are added."
E.slip("* b[i]", "+ b[i]", ADDED)
E.mistake(lambda a, b: sum(a) + sum(b), ADDED)
E.mistake(lambda a, b: dot(a, b) / (dot(a, a) * dot(b, b)) ** 0.5, """this is the cosine of the
    angle: you divided by both lengths. A dot product keeps the lengths.""")
E.slip("a[i] * b[i]", "abs(a[i] * b[i])", """you dropped the signs. A number above 0 and one below
    have a product below 0, and it counts against the others.""")

@E.law
def at_most_both_lengths(answer, a, b):
    """in size it can be no more than the length of a times the length of b"""
    return answer**2 <= sum(x * x for x in a) * sum(y * y for y in b) * (1 + 1e-6)

E.hint("Which number of b belongs to a[0]? What do you do with the two?")
E.hint("Multiply the numbers that stand at the same place, and add up the products.")
E.hint("Start with `total = 0.0`, and in a loop over the places `total += a[i] * b[i]`.")
