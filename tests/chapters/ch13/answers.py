"""Answers to the exercises of chapter 13, written from its page alone."""

import math

import torch
import torch.nn.functional as F

from tests.chapters.answers import right, slips


@right("13.next_loss")
def gathers_log_probabilities(logits, ids):
    log_p = torch.log_softmax(logits, dim=-1)
    B, T = ids.shape
    total = 0.0
    for t in range(T - 1):
        total = total - log_p[torch.arange(B), t, ids[:, t + 1]].sum()
    return total / (B * (T - 1))


@right("13.next_loss")
def channels_second(logits, ids):
    return F.cross_entropy(logits[:, :-1].mT, ids[:, 1:])


slips(channels_second)("""
as_the_labels_argument: judges each guess by the id it has just read
    return F.cross_entropy(logits.flatten(0, 1), ids.flatten())
shifted_before_and_here: shifts the ids first and then shifts again, as a library does with labels
    labels = ids[:, 1:]
    return F.cross_entropy(logits[:, :-2].mT, labels[:, 1:])
rolls: rolls the ids, so that the last guess is judged by the first id
    return F.cross_entropy(logits.mT, torch.roll(ids, -1, 1))
backwards: guesses the past
    return F.cross_entropy(logits[:, 1:].mT, ids[:, :-1])
flattens_first: flattens the batch, then shifts: the last guess of a sequence gets the next one's first id
    return F.cross_entropy(logits.flatten(0, 1)[:-1], ids.flatten()[1:])
in_bits: bits instead of nats
    return F.cross_entropy(logits[:, :-1].mT, ids[:, 1:]) / math.log(2)
a_float: returns a plain number
    return F.cross_entropy(logits[:, :-1].mT, ids[:, 1:]).item()
without_the_minus: the mean log probability, negative
    return -> return -
""")


@right("13.write_on")
def max_of_last(model, ids, n_new, block_size):
    out = ids.clone()
    while out.shape[1] < ids.shape[1] + n_new:
        start = max(0, out.shape[1] - block_size)
        last = model(out[:, start:])[:, -1, :]
        out = torch.cat((out, last.max(dim=1).indices[:, None]), 1)
    return out


@right("13.write_on")
def one_more_each_time(model, ids, n_new, block_size):
    for _ in range(n_new):
        context = ids[:, -block_size:]
        ids = torch.cat([ids, model(context)[:, -1].argmax(-1, keepdim=True)], 1)
    return ids


slips(one_more_each_time)("""
lengthens_the_given: makes the ids longer that it was given, which are the caller's
    for _ in range(n_new):
        new = model(ids[:, -block_size:])[:, -1].argmax(-1, keepdim=True)
        ids.data = torch.cat([ids, new], 1)
    return ids
crops_what_it_returns: loses the beginning
    context = -> ids =
    model(context) -> model(ids)
crops_once: crops before the loop, so the text outgrows the block inside it
    context = ids[:, -block_size:]
    for _ in range(n_new):
        new = model(context)[:, -1].argmax(-1, keepdim=True)
        context = torch.cat([context, new], 1)
        ids = torch.cat([ids, new], 1)
    return ids
starts_over: when the block is full, goes on from the last id alone
    context = ids[:, -block_size:]
    for _ in range(n_new):
        if context.shape[1] > block_size:
            context = context[:, -1:]
        new = model(context)[:, -1].argmax(-1, keepdim=True)
        context, ids = torch.cat([context, new], 1), torch.cat([ids, new], 1)
    return ids
only_the_new: returns what was added
    out = ids
    for _ in range(n_new):
        out = torch.cat([out, model(out[:, -block_size:])[:, -1].argmax(-1, keepdim=True)], 1)
    return out[:, ids.shape[1] :]
room_for_the_new_one: leaves one place free for the id that comes
    -block_size: -> -(block_size - 1) :
never_crops: gives the model all, as the bigram's loop did
    [:, -block_size:] ->
keeps_the_oldest: reads the beginning for ever
    -block_size: -> :block_size
""")


@right("13.bits_per_byte")
def batch_by_batch(costs, text):
    nats = sum(batch.sum() for batch in costs)
    return nats / (len(text.encode("utf-8")) * math.log(2))


@right("13.bits_per_byte")
def in_bits_from_the_beginning(costs, text):
    bits = [(batch / math.log(2)).sum() for batch in costs]
    return torch.stack(bits).sum() / len(bytes(text, "utf-8"))


slips(batch_by_batch)("""
per_character: counts characters
    len(text.encode("utf-8")) -> len(text)
per_token: as the loss is
    return torch.cat(costs).mean() / math.log(2)
in_nats: forgets that a nat isn't a bit
     * math.log(2) -> * 1
the_wrong_way: turns bits into nats
    / (len(text.encode("utf-8")) * math.log(2)) -> * math.log(2) / len(text.encode("utf-8"))
mean_of_the_batches: each batch has its own loss
    return torch.stack([c.mean() for c in costs]).mean() / math.log(2)
of_the_last_batch: overwrites instead of adding up
    sum(batch.sum() for batch in costs) -> costs[-1].sum()
perplexity: two to the bits per byte
    nats = sum(batch.sum() for batch in costs)
    return 2 ** (nats / len(text.encode("utf-8")) / math.log(2))
log_ten: decimal digits instead of bits
    math.log(2) -> math.log(10)
""")


@right("13.top_p")
def one_by_one(probabilities, p):
    kept, total = torch.zeros_like(probabilities), 0.0
    for i in probabilities.argsort(descending=True).tolist():
        if total >= p:
            break
        kept[i] = probabilities[i]
        total += probabilities[i]
    return kept / kept.sum()


@right("13.top_p")
def by_sorted_sums(probabilities, p):
    values, ids = probabilities.sort(descending=True)
    kept = values * (values.cumsum(0) - values < p)
    return torch.zeros_like(values).scatter(0, ids, kept / kept.sum())


slips(by_sorted_sums)("""
sums_but_softmax: brings back with a softmax over what is left
    values, ids = probabilities.sort(descending=True)
    keep = values.cumsum(0) - values < p
    out = torch.full_like(probabilities, float("-inf")).scatter(
        0, ids, values.masked_fill(~keep, float("-inf"))
    )
    return out.softmax(0)
drops_the_last: stops before the id that reaches p
    - values < p -> <= p
in_sorted_order: forgets to put the ids back
    torch.zeros_like(values).scatter(0, ids, kept / kept.sum()) -> kept / kept.sum()
not_brought_back: does not sum to 1
    kept / kept.sum() -> kept
above_a_threshold: compares each probability with the largest, as min-p does
    kept = probabilities * (probabilities >= p * probabilities.max())
    return kept / kept.sum()
a_share_of_the_ids: top-k with k = p V
    k = max(1, int(p * len(probabilities)))
    values, ids = probabilities.topk(k)
    return torch.zeros_like(probabilities).scatter(0, ids, values / values.sum())
never_sorts: adds up in the order of the vocabulary
    kept = probabilities * (probabilities.cumsum(0) - probabilities < p)
    return kept / kept.sum()
keeps_one_more_at_the_threshold: keeps one id more where the sum is exactly p
    - values < p -> - values <= p
""")


@right("13.padded_loss")
def takes_the_real_ones(logits, targets, lengths):
    rows = [logits[b, :n] for b, n in enumerate(lengths.tolist())]
    wanted = [targets[b, :n] for b, n in enumerate(lengths.tolist())]
    return F.cross_entropy(torch.cat(rows), torch.cat(wanted))


@right("13.padded_loss")
def with_an_ignored_id(logits, targets, lengths):
    targets = targets.clone()
    for b, n in enumerate(lengths.tolist()):
        targets[b, n:] = -100
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


slips(takes_the_real_ones)("""
padding_counts: the mean over all
    return F.cross_entropy(logits.mT, targets)
divides_by_all: zeroes the padding and takes the mean of everything
    costs = F.cross_entropy(logits.mT, targets, reduction="none")
    return (costs * (torch.arange(targets.shape[1]) < lengths[:, None])).mean()
mean_of_means: each sequence counts the same
    return torch.stack(
        [F.cross_entropy(logits[b, :n], targets[b, :n]) for b, n in enumerate(lengths)]
    ).mean()
zero_is_padding: takes the id 0 for padding
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=0)
zeroed_logits: zeroes the logits of the padding, which then costs ln V
    real = torch.arange(targets.shape[1]) < lengths[:, None]
    return F.cross_entropy((logits * real[..., None]).mT, targets)
longest_for_all: cuts all sequences to the longest
    n = int(lengths.max())
    return F.cross_entropy(logits[:, :n].mT, targets[:, :n])
shortest_for_all: cuts all sequences to the shortest
    n = int(lengths.min())
    return F.cross_entropy(logits[:, :n].mT, targets[:, :n])
""")


@right("13.count_flops")
def layer_by_layer(n_tokens, T, n_layer, n_embd, vocab_size):
    total = 0
    for _ in range(n_layer):
        total += 2 * n_tokens * n_embd * 3 * n_embd
        total += 2 * (2 * n_tokens * T * n_embd)
        total += 2 * n_tokens * n_embd * n_embd
        total += 2 * (2 * n_tokens * n_embd * 4 * n_embd)
    return total + 2 * n_tokens * n_embd * vocab_size


@right("13.count_flops")
def in_one_line(n_tokens, T, n_layer, n_embd, vocab_size):
    return 2 * n_tokens * n_embd * (n_layer * (12 * n_embd + 2 * T) + vocab_size)


slips(in_one_line)("""
multiplications: forgets the additions
    return 2 * -> return
twice_the_parameters: 2 N D: the embedding counts, scores and mix don't
    return 2 * n_tokens * (12 * n_layer * n_embd**2 + 2 * vocab_size * n_embd)
six_n_d: a training step by the shortcut
    return 6 * n_tokens * (12 * n_layer * n_embd**2 + 2 * vocab_size * n_embd)
one_attention_product: scores only
    + 2 * -> +
half_the_triangle: counts only what the mask lets through
    return 2 * n_tokens * n_embd * (n_layer * 12 * n_embd + vocab_size) + (
        n_layer * 2 * n_tokens * (T + 1) * n_embd
    )
all_words_attend: every word attends to all n_tokens, not to its block
    * T -> * n_tokens
with_the_embedding: the embedding as a product with one-hot rows
    + vocab_size -> + 2 * vocab_size
""")
