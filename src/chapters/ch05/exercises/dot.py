"""Return the dot product of two lists of numbers, of the same length, as a float, without torch."""

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

E.slip("0.0", "0", """your numbers are right, but for lists of ints you return an int, not a float.
    Use `float(...)`, or start your total from 0.0.""")
E.mistake(lambda a, b: [x * y for x, y in zip(a, b, strict=True)], """you return the products, one
    for each position. A dot product is a single number. What do you do with the products?""")
FIRST = "you count only the first product. Is your `return` inside the loop? Move it out."
E.slip("    return", "        return", FIRST)
E.slip("total += a", "return a", FIRST)
LAST = "you keep only the last product. Do you overwrite the total each time? Add to it with `+=`."
E.slip("+=", "=", LAST)
E.slip("+= a[i] * b[i]", "= a[i] * b[i] + 0.0", LAST)
E.slip("len(a)", "len(a) - 1", "you leave out the last position. Does your `range` stop too early?")
EVERY = """you multiply every number of a by every number of b, as in `sum(a) * sum(b)`. Multiply
    only numbers at the same position: a[0] by b[0], a[1] by b[1]."""
E.slip("* b[i]", "* sum(b)", EVERY)
E.mistake(lambda a, b: sum(a) * sum(b), EVERY)
ADDED = "you add a[i] and b[i]. Multiply the two numbers at each position, then add the products."
E.slip("* b[i]", "+ b[i]", ADDED)
E.mistake(lambda a, b: sum(a) + sum(b), ADDED)
E.mistake(lambda a, b: dot(a, b) / (dot(a, a) * dot(b, b)) ** 0.5, """you return the cosine of the
    angle, because you divided by both lengths. A dot product isn't divided by them.""")
E.slip("a[i] * b[i]", "abs(a[i] * b[i])", """you dropped the signs. The product of a positive and a
    negative number is negative, so it lowers the sum.""")

@E.law
def at_most_both_lengths(answer, a, b):
    """the size of a dot product is at most the length of the vector a times the length of the
    vector b"""
    return answer**2 <= sum(x * x for x in a) * sum(y * y for y in b) * (1 + 1e-6)

E.hint("Which number of b belongs to a[0]? What do you do with those two numbers?")
E.hint("Multiply the numbers at the same position, and add up the products.")
E.hint("Start with `total = 0.0`. In a loop over the positions, do `total += a[i] * b[i]`.")
