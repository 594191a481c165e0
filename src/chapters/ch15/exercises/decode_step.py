"""Attend for one new word: rotate its query and key, cache its key and value, and look at all
cached words."""

import torch
import torch.nn.functional as F

from attention.positions import rotary_angles, rotate
from chapters.laws import close
from course.learn.record import Exercise


def drawn(d):
    B, H, S, half = d.sizes(4)
    D, S = 2 * half, d.choice([S, S, 0])
    new = [d.tensor(B, H, 1, D) for _ in "qkv"]
    return *new, d.tensor(B, H, S, D), d.tensor(B, H, S, D)

ONE = torch.ones(1, 1, 1, 2)
E = Exercise(__name__, draw=drawn,
    inputs=[(ONE, ONE, 2 * ONE, torch.zeros(1, 1, 0, 2), torch.zeros(1, 1, 0, 2)),
            (ONE, ONE, 2 * ONE, torch.tensor([[[[1.0, 0.0], [0.0, 2.0]]]]),
             torch.tensor([[[[0.0, 1.0], [4.0, 0.0]]]]))])

@E.answer
def decode_step(q, k, v, past_k, past_v):
    n_past, D = past_k.shape[-2], q.shape[-1]
    angles = rotary_angles(torch.tensor([n_past]), D)
    q, k = rotate(q, angles), rotate(k, angles)
    k, v = torch.cat([past_k, k], dim=-2), torch.cat([past_v, v], dim=-2)
    weights = torch.softmax(q @ k.mT * D**-0.5, dim=-1)
    return weights @ v, k, v

AT = "torch.tensor([n_past])"
E.slip(AT, "torch.tensor([0])", """your new word is at position 0 in every step (or isn't rotated
    at all, which is the same, because the angles of position 0 are 0). Its distance to the cached
    words is wrong, and you see no error. How many words are before it? (mlx-vlm#1983 was this
    bug.)""")
E.slip(AT, "torch.tensor([n_past + 1])", """your position is one too large. The cached words have
    the positions 0 to S - 1, so which is the next?""")
E.slip(AT, "torch.tensor([max(n_past - 1, 0)])", """you use the position of the last cached word.
    Positions begin at 0, so the next one is the number of cached words.""")
E.slip("rotate(q, angles), rotate", "q, rotate", """you don't rotate the query, so its distance to
    the keys is computed as if it were at position 0.""")
E.slip("rotate(q, angles), rotate(k, angles)", "rotate(q, angles), k", """you don't rotate the key.
    Later words would find it at position 0.""")
E.mistake(lambda q, k, v, pk, pv: decode_step(
    q, k, v, rotate(pk, rotary_angles(torch.arange(pk.shape[-2]), q.shape[-1])), pv),
    """you rotate the cached keys a second time. Each was already rotated, for its own position,
    when it was added to the cache. Rotate only the new key.""")
E.mistake(lambda q, k, v, pk, pv: (lambda out, _, V: (out, torch.cat([pk, k], -2), V))(
    *decode_step(q, k, v, pk, pv)), """your output is right, but you cache the new key without its
        rotation. The next step expects all cached keys to be rotated.""")
E.slip("torch.cat([past_v, v]", "torch.cat([past_v, rotate(v, angles)]", """you rotated the value as
    well. Positions change only which keys fit, and that depends on queries and keys. Don't rotate
    values.""")
E.mistake(lambda q, k, v, pk, pv: (
    (lambda a: (F.scaled_dot_product_attention(
        rotate(q, a), K := torch.cat([pk, rotate(k, a)], -2), V := torch.cat([pv, v], -2),
        is_causal=True), K, V))(rotary_angles(torch.tensor([pk.shape[-2]]), q.shape[-1]))),
    """your new word hears only the very first word. `is_causal=True` puts the mask's corner at the
    top left, so row 0 may look only at column 0. The single query here is the last word, and it may
    look at all cached words (PyTorch's issue 108108).""")
E.slip("q @ k.mT", "(q @ k.mT).masked_fill(torch.arange(k.shape[-2]) == n_past, -torch.inf)"
       ".nan_to_num(neginf=-1e30)", """your word doesn't look at itself. Put its own key among the
    others before you compute scores.""")
E.slip("torch.cat([past_k, k]", "torch.cat([k, past_k]", """you put the new key before the cached
    ones, so keys and values no longer have the same order. New words come last.""")
E.mistake(lambda *x: (lambda out, k, v: (out, k.roll(1, -2), v.roll(1, -2)))(*decode_step(*x)),
    """your output is right, but you return the new key and value before the cached ones. The next
    step relies on the order of the text.""")
E.slip(" * D**-0.5", "", "you don't scale the scores. Multiply them by 1 / sqrt(D).")
E.slip("return weights @ v, k, v", "return weights @ v, k[..., -1:, :], v[..., -1:, :]", """you
    return only the new key and value. The next step needs all of them, with the cached ones
    first.""")
E.slip("return weights @ v, k, v", "return weights @ v, past_k, past_v", """you return the old keys
    and values, so the next step won't know about this word.""")
E.slip("return weights @ v, k, v", "return weights @ v", """you return only the output. The next
    step also needs all keys and values, so return (output, keys, values).""")

@E.law
def all_that_was_kept_comes_first(answer, q, k, v, past_k, past_v):
    """the second and third result have to begin with the cached keys and values, unchanged, with
    one more of each after them"""
    n = past_k.shape[-2]
    kept = ((answer[1], past_k), (answer[2], past_v))
    return all(a.shape[-2] == n + 1 and close(a[..., :n, :], b) for a, b in kept)

@E.law
def mixed_from_all_values(answer, q, k, v, past_k, past_v):
    """every number of the output has to lie between the smallest and the largest value of its channel"""
    low, high = torch.cat([past_v, v], dim=-2).aminmax(dim=-2, keepdim=True)
    return bool(((answer[0] >= low - 1e-4) & (answer[0] <= high + 1e-4)).all())

E.hint("S words are in the cache, at the positions 0 to S - 1. At which position is the new one?")
E.hint("""Rotate q and k by the angles of that position, and append k and v on axis -2. Is there any
    key that this query may not see?""")
E.hint("""`angles = rotary_angles(torch.tensor([S]), D)`, then `rotate`, then `torch.cat`, then attention
    without any mask, scaled by 1 / sqrt(D).""")
