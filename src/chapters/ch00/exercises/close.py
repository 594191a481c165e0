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
    """Exact in binary, and near the bound: rounding decides nothing. Half of them are close."""
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

E.mistake(lambda a, b, rtol, atol: torch.equal(a, b), """you ask whether they are exactly equal.
    The question is whether the difference is within what the tolerances allow.""")
E.mistake(lambda a, b, rtol, atol: torch.allclose(a, b), """you used PyTorch's own tolerances and
    never looked at the `rtol` and `atol` that came in. Write the formula out by hand.""")
E.slip("(a - b).abs()", "(a - b)", """-5 and 3 count as close for you: a negative difference is
    below every bound. Take its size, `.abs()`.""")
E.slip(".all()", ".any()", "one close element is enough for you. All of them have to be.")
E.slip("rtol * b", "rtol * a", """you measure `rtol` by a. In the formula it is b, the expected
    value: the two are not treated alike.""")
E.slip("rtol * b.abs()", "rtol * b", """for a negative b your bound is negative, and nothing is
    below it. Use the size of b.""")
E.slip("<=", "<", """0 and 0 with both tolerances 0 are not close for you: the difference may be
    equal to the bound.""")
E.slip(" + rtol * b.abs()", "", "`rtol` is missing: large numbers may differ by more.")
E.slip("atol + ", "", "`atol` is missing: where b is 0, your bound is 0 too.")
SUM, ALL = "atol + rtol * b.abs()", "((a - b).abs() <= allowed).all()"
E.slip(SUM, "torch.clamp(rtol * b.abs(), min=atol)", """you take the larger of the two tolerances.
    PyTorch adds them.""")
E.slip(f"bool({ALL})", ALL, """right, but this is a tensor that holds one truth value. `bool(...)`
    makes a Python bool of it.""")
E.slip(f"bool({ALL})", "(a - b).abs() <= allowed", """you return an answer for each element. They
    have to be one answer: `.all()`.""")
E.slip(".all()", "", """`bool()` takes a single truth value, and with more than one element there
    are several: join them with `.all()` first.""")
E.slip(f"bool({ALL})", "all(abs(x - y) <= atol + rtol * abs(y) for x, y in zip(a, b))", """right
    for a row of numbers, but there may be any number of axes, or none. `flatten()` them.""")
E.slip(SUM, "rtol + atol * b.abs()", "the tolerances have changed places: `rtol` goes with b.")
E.slip(" * b", " * torch.maximum(a.abs(), b.abs())", "measure `rtol` by b, not by the larger.")
E.slip(ALL, "(a - b).abs().max() <= allowed.max()", "each difference has a bound of its own.")
E.slip(ALL, "(a - b).abs().mean() <= allowed.mean()", "a mean or sum hides one large difference.")
E.slip("(a - b)", "(a.abs() - b.abs())", "-3 and 3 are close for you: first subtract, then `abs`.")

@E.law
def equal_is_close(answer, a, b, rtol, atol):
    """a and b are equal, so they are close under any tolerances"""
    return answer or not torch.equal(a, b)

E.hint("Write down the difference and the bound as two tensors, and print both for two numbers.")
E.hint("""`(a - b).abs()` is the difference, `atol + rtol * b.abs()` the bound. Compare them
    element by element.""")
E.hint("`.all()` joins the answers, `bool()` makes a Python bool of the result.")
