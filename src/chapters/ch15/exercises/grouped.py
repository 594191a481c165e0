"""Attention in which several query heads share one head of keys and values."""

import torch

from chapters.laws import close
from course.learn.draws import quarters
from course.learn.record import Exercise


def drawn(d):
    B, n_kv, Tq, Tk, D = d.sizes(5)
    group = d.randint(1, 3)
    q = d.tensor(B, n_kv * group, Tq, D)
    return q, d.tensor(B, n_kv, Tk, D), d.tensor(B, n_kv, Tk, D + 1)

FOUR = torch.tensor([1.0, 2.0, 3.0, 4.0]).view(1, 4, 1, 1)
KEYS = torch.tensor([[1.0, -1.0], [2.0, 0.0]]).view(1, 2, 2, 1)
E = Exercise(__name__,
    inputs=[(FOUR, KEYS, KEYS), (FOUR[:, :2], KEYS, 3 * KEYS),
            tuple(quarters(2, n, 3, 2, seed=n) for n in (4, 2, 2)),  # as many queries as keys
            tuple(quarters(1, n, 1, 3, seed=n) for n in (6, 3, 3)),
            (100 * FOUR, KEYS, KEYS),  # scores of hundreds
            (-20 * torch.ones(1, 2, 1, 1), KEYS.abs() + 1, KEYS + 3)],  # and only ones far below 0
    draw=drawn, without=("attention",))

@E.answer
def grouped(q, k, v):
    B, n_head, Tq, D = q.shape
    n_kv = k.shape[1]
    groups = q.view(B, n_kv, n_head // n_kv, Tq, D)
    scores = groups @ k[:, :, None].mT * D**-0.5
    out = torch.softmax(scores, dim=-1) @ v[:, :, None]
    return out.reshape(B, n_head, Tq, -1)

def repeated(q, k, v, times=lambda x, n: x.repeat(1, n, 1, 1), of=None):
    n = q.shape[1] // k.shape[1]
    k, v = times(k, n), (of or times)(v, n)
    return torch.softmax(q @ k.mT * q.shape[-1] ** -0.5, dim=-1) @ v

def interleaved(x, n):
    return x.repeat_interleave(n, dim=1)

E.mistake(lambda q, k, v: repeated(q, k, v), """your query heads take keys and values in turn: 0, 1,
    0, 1. Neighbours have to share: 0, 0, 1, 1. `repeat` and `tile` make this mistake, and so does a
    view with the copies before the heads. You can't see it if the numbers of heads are equal
    (onnx#7274, jax-js#180).""")
E.mistake(lambda q, k, v: repeated(q, k, v, interleaved, lambda x, n: x.repeat(1, n, 1, 1)),
    """neighbours share your keys, but take your values in turn, so a head's weights are applied to
    a different head's values.""")
E.mistake(lambda q, k, v: repeated(q, k[:, :1], v[:, :1]), """all of your query heads use the first
    head of keys and values. That is right only for multi-query attention, which has only one.""")
E.slip(".mT * D**-0.5", ".mT * (D * n_head // n_kv) ** -0.5", """your scale is too small. A score is
    a sum of D products, however many heads share a key.""")
E.slip(" * D**-0.5", "", "you don't scale the scores. Multiply them by 1 / sqrt(D).")
@E.mistake
def causal_if_square(q, k, v):
    """you hide later keys where there are as many queries as keys. There is no mask here."""
    T = k.shape[2]
    if q.shape[2] != T:
        return grouped(q, k, v)
    rows = [grouped(q[:, :, t : t + 1], k[:, :, : t + 1], v[:, :, : t + 1]) for t in range(T)]
    return torch.cat(rows, dim=2)

E.slip("dim=-1)", "dim=-2)", """your softmax runs over the queries. Each query shares its attention
    among the keys, the last axis of the scores.""")
E.slip("return out.reshape(B, n_head, Tq, -1)", "return out", """your numbers are right, but with
    one axis too many, (B, n_kv, group, Tq, Dv). Turn the heads and their groups back into one
    axis.""")
E.mistake(lambda q, k, v: repeated(q, k, v, lambda x, n: x.mean(1, True).expand(
    -1, q.shape[1], -1, -1)), """you averaged the heads of keys and values. That is a way to turn a
        trained model into one with fewer heads, but here each head is used unchanged.""")

def by_hand(q, k, v, eps=0.0):
    n = q.shape[1] // k.shape[1]
    weights = (q @ interleaved(k, n).mT * q.shape[-1] ** -0.5).exp()
    return weights / (weights.sum(dim=-1, keepdim=True) + eps) @ interleaved(v, n)

E.mistake(by_hand, """your weights are right for small scores, and nan for scores in the hundreds,
    because their exponentials are inf. Subtract the row's largest score first, or use
    `torch.softmax`.""")
E.mistake(lambda q, k, v: by_hand(q, k, v, 1e-8), """your weights are right where scores are near
    0. Where all are far below 0, their sum is tiny, and anything added to it makes the weights too
    small. (And the exponential of a score in the hundreds is inf.) Subtract the row's largest
    score first, or use `torch.softmax`.""")

@E.law
def first_head_asks_the_first(out, q, k, v):
    """each query head has to use its own head of keys: the last query head has to use the last
    one"""
    def end(n):  # what the last query head gives if it asks head n
        return (q[:, -1] @ k[:, n].mT * q.shape[-1] ** -0.5).softmax(-1) @ v[:, n]
    others = (end(n) for n in range(k.shape[1] - 1))
    return close(out[:, -1], end(-1)) or not any(close(out[:, -1], other) for other in others)

E.hint("""There are 6 query heads and 2 heads of keys. Which head of keys does query head 2 use, and
    which does query head 3?""")
E.hint("""They use 0 and 1, because neighbours share. View q as (B, n_kv, group, Tq, D), or repeat
    every key head `group` times in a row.""")
E.hint("""`q.view(B, n_kv, -1, Tq, D) @ k[:, :, None].mT` needs no copy. Or use
    `k.repeat_interleave(n_head // n_kv, dim=1)`, and the same for v.""")
