"""Attention in which several query heads share one head of keys and values."""

import torch

from course.learn.draws import quarters
from course.learn.laws import close
from course.learn.record import Exercise


def drawn(d):
    B, n_kv, Tq, Tk, D = d.sizes(5)
    group = d.randint(1, 3)
    q = d.tensor(B, n_kv * group, Tq, D)
    return q, d.tensor(B, n_kv, Tk, D), d.tensor(B, n_kv, Tk, D + 1)


FOUR = torch.tensor([1.0, 2.0, 3.0, 4.0]).view(1, 4, 1, 1)
KEYS = torch.tensor([[1.0, -1.0], [2.0, 0.0]]).view(1, 2, 2, 1)
E = Exercise(
    __name__,
    inputs=[(FOUR, KEYS, KEYS), (FOUR[:, :2], KEYS, 3 * KEYS),
            tuple(quarters(2, n, 3, 2, seed=n) for n in (4, 2, 2)),  # as many queries as keys
            tuple(quarters(1, n, 1, 3, seed=n) for n in (6, 3, 3)),
            (100 * FOUR, KEYS, KEYS),  # scores of hundreds
            (-20 * torch.ones(1, 2, 1, 1), KEYS.abs() + 1, KEYS + 3)],  # and only ones far below 0
    draw=drawn,
    without=("attention",),
)


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


E.mistake(lambda q, k, v: repeated(q, k, v), """your query heads take keys and values in rounds: 0, 1,
    0, 1. Neighbours have to share: 0, 0, 1, 1. `repeat` and `tile` do that, and so does a view with
    the copies before the heads. Where the numbers of heads are equal, nobody sees it
    (onnx#7274, jax-js#180).""")
E.mistake(lambda q, k, v: repeated(q, k, v, interleaved, lambda x, n: x.repeat(1, n, 1, 1)),
    """your keys are shared by neighbours and your values in rounds, so that a head's weights meet
    another head's values.""")
E.mistake(lambda q, k, v: repeated(q, k[:, :1], v[:, :1]), """all of your query heads ask the first
    head of keys. That is right for multi-query attention, where there is one.""")
E.slip(".mT * D**-0.5", ".mT * (D * n_head // n_kv) ** -0.5", """your scale is too small: a score is a
    sum of D products, however many heads share a key.""")
E.slip(" * D**-0.5", "", "your scores aren't scaled: times 1 / sqrt(D).")
@E.mistake
def causal_if_square(q, k, v):
    """there is no mask here. You hide later keys where there are as many queries as keys."""
    T = k.shape[2]
    if q.shape[2] != T:
        return grouped(q, k, v)
    rows = [grouped(q[:, :, t : t + 1], k[:, :, : t + 1], v[:, :, : t + 1]) for t in range(T)]
    return torch.cat(rows, dim=2)


E.slip("dim=-1)", "dim=-2)", """your softmax runs over the queries. Each query shares out its
    attention among the keys, the last axis of the scores.""")
E.slip("return out.reshape(B, n_head, Tq, -1)", "return out", """right numbers with an axis too many,
    (B, n_kv, group, Tq, Dv). The heads and their groups become one axis again.""")
E.mistake(lambda q, k, v: repeated(q, k, v, lambda x, n: x.mean(1, True).expand(
    -1, q.shape[1], -1, -1)), """you averaged the heads of keys and values. A trained model may be
    turned into one with fewer heads by that, but here each head is used as it is.""")

def by_hand(q, k, v, eps=0.0):
    n = q.shape[1] // k.shape[1]
    weights = (q @ interleaved(k, n).mT * q.shape[-1] ** -0.5).exp()
    return weights / (weights.sum(dim=-1, keepdim=True) + eps) @ interleaved(v, n)


E.mistake(by_hand, """your weights are right for small scores, and nan for scores of hundreds: exp of them is inf. Take
    the row's largest score away first, or use `torch.softmax`.""")
E.mistake(lambda q, k, v: by_hand(q, k, v, 1e-8), """your weights are right where scores are near 0. Where
        all are far below 0, their sum is tiny, and anything added to it makes the weights too small. (And exp of
        hundreds is inf.) Take the row's largest score away first, or use `torch.softmax`.""")

@E.law
def first_head_asks_the_first(out, q, k, v):
    """each query head has to ask its own head of keys: the last one's is the last, and yours asks another"""
    def end(n):  # what the last query head gives if it asks head n
        return (q[:, -1] @ k[:, n].mT * q.shape[-1] ** -0.5).softmax(-1) @ v[:, n]
    others = (end(n) for n in range(k.shape[1] - 1))
    return close(out[:, -1], end(-1)) or not any(close(out[:, -1], other) for other in others)

E.hint("Of 6 query heads and 2 heads of keys: which does query head 2 use, and which query head 3?")
E.hint("""0 and 1: neighbours share. View q as (B, n_kv, group, Tq, D), or repeat every key head `group`
    times in a row.""")
E.hint("""`q.view(B, n_kv, -1, Tq, D) @ k[:, :, None].mT` needs no copy; or
    `k.repeat_interleave(n_head // n_kv, dim=1)`, and the same for v.""")
