"""Return how many batches you need for a standard error of at most `wanted`."""

import math

from course.learn.record import Exercise


def drawn(d):
    if d.n % 3 == 0:  # a whole ratio, exact in binary
        return d.size() / 4, 0.25
    needed = d.randrange(10 ** d.randint(1, 4)) + d.choice((0.03, 0.97, d.randint(3, 97) / 100))
    wanted = d.choice((0.0003, 0.02, 1, 7, 800))
    return round(needed**0.5 * wanted, 9), wanted

CASES = [(0.5, 0.3), (0.5, 0.25), (0.08, 0.03), (0.07, 0.0031), (0.05, 0.06), (3, 2), (0.07, 0.01)]
CASES += [(2.1, 0.7), (0.27, 0.03), (0.3, 0.1), (0.5, 0.5), (7.003, 1.0), (0.9, 0.01), (0.01, 1.0), (7.00003, 1.0), (1.001, 1.0), (1e-5, 1.0)]
E = Exercise(__name__, CASES, drawn)

@E.answer
def batches_needed(spread, wanted):
    exact = (spread / wanted) ** 2
    return math.ceil(exact * (1 - 1e-12))  # 0.07 / 0.01 is a little above 7

CEIL = "math.ceil(exact * (1 - 1e-12))"
COUNT_UP = "next(n for n in range(1, 10**6) if spread / math.sqrt(n) <= wanted)"
for wrong in ("math.ceil(exact)", COUNT_UP):
    E.slip(CEIL, wrong, """your formula is right, but floats are rounded, which adds one batch: in
        Python, 0.07 / 0.01 is a little above 7, and 2.1 / 3 is a little above 0.7. Allow for that
        before you round up or compare.""")
E.slip(CEIL, "math.ceil(spread / wanted)", """the standard error falls with the square root of the
    number of batches, not with the number. To halve it, you need four times as many.""")
E.slip(CEIL, "math.ceil(math.sqrt(spread / wanted))", """your square root is on the wrong side.
    Write spread / sqrt(n) = wanted, and solve for n.""")
E.slip(CEIL, "math.floor(exact)", """you rounded down, so the standard error is still a little
    larger than `wanted`.""")
E.slip(CEIL, "round(exact)", """you round to the nearest number. Where that rounds down, the
    standard error is still a little larger than `wanted`.""")
E.slip(CEIL, "exact", """you return the exact result of the formula, but you can't draw part of a
    batch. What is the smallest whole number that is enough?""")
E.slip(CEIL, "math.floor(exact) + 1", """you always add 1 to the whole part. That is one batch too
    many if the result is already a whole number.""")
E.slip("** 2", "** -2", "your ratio is upside down: a smaller error needs more batches.")
E.slip(CEIL, "math.ceil(spread**2 / wanted)", """you square only the spread. Square both sides of
    spread / sqrt(n) = wanted.""")

@E.law
def whole_and_at_least_1(n, spread, wanted):
    """the number has to be a whole number and at least 1"""
    return isinstance(n, int) and n >= 1

@E.law
def small_enough(n, spread, wanted):
    """with this many batches, the standard error has to be at most `wanted`"""
    return spread / n**0.5 <= wanted * (1 + 1e-9)

@E.law
def one_fewer_is_too_few(n, spread, wanted):
    """with one batch fewer, the standard error has to be above `wanted`"""
    return n == 1 or spread / (n - 1) ** 0.5 > wanted * (1 + 1e-9)

E.hint("""The standard error of the mean of n batches is the spread divided by the square root of
    n.""")
E.hint("Set spread / sqrt(n) equal to `wanted`, and solve for n.")
E.hint("Round `(spread / wanted) ** 2` up to a whole number with `math.ceil`.")
