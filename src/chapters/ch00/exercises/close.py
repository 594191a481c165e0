"""Return True if every |a - b| is at most atol + rtol * |b|, as a Python bool."""

import torch

from course.learn.record import Exercise

DOUBLE = torch.DoubleTensor
FIXED = [([1.0], [1.0], 1e-5, 1e-8), ([0.0], [0.0], 0.0, 0.0), ([1.000001], [1.0], 1e-5, 1e-8)]
FIXED += [([-5.0], [3.0], 1e-5, 1e-8), ([2.0], [3.0], 0.4, 0.0), ([-102.0], [-100.0], 0.05, 0.0)]
FIXED += [([1.0, 2.0, 9.0], [1.0, 2.0, 3.0], 0.1, 0.0), ([2.0**-30], [0.0], 0.5, 0.0)]
FIXED += [([1 + 2**-40], [1.0], 0.0, 0.0), ([2.0**-99], [0.0], 0.0, 0.0)]
INPUTS = [tuple(map(DOUBLE, both[:2])) + both[2:] for both in FIXED]
INPUTS += [(torch.tensor(0.0020199 + 3.24e-8), torch.tensor(0.0020199), 1e-5, 1e-8)]  # the page's

def drawn(d):
    """Numbers near the bound and exact in binary, so rounding doesn't matter. Half are close."""
    b = d.tensor(1, *d.sample((1, 2, 3, 4), d.randrange(4)))[0] * d.choice((1, 1, 64))
    rtol, atol = d.choices((0.0, 1 / 32, 1 / 8, 1 / 2, 2.0), k=2)
    part = d.whole(0, 5, b.numel()) / 4  # of the bound
    if d.n % 2:
        part[d.randrange(len(part))] = d.choice((9 / 8, 5 / 4, 3.0))  # one is beyond it
    a = b + (atol + rtol * b.abs()) * part.view(b.shape) * (d.whole(0, 2, *b.shape) * 2 - 1)
    return (a.double(), b.double(), rtol, atol) if d.n % 3 else (a, b, rtol, atol)

E = Exercise(__name__, INPUTS, draw=drawn, n_drawn=36, without=("allclose", "isclose"))

@E.answer
def close(a, b, rtol, atol):
    allowed = atol + rtol * b.abs()
    return bool(((a - b).abs() <= allowed).all())

E.mistake(lambda a, b, rtol, atol: torch.equal(a, b), """you ask whether a and b are exactly equal.
    The question is whether their difference is at most what the tolerances allow.""")
E.mistake(lambda a, b, rtol, atol: torch.allclose(a, b), """you used PyTorch's default tolerances and
    ignored the arguments `rtol` and `atol`. Write out the formula with them.""")
E.slip("(a - b).abs()", "(a - b)", """your function calls -5 and 3 close, because a negative
    difference is below every bound. Take its absolute value with `.abs()`.""")
E.slip(".all()", ".any()", "your function returns True if one element is close. All of them have to be close.")
E.slip("rtol * b", "rtol * a", """you multiply `rtol` by the size of a. The formula uses b, the
    expected value, so a and b aren't interchangeable.""")
E.slip("rtol * b.abs()", "rtol * b", """for a negative b your bound can be negative, and no difference
    is below it. Use the absolute value of b.""")
E.slip("<=", "<", """with both tolerances 0 your function says that 0 and 0 aren't close. The
    difference is allowed to be equal to the bound.""")
E.slip(" + rtol * b.abs()", "", "you left out `rtol`, which lets large numbers differ by more.")
E.slip("atol + ", "", "you left out `atol`, so where b is 0, your bound is also 0.")
SUM, ALL = "atol + rtol * b.abs()", "((a - b).abs() <= allowed).all()"
E.slip(SUM, "torch.clamp(rtol * b.abs(), min=atol)", """you take the larger of the two tolerances.
    PyTorch adds them.""")
E.slip(f"bool({ALL})", ALL, """your answer is right, but it is a tensor that holds one truth value.
    `bool(...)` turns it into a Python bool.""")
E.slip(f"bool({ALL})", "(a - b).abs() <= allowed", """you return one answer for each element.
    Combine them into one answer with `.all()`.""")
E.slip(".all()", "", """`bool()` takes a single truth value, but with more than one element there
    are several. Combine them with `.all()` first.""")
E.slip(f"bool({ALL})", "all(abs(x - y) <= atol + rtol * abs(y) for x, y in zip(a, b))", """your
    function is right for tensors with one axis, but they can have any number of axes, or none.
    `flatten()` them first.""")
E.slip(SUM, "rtol + atol * b.abs()", "you swapped the tolerances: `rtol` is multiplied by the size of b.")
E.slip(" * b", " * torch.maximum(a.abs(), b.abs())", "you multiply `rtol` by the larger of the two sizes. The formula uses b.")
E.slip(ALL, "(a - b).abs().max() <= allowed.max()", "you compare the largest difference with the largest bound. Each has its own bound.")
E.slip(ALL, "(a - b).abs().mean() <= allowed.mean()", "you compare means or sums, which can hide one large difference.")
E.slip("(a - b)", "(a.abs() - b.abs())", "your function calls -3 and 3 close. Subtract first, then take `abs`.")

@E.law
def equal_is_close(answer, a, b, rtol, atol):
    """a and b are equal, so they are close under any tolerances"""
    return answer or not torch.equal(a, b)

E.hint("Compute the difference and the bound as two tensors, and print both for two numbers.")
E.hint("""`(a - b).abs()` is the difference, `atol + rtol * b.abs()` the bound. Compare them
    element by element.""")
E.hint("`.all()` combines the answers, and `bool()` turns the result into a Python bool.")
