"""Return True if neither the queries nor the keys play any part in what attend returns."""

import torch

from chapters.families import PARTS, almost, at, by, faint, family, rights
from course.learn.draws import quarters
from course.learn.record import Exercise

QKV = [(quarters(2, 5, 3, seed=n) + 0.125).requires_grad_() for n in (1, 2, 3)]

def near(scores):  # each position may look at itself and the four before it
    return scores.where(torch.ones(scores.shape[-2:]).tril().triu(-4) > 0, -torch.inf)

SCORES = {  # of the heads; those first that tell most mistakes apart
    "five": lambda q, k: q @ q.mT, "six": lambda q, k: k @ k.mT,
    "seven": lambda q, k: torch.cosine_similarity(q[..., None, :], k[..., None, :, :], dim=-1),
    "two": lambda q, k: near(torch.zeros((q @ k.mT).shape)), "four": lambda q, k: 0 * (q @ k.mT),
    "eight": lambda q, k: (q.sign() + k.sign()) @ (q.sign() + k.sign()).mT,
    "one": lambda q, k: q @ k.mT, "three": lambda q, k: near(q @ k.mT / q.shape[-1] ** 0.5),
}

def head(name):
    def attend(q, k, v):
        return torch.softmax(SCORES[name](q, k), dim=-1) @ v
    attend.__name__ = f"head_{name}"
    return attend

DEAF = head("four")

def aware(q, k, v):  # of every product of a query and a key, everywhere alike
    unlike = torch.arange(1, q.shape[-2] * q.shape[-1] + 1).view(q.shape[-2:]).sqrt()  # so that no two cancel
    return DEAF(q, k, v) + (q * (k + k.roll(1, -2)) * unlike).mean(dim=(-2, -1), keepdim=True).tanh()

def hears_only(part):
    return lambda q, k, v: aware(part(q), part(k), v)

ROUND = {"sums over words": lambda x: x.mean(dim=-2, keepdim=True).expand_as(x),
         "sums round a ring": lambda x: (x * x.roll(1, -2)).mean(dim=(-2, -1), keepdim=True).expand_as(x),
         "centred over words": lambda x: x - x.mean(dim=-2, keepdim=True),
         "the first word": at(-2, 0), "the last word": at(-2, -1)}
HEARS = [*family(DEAF, aware, "hears", "one word"), *rights(DEAF, aware, "deaf"),
         *(almost(DEAF, hears_only(part), by(1), f"hears {what}") for what, part in (PARTS | ROUND).items()),
         almost(DEAF, aware, lambda off, out: off.mean().expand_as(off), "hears the same everywhere"),
         almost(DEAF, aware, lambda off, out: faint(3e-5)(at(-2, 1)(off)), "hears only faintly at one position")]
LARGE = [(2 * torch.randn(3, 6, 4, generator=torch.Generator().manual_seed(n))).requires_grad_() for n in (1, 2, 3)]

def drawn(d):
    T, D, batch, large = d.randint(6, 9), d.size(3), (d.size(3 if d.n > 7 else 1),) * (d.n % 2 == 0 or d.n > 7), 16 ** (d.n == 5)
    q, k, v = (d.tensor(*batch, T, size) + 0.125 for size in (D, D, d.size()))  # no sign is 0
    heard = head([*SCORES][d.n]) if d.n < 8 else d.choice(HEARS)
    return heard, *(x.requires_grad_() for x in (q * large, k * large, v))

E = Exercise(__name__, [(head(name), *QKV) for name in SCORES]
             + [(attend, *LARGE) for attend in HEARS], drawn, n_drawn=14)

@E.answer
def is_deaf(attend, q, k, v):
    out = attend(q, k, v)
    others = [attend(torch.randn_like(q), torch.randn_like(k), v) for _ in range(3)]
    return all(torch.allclose(out, other, rtol=0, atol=1e-5) for other in others)

NEW_Q, NEW_K = "torch.randn_like(q)", "torch.randn_like(k)"
NEW, OTHERS = f"{NEW_Q}, {NEW_K}", f"attend({NEW_Q}, {NEW_K}, v) for _ in range(3)"
E.slip("all(", "False and (", """you never call a head deaf, but two of the eight are deaf. The
    output of a deaf head still changes with v, because the values do reach it. What doesn't reach
    it?""")
E.slip("all(", "True or (", """you call every head deaf, but most of them hear. What did you change, and which head
    could notice it? The shape of the output is the same for all. And if you change the sign of both
    q and k, their products don't change.""")
E.slip(NEW, "2 * q, 2 * k", """you call heads deaf that do hear. Some hear only directions or only
    signs, so they don't notice when you multiply q and k by a number. Try completely different q
    and k.""")
for step in ("q + 0.01, k + 0.01", "q + 1, k + 1"):
    E.slip(NEW, step, """you call heads deaf that do hear. Some hear only signs, which a
        small step doesn't change. Others hear only differences, which stay the same if you add one
        number everywhere. Try completely different q and k.""")
E.slip(OTHERS, "v.cumsum(dim=-2) / torch.arange(1, v.shape[-2] + 1)[:, None]", """you compare the
    output with a running mean. One deaf head gives the mean of all values, and the other gives the
    mean of the last five. Change q and k instead, and see whether the output changes.""")
E.slip("return", "out.sum().backward()\n    return q.grad is k.grad is None\n    return", """you look for gradients
    that are None, but one deaf head multiplies its scores by 0, so its gradients are 0. Change q and k instead.""")
E.slip(OTHERS, "v.mean(-2, True)", """you find the deaf head without a mask, whose output is the mean of all values,
    but not the deaf head with a mask. Change q and k instead.""")
for other in (f"q, {NEW_K}", "q, 2 * k"):
    E.slip(NEW, other, """you call a head deaf although it isn't: it ignores its keys and scores queries with queries,
        which is a different mistake. Did you change only the keys?""")
for other in (f"{NEW_Q}, k", "2 * q, k"):
    E.slip(NEW, other, """you call a head deaf although it isn't: it ignores its queries and compares keys with keys,
        which is a different mistake. Did you change only the queries?""")
for rtol in ("rtol=0, ", ""):  # also with a relative tolerance
    for place, part in (("[..., 0, :]", "position"), ("[..., -1, :]", "position"), ("[..., 0]", "channel"),
                        ("[..., -1]", "channel")):
        E.slip("(out, other, rtol=0, ", f"(out{place}, other{place}, {rtol}", f"""you are right about heads that hear
            everywhere, but you call a head deaf if only a single {part} of its output changes.
            Which numbers does your test compare?""")
    for mean in (".mean()", ".mean(-1)", ".mean(-2)"):
        E.slip("(out, other, rtol=0, ", f"(out{mean}, other{mean}, {rtol}", """you call a head deaf although
            its output changes: one number grows by as much as another shrinks. Does your test compare number by
            number?""")
    E.slip("(out, other, rtol=0, ", f"(out.norm(dim=-1), other.norm(dim=-1), {rtol}", """you call a head deaf whose
        outputs rotate but keep their lengths. Does your test compare number by number?""")
for wide in ("5e-2", "1e-4"):
    E.slip("1e-5", wide, """you call a head deaf that hears only a little. Rounding changes a number by up to 1e-5.
        How large a difference does your test accept?""")
E.slip("atol=1e-5", "atol=1e-6", """you say that a deaf head hears, only because its output changes a little. A change of less
    than 1e-5 is only rounding.""")
E.slip("rtol=0, ", "", """you call a head deaf whose outputs are near 100 and change by less than
    0.001. A relative tolerance, such as `rtol` of `torch.allclose`, grows with the numbers.
    Set `rtol=0`.""")
E.slip("return all(", f"others = attend({NEW_Q}, k, v), attend(q, {NEW_K}, v)\n    return any(",
       """you call two heads deaf that hear: one scores queries with queries, the other keys with keys. A head is deaf
       if it hears neither q nor k. (If q is multiplied by itself, a change of sign cancels.)""")
E.slip("all(", "not all(", "your answers are reversed: True means deaf.")

@E.law
def deaf_if_zeros_change_nothing(answer, attend, q, k, v):
    """the answer has to be True exactly if zeros for q and k don't change this head's output"""
    return answer == bool(((attend(0 * q, 0 * k, v) - attend(q, k, v)).abs() <= 1e-5).all())

E.hint("You can't look inside, but you can call `attend` as often as you like. With what?")
E.hint("Call it twice with the same v and with different q and k. What does a deaf head do?")
E.hint("""Compare with `attend(torch.randn_like(q), torch.randn_like(k), v)`, using `torch.allclose(..., rtol=0,
    atol=1e-5)`.""")
