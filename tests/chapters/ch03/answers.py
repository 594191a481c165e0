"""Answers to the exercises of chapter 03, written from its page alone."""

import math
from fractions import Fraction

import torch
import torch.nn.functional as F

from tests.chapters.answers import right, slips


@right("03.batch_loss")
def mean_by_movedim(logits, targets):
    return F.cross_entropy(logits.movedim(-1, 1), targets)


@right("03.batch_loss")
def mean_by_gather(logits, targets):
    return -logits.log_softmax(-1).gather(-1, targets.unsqueeze(-1)).mean()


slips(mean_by_movedim)("""
mean_scrambled_view: views (B, T, V) as (B, V, T), which cuts each distribution from several rows
    B, T, V = logits.shape
    return F.cross_entropy(logits.view(B, V, T), targets)
mean_targets_transposed: flattens the targets position by position and the logits sequence by sequence
    B, T, V = logits.shape
    return F.cross_entropy(logits.view(B * T, V), targets.T.reshape(B * T))
mean_logits_transposed: flattens the logits position by position and the targets sequence by sequence
    V = logits.shape[-1]
    return F.cross_entropy(logits.transpose(0, 1).reshape(-1, V), targets.reshape(-1))
mean_per_sequence: divides the sum by the number of sequences only
    total = F.cross_entropy(logits.permute(0, 2, 1), targets, reduction="sum")
    return total / logits.shape[0]
mean_overflowing: takes exp of bare logits, which overflows for large ones
    p = logits.exp() / logits.exp().sum(dim=-1, keepdim=True)
    return -p.gather(-1, targets.unsqueeze(-1)).log().mean()
mean_with_epsilon: adds 1e-8 inside the logarithm, so no cost can be above 18.4
    p = F.softmax(logits, dim=-1).gather(2, targets[:, :, None]).squeeze(2)
    return -(p + 1e-8).log().mean()
mean_without_id_zero: takes id 0 for padding and leaves its guesses out
    B, T, V = logits.shape
    return F.cross_entropy(logits.view(-1, V), targets.view(-1), ignore_index=0)
""")


@right("03.each_loss")
def each_flat_and_back(logits, targets):
    flat = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
    return flat.reshape(targets.shape)


@right("03.each_loss")
def each_by_gather(logits, targets):
    return logits.logsumexp(-1) - logits.gather(-1, targets[..., None]).squeeze(-1)


slips(each_flat_and_back)("""
each_scrambled_view: views (B, T, V) as (B, V, T) instead of permuting
    B, T, V = logits.shape
    return F.cross_entropy(logits.view(B, V, T), targets, reduction="none")
each_viewed_and_turned: folds the flat losses into (T, B) and transposes them, which mixes the sequences
    B, T, V = logits.shape
    flat = F.cross_entropy(logits.reshape(-1, V), targets.reshape(-1), reduction="none")
    return flat.view(T, B).T
each_positions_first: returns (T, B)
    return F.cross_entropy(logits.permute(1, 2, 0), targets.T, reduction="none")
each_with_epsilon: adds 1e-6 inside the logarithm, so dear guesses come out too cheap
    p = F.softmax(logits, dim=2).gather(2, targets[:, :, None])[:, :, 0]
    return -torch.log(p + 1e-6)
each_overflowing: takes exp of bare logits, which overflows for large ones
    powers = torch.exp(logits)
    p = powers / powers.sum(-1, keepdim=True)
    return -torch.log(p.gather(-1, targets[..., None]).squeeze(-1))
each_id_zero_is_free: ignores the target 0 as if it were padding
    return F.cross_entropy(logits.permute(0, 2, 1), targets, reduction="none", ignore_index=0)
each_share_of_the_mean: divides by the number of guesses, so that the losses sum to the mean
    losses = F.cross_entropy(logits.permute(0, 2, 1), targets, reduction="none")
    return losses / targets.numel()
""")


@right("03.lowest_loss")
def floor_by_loops(counts):
    rows, loss = counts.tolist(), 0.0
    for row in rows:
        n = sum(row)
        loss -= sum(c * math.log(c / n) for c in row if c)
    return loss / sum(map(sum, rows))


@right("03.lowest_loss")
def floor_of_differences(counts):
    """what both characters cost, less what the first one costs"""
    c = counts.double()
    rows = c.sum(dim=1)
    return ((torch.xlogy(rows, rows).sum() - torch.xlogy(c, c).sum()) / c.sum()).item()


slips(floor_by_loops)("""
floor_of_columns: divides by the sums of the columns instead of the rows
    shares = counts.double() / counts.sum(dim=0, keepdim=True)
    seen = counts > 0
    return float(-(counts[seen] * shares[seen].log()).sum() / counts.sum())
floor_without_keepdim: forgets keepdim, so each column is divided by the sum of the row with its number
    shares = counts.double() / counts.sum(dim=1)
    seen = counts > 0
    return float(-(counts[seen] * shares[seen].log()).sum() / counts.sum())
floor_zero_times_log_zero: lets 0 * log 0 in, which is nan as soon as one pair never occurs
    p = counts.double() / counts.sum(1, keepdim=True)
    return float(-(counts * p.log()).sum() / counts.sum())
floor_as_tensor: returns a tensor instead of a float
    p = counts.double() / counts.sum(dim=1, keepdim=True)
    seen = counts > 0
    return -(counts[seen] * p[seen].log()).sum() / counts.sum()
floor_negative: forgets the minus sign
    p = counts.double() / counts.sum(dim=1, keepdim=True)
    seen = counts > 0
    return float((counts[seen] * p[seen].log()).sum() / counts.sum())
floor_of_best_guess: charges only for the likeliest next character of each row
    total = counts.sum(dim=1).double()
    best = counts.max(dim=1).values / total
    return float(-(total * best.log()).sum() / total.sum())
floor_zeros_made_ones: sets the zeros to 1 in the input itself, to avoid log 0
    counts.clamp_(min=1)
    p = counts.double() / counts.sum(dim=1, keepdim=True)
    return float(-(counts * p.log()).sum() / counts.sum())
""")


@right("03.batches_needed")
def batches_by_fractions(spread, wanted):
    ratio = (Fraction(str(spread)) / Fraction(str(wanted))) ** 2
    return max(1, math.ceil(ratio))


@right("03.batches_needed")
def batches_counted_with_room(spread, wanted):
    n = 1
    while spread**2 > n * wanted**2 * (1 + 1e-12):
        n += 1
    return n


slips(batches_counted_with_room)("""
batches_rounded_up_bare: minds no rounding, so 0.07 and 0.01 need 50
    return math.ceil((spread / wanted) ** 2)
batches_nearest: rounds to the nearest number, which may be too few
    return max(1, round((spread / wanted) ** 2))
batches_coarse_tolerance: rounds to one decimal first, so 49.04 becomes 49
    return max(1, math.ceil(round((spread / wanted) ** 2, 1)))
batches_counted_up: compares bare floats, so 2.1 and 0.7 need 10 instead of 9 (0.07 and 0.01 come out right)
    **2 > n * wanted**2 * (1 + 1e-12) -> / math.sqrt(n) > wanted
batches_at_least_two: asks for two batches at least, where one is enough
    return max(2, math.ceil((spread / wanted) ** 2 - 1e-9))
batches_up_to_a_thousand: gives up at a thousand batches and returns None
    for n in range(1, 1001):
        if n >= (spread / wanted) ** 2 - 1e-9:
            return n
batches_hundredths: turns both into whole hundredths, which loses finer digits
    a, b = round(spread * 100), max(1, round(wanted * 100))
    return max(1, -(-a * a // (b * b)))
""")


@right("03.can_be_true")
def claims_by_number():
    possible = {1, 4}
    return tuple(claim in possible for claim in range(1, 5))


@right("03.can_be_true")
def claims_computed():
    floor, spread, loss = 2.4519, 0.07, 2.4423
    one_batch = abs(loss - floor) < 3 * spread
    all_of_it = loss >= floor
    stepped = 4.7 - 1000 * 0.001 - 3 * spread < loss
    return one_batch, all_of_it, stepped, True


slips(claims_by_number)("""
claims_floor_binds_batches: believes that the floor binds single batches too
    return False, False, False, True
claims_floor_may_be_passed: believes that a lucky model can pass the floor on the whole text
    return True, True, False, True
claims_any_batch_but_no_model: believes that only single batches can lie below the floor, whatever the model or the steps
    return True, False, True, False
claims_any_bigram: believes that a finished bigram model reaches 2.4423 and a longer memory doesn't help
    return True, True, False, False
claims_first_two_swapped: swaps the single batch and the whole text
    return False, True, False, True
claims_only_the_long_run: swaps the first claim and the third
    return False, False, True, True
claims_only_three: forgets the third claim and returns three booleans
    return True, False, True
""")


def smooth_loss(table, val_counts):
    shares = table / table.sum(dim=1, keepdim=True)
    return float(-(val_counts * shares.log()).sum() / val_counts.sum())


@right("03.best_smoothing")
def smooth_by_key(train_counts, val_counts, ks):
    def loss(k):
        log_p = (train_counts.double() + k).log().log_softmax(dim=1)
        return -(val_counts * log_p).sum().item()

    return min(ks, key=loss)


@right("03.best_smoothing")
def smooth_by_loops(train_counts, val_counts, ks):
    best, lowest = None, math.inf
    for k in ks:
        loss = 0.0
        for row, wanted in zip(train_counts.tolist(), val_counts.tolist()):
            total = sum(row) + k * len(row)
            for c, w in zip(row, wanted):
                loss -= w * math.log((c + k) / total)
        if loss < lowest:
            best, lowest = k, loss
    return best


slips(smooth_by_key)("""
smooth_columns: makes shares of the columns instead of the rows
    dim=1 -> dim=0
smooth_without_keepdim: forgets keepdim, so each column is divided by the sum of the row with its number
    (train_counts.double() + k).log().log_softmax(dim=1) -> ((train_counts + k) / (train_counts + k).sum(dim=1)).log()
smooth_zeros_only: puts k only where the count is 0
    train_counts.double() + k -> train_counts + k * (train_counts == 0).double()
smooth_stops_when_it_rises: stops as soon as the loss rises, so ks in no order may hide the best one
    best, lowest = ks[0], math.inf
    for k in ks:
        loss = smooth_loss(train_counts.double() + k, val_counts)
        if loss > lowest:
            break
        best, lowest = k, loss
    return best
smooth_whole_numbers: writes the sums into a table of whole numbers, so 0.5 counts as 0
    best, lowest = ks[0], math.inf
    for k in ks:
        table = train_counts.clone()
        table[:] = train_counts + k
        loss = smooth_loss(table.double(), val_counts)
        if loss < lowest:
            best, lowest = k, loss
    return best
smooth_below_knowing_nothing of smooth_by_loops: keeps only a loss below ln V, so it returns None if every table is worse than that
    math.inf -> math.log(len(val_counts)) * int(val_counts.sum())
smooth_rows_weigh_the_same: averages the losses of the rows as if each were equally frequent
    val_counts * -> val_counts / val_counts.sum(dim=1, keepdim=True).clamp(min=1) *
""")
