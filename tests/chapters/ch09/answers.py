"""Answers to the exercises of chapter 09, written from its page alone."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from tests.chapters.answers import right, slips

INF = float("-inf")


@right("09.drop")
def drop_cell_by_cell(weights, kept, p, training):
    if not training:
        return weights
    cells = [
        w / (1 - p) if k else 0.0
        for w, k in zip(weights.flatten().tolist(), kept.flatten().tolist())
    ]
    return torch.tensor(cells, dtype=weights.dtype).reshape(weights.shape)


@right("09.drop")
def where_kept(weights, kept, p, training):
    if not training:
        return weights
    return torch.where(kept, weights / (1 - p), torch.zeros_like(weights))


slips(where_kept)("""
rows_sum_to_one_again: shares each row out again instead of dividing by 1 - p
    if not training:
        return weights
    left = weights * kept
    return left / left.sum(-1, keepdim=True).clamp(min=1e-9)
zeros_at_one_in_any_mode: returns zeros at p = 1 before it looks at training
    if p == 1:
        return torch.zeros_like(weights)
    if not training:
        return weights
    return weights * kept / (1 - p)
divided_by_p: divides by p instead of 1 - p
    (1 - p) -> p
share_that_was_kept: divides by the share that happened to be kept, not by 1 - p
    torch.where(kept, weights / (1 - p), torch.zeros_like(weights)) -> weights * kept / kept.float().mean().clamp(min=1e-9)
always_two: doubles what is kept, which is right for p = 0.5 alone
    return torch.where(kept, 2 * weights, 0.0) if training else weights
no_weight_above_one: clips what is kept at 1, though dropout makes weights larger than 1
    torch.zeros_like(weights)) -> torch.zeros_like(weights)).clamp(max=1)
scale_limited: limits 1 - p to 0.1 from below against division by 0, which is wrong above p = 0.9
    return weights * kept / max(1 - p, 0.1) if training else weights
""")


@right("09.mask_for")
def narrow_twice(mask, length):
    block = mask.size(-1)
    if block < length:
        raise ValueError("expected up to %d positions, got %d" % (block, length))
    return mask.narrow(0, 0, length).narrow(1, 0, length)


@right("09.mask_for")
def slice_then_look(mask, length):
    part = mask[:length, :length]
    if part.shape != (length, length):
        raise ValueError(f"expected a block of at least {length}, got {tuple(mask.shape)}")
    return part


slips(narrow_twice)("""
lower_right_corner: takes the last positions, which is the same for a causal mask alone
    n = mask.shape[0]
    if length > n:
        raise ValueError(f"expected at most {n}, got {length}")
    return mask[n - length :, n - length :]
slice_alone: never raises: a slice beyond the end is simply shorter
    return mask[:length, :length]
new_causal_mask: makes a new causal mask instead of taking a part of the given one
    if length > len(mask):
        raise ValueError(f"expected at most {len(mask)}, got {length}")
    return torch.tril(torch.ones(length, length, dtype=mask.dtype))
index_error: raises an IndexError instead of a ValueError
    if length > len(mask):
        raise IndexError(f"expected at most {len(mask)}, got {length}")
    return mask[:length, :length]
asserted: raises an AssertionError instead of a ValueError
    assert length <= len(mask), f"expected at most {len(mask)}, got {length}"
    return mask[:length, :length]
made_causal: cuts the upper triangle off as well, which changes a mask that isn't causal
    if length > len(mask):
        raise ValueError(f"expected at most {len(mask)}, got {length}")
    return mask[:length, :length].tril()
to_booleans: casts to bool, which turns a mask of 0 and -inf round
    if length > len(mask):
        raise ValueError(f"expected at most {len(mask)}, got {length}")
    return mask[:length, :length].bool()
""")


@right("09.look_inside")
def einsum_and_where(q, k, mask):
    scores = torch.einsum("bid,bjd->bij", q, k) / math.sqrt(q.shape[-1])
    return scores, torch.where(mask, scores, INF).softmax(-1)


@right("09.look_inside")
def clone_before_the_underscore(q, k, mask):
    scores = torch.bmm(q, k.permute(0, 2, 1)).div(k.shape[2] ** 0.5)
    return (scores, scores.clone().masked_fill_(mask.logical_not(), INF).softmax(dim=2))


slips(einsum_and_where)("""
underscore: masked_fill_ writes into the scores, so the first of the two is masked as well
    scores = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
    masked = scores.masked_fill_(~mask, INF)
    return scores, F.softmax(masked, dim=-1)
scaled_twice: scales the scores and then once more within the softmax
    scale = k.shape[-1] ** -0.5
    scores = q @ k.mT * scale
    return scores, F.softmax(scores.masked_fill(~mask, INF) * scale, dim=-1)
scaled_by_the_length: scales by the root of T instead of D
    scores = q @ k.mT / q.shape[1] ** 0.5
    return scores, F.softmax(scores.masked_fill(~mask, INF), dim=-1)
root_of_two: the root of 2 written in, which is right for D = 2 alone
    scores = q @ k.transpose(1, 2) / 2**0.5
    return scores, F.softmax(scores.masked_fill(~mask, INF), dim=-1)
reshaped_keys: reshape to (B, D, T) isn't a transposition: it scrambles the keys
    B, T, D = k.shape
    scores = q @ k.reshape(B, D, T) * D**-0.5
    return scores, F.softmax(scores.masked_fill(~mask, INF), dim=-1)
triangle_instead_of_mask: uses a causal triangle instead of the mask
    scores = q @ k.mT * k.shape[-1] ** -0.5
    future = torch.ones_like(scores).triu(1).bool()
    return scores, F.softmax(scores.masked_fill(future, INF), dim=-1)
cut_and_shared_out: cuts after softmax and shares out again: nan when a forbidden score is far above the rest
    scores = q @ k.mT * k.shape[-1] ** -0.5
    kept = F.softmax(scores, dim=-1) * mask
    return scores, kept / kept.sum(-1, keepdim=True)
""")


NAMES = ("attribute", "buffer", "buffer, persistent=False")


@right("09.saved_numbers")
def built_and_counted(n_embd, head_size, block_size):
    counts = {}
    for how in NAMES:
        m = nn.Module()
        for name in "qkv":
            m.add_module(name, nn.Linear(n_embd, head_size, bias=False, device="meta"))
        mask = torch.ones(block_size, block_size, device="meta")
        if how == "attribute":
            m.mask = mask
        else:
            m.register_buffer("mask", mask, persistent=how == "buffer")
        counts[how] = sum(t.numel() for t in m.state_dict().values())
    return counts


@right("09.saved_numbers")
def mask_times_saved(n_embd, head_size, block_size):
    return {
        how: sum([n_embd * head_size] * 3) + block_size * block_size * (how == "buffer")
        for how in NAMES
    }


slips(built_and_counted)("""
attribute_saved_too: counts the mask of the plain attribute, which isn't saved
    learned, mask = 3 * n_embd * head_size, block_size**2
    return dict(zip(NAMES, (learned + mask, learned + mask, learned)))
buffers_swapped: swaps the two buffers
    learned, mask = 3 * n_embd * head_size, block_size**2
    return dict(zip(NAMES, (learned, learned, learned + mask)))
square_projections: takes the projections to be n_embd by n_embd
    learned = 3 * n_embd**2
    return dict(zip(NAMES, (learned, learned + block_size**2, learned)))
bytes_instead_of_numbers: counts bytes, four for each number
    learned, mask = 12 * n_embd * head_size, 4 * block_size**2
    return dict(zip(NAMES, (learned, learned + mask, learned)))
tensors_counted: counts the tensors in the state_dict instead of their numbers
    return {"attribute": 3, "buffer": 4, "buffer, persistent=False": 3}
sides_added: adds the sides of a projection instead of multiplying them
    learned = 3 * (n_embd + head_size)
    return dict(zip(NAMES, (learned, learned + block_size**2, learned)))
mask_of_the_input: takes the mask to be block_size by head_size
    learned = 3 * n_embd * head_size
    return dict(zip(NAMES, (learned, learned + block_size * head_size, learned)))
""")


@right("09.forward")
def forward_in_einsum(module, x):
    B, T, _ = x.shape
    q, k, v = (layer(x) for layer in (module.query, module.key, module.value))
    scores = torch.einsum("bid,bjd->bij", q, k) / math.sqrt(q.size(-1))
    scores = torch.where(module.mask[:T, :T], scores, INF)
    return torch.einsum("bij,bjd->bid", module.dropout(scores.softmax(-1)), v)


@right("09.forward")
def exp_by_hand(module, x):
    T = x.size(1)
    q = module.query(x)
    q = q / q.shape[-1] ** 0.5
    s = torch.bmm(q, module.key(x).transpose(1, 2)).masked_fill(
        module.mask[:T, :T].logical_not(), INF
    )
    e = (s - s.max(-1, keepdim=True)[0]).exp()
    return torch.bmm(module.dropout(e / e.sum(2, keepdim=True)), module.value(x))


slips(forward_in_einsum)("""
dropout_forgotten: no dropout
    T = x.shape[1]
    k = module.key(x)
    scores = module.query(x) @ k.mT * k.shape[-1] ** -0.5
    return F.softmax(scores.masked_fill(~module.mask[:T, :T], INF), dim=-1) @ module.value(x)
dropout_on_the_output: drops from the output instead of the weights
    T = x.shape[1]
    k = module.key(x)
    scores = module.query(x) @ k.mT * k.shape[-1] ** -0.5
    weights = F.softmax(scores.masked_fill(~module.mask[:T, :T], INF), dim=-1)
    return module.dropout(weights @ module.value(x))
dropout_before_softmax: drops scores before the mask and the softmax
    T = x.shape[1]
    k = module.key(x)
    scores = module.dropout(module.query(x) @ k.mT * k.shape[-1] ** -0.5)
    weights = F.softmax(scores.masked_fill(~module.mask[:T, :T], INF), dim=-1)
    return weights @ module.value(x)
dropout_twice of dropout_on_the_output: drops from the weights and once more from the output
    F.softmax(scores.masked_fill(~module.mask[:T, :T], INF), dim=-1) -> module.dropout(F.softmax(scores.masked_fill(~module.mask[:T, :T], INF), dim=-1))
shared_out_after_dropout of dropout_twice: divides the rows by their sums after dropout
    module.dropout(weights @ module.value(x)) -> weights / weights.sum(-1, keepdim=True).clamp(min=1e-9) @ module.value(x)
corner_of_the_mask of dropout_on_the_output: takes the last T positions of the mask, which is the same for a causal one alone
    :T, :T -> -T:, -T:
    (weights @ module.value(x)) -> (weights) @ module.value(x)
dropout_on_the_values of dropout_on_the_output: drops values instead of weights
    return -> return weights @
    module.dropout(weights @ module.value(x)) -> module.dropout(module.value(x))
""")


@right("09.mixes_batch")
def any_of_them_moves(attend, x):
    together = attend(x)
    return any(
        not bool(torch.isclose(attend(x[[b]])[0], together[b], rtol=0, atol=1e-5).all())
        for b in range(x.shape[0])
    )


@right("09.mixes_batch")
def split_and_stack(attend, x):
    alone = torch.stack([attend(one.unsqueeze(0)).squeeze(0) for one in x.unbind(0)])
    return (attend(x) - alone).detach().abs().gt(1e-5).any().item()


slips(any_of_them_moves)("""
first_two_only: compares sequences 0 and 1 only, as if there were always two
    together = attend(x)
    return any(
        not torch.allclose(together[b : b + 1], attend(x[b : b + 1]), atol=1e-5) for b in (0, 1)
    )
first_sequence_only: compares the first sequence only, and misses what flows from it to later ones
    return not torch.allclose(attend(x)[:1], attend(x[:1]), atol=1e-5)
last_sequence_only: compares the last sequence only, and misses what flows to earlier ones
    return not torch.allclose(attend(x)[-1:], attend(x[-1:]), atol=1e-5)
bit_by_bit: asks for equality to the bit, so the rounding of another batch size counts as mixing
    together = attend(x)
    alone = torch.cat([attend(x[b : b + 1]) for b in range(len(x))])
    return not torch.equal(together, alone)
means_compared: compares the mean of all outputs, which stays when sequences are merely exchanged
    together = attend(x)
    alone = torch.cat([attend(x[b : b + 1]) for b in range(len(x))])
    return bool((together.mean() - alone.mean()).abs() > 1e-5)
generous_tolerance: a tolerance of 0.1, under which a slight mixing passes
    together = attend(x)
    alone = torch.cat([attend(x[b : b + 1]) for b in range(len(x))])
    return not torch.allclose(together, alone, atol=0.1)
all_have_to_differ of first_two_only: says True only if every single sequence comes out differently
    any -> all
    in (0, 1) -> in range(len(x))
compares_the_first_channel: looks at the first channel only
    alone = torch.cat([attend(x[b : b + 1]) for b in range(len(x))])
    return not torch.allclose(attend(x)[..., 0], alone[..., 0], atol=1e-5)
""")
