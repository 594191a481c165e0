"""The right programs that patients are edits of: attention, reading with a cache, loss, writing.

An attention takes x (B, T, C), the layers of `attention.gpt`, and `texts` (B, T), which says which text
each position belongs to (0 is padding). It returns the output (B, T, C) and the weights (B, H, T, T).
"""

import torch
import torch.nn.functional as F

from attention.positions import rotary_angles, rotate


def attention(x, layers, texts):
    B, T, C = x.shape
    H, Hkv, D = layers.n_head, layers.n_kv_head, layers.head_size
    parts = layers.qkv(x).split([H * D, Hkv * D, Hkv * D], dim=-1)
    q, k, v = (part.reshape(B, T, -1, D).transpose(1, 2) for part in parts)
    if layers.positions == "rotary":
        angles = rotary_angles(torch.arange(T), D)
        q, k = rotate(q, angles), rotate(k, angles)
    k, v = (part.repeat_interleave(H // Hkv, dim=1) for part in (k, v))
    scores = q @ k.mT * D**-0.5  # (B, H, T, T)
    mask = torch.ones(T, T, dtype=torch.bool).tril()
    mask = mask & (texts[:, :, None] == texts[:, None, :])  # (B, T, T)
    scores = scores.masked_fill(~mask[:, None], float("-inf"))
    weights = scores.softmax(dim=-1)
    weights = F.dropout(weights, layers.dropout.p, training=layers.training)
    out = (weights @ v).transpose(1, 2).reshape(B, T, C)
    return layers.out(out), weights


def reading(x, layers, texts):
    kept_k, kept_v, rows, out = [], [], [], []
    for t in range(x.shape[1]):  # one word comes in at a time
        q, k, v = layers.project(x[:, t : t + 1], start=len(kept_k))
        kept_k, kept_v = [*kept_k, k], [*kept_v, v]
        both = torch.cat(kept_k, dim=2), torch.cat(kept_v, dim=2)
        keys, values = (part.repeat_interleave(layers.n_head // layers.n_kv_head, dim=1) for part in both)
        scores = q @ keys.mT * layers.head_size**-0.5  # (B, H, 1, t + 1)
        same = texts[:, : t + 1] == texts[:, t, None]  # (B, t + 1)
        weights = scores.masked_fill(~same[:, None, None], float("-inf")).softmax(dim=-1)
        rows.append(F.pad(weights, (0, x.shape[1] - t - 1)))
        out.append((weights @ values).transpose(1, 2).flatten(2))
    return layers.out(torch.cat(out, dim=1)), torch.cat(rows, dim=2)


def loss(logits, ids, real):
    guesses, targets, judged = logits[:, :-1], ids[:, 1:], real[:, 1:]
    costs = F.cross_entropy(guesses.mT, targets, reduction="none")  # (B, T - 1)
    return costs[judged].mean()


def writing(model, ids, n_new, block_size):
    model.eval()
    for _ in range(n_new):
        with torch.no_grad():
            logits = model(ids[:, -block_size:])[:, -1]
        ids = torch.cat([ids, logits.argmax(dim=-1, keepdim=True)], dim=1)
    return ids


def starts(data, n_train, block_size, n, generator):
    train = data[:n_train]
    first = torch.randint(len(train) - block_size, (n,), generator=generator)
    return [train[start : start + block_size] for start in first.tolist()]


def judging(losses):
    return sum(losses) / len(losses)
