"""RMS norm and layer norm in one function: word by word, with or without subtracting the mean."""

import torch

from course.learn.draws import quarters
from course.learn.record import Exercise

ONES = torch.ones(3)
E = Exercise(__name__, without=("norm", "attention"), n_drawn=16,
    inputs=[
        (torch.tensor([[3.0, 4.0, 5.0]]), ONES, 0.0, False),
        (torch.tensor([[3.0, 4.0, 5.0]]), ONES, 0.0, True),
        (torch.tensor([[0.0, 0.0, 0.0], [1.0, 2.0, 6.0]]), torch.tensor([1.0, -2.0, 0.5]), 0.25, False),
        (quarters(2, 3, 3) + 1, torch.tensor([1.0, -2.0, 0.5]), 1.0, True),
        (quarters(4, 4, seed=1) + 2, torch.tensor([0.5, 1.0, 2.0, -1.0]), 0.5, False),
        (quarters(3, 3, 3, seed=2) + 1, torch.tensor([2.0, 1.0, -1.0]), 0.25, False),
        (quarters(2, 1, 3, seed=4) - 1, torch.tensor([0.0, 1.0, 3.0]), 0.25, True),
        (quarters(5, seed=3) * 1000, torch.ones(5) / 2, 1e-6, True),
    ],
    draw=lambda d: (
        d.tensor(d.size(), d.size(2), c := d.size(2), scales=(1.0, 30.0)) + d.number(),
        d.tensor(c), d.choice([0.001, 0.25, 1.0]), d.random() < 0.5,
    ))

@E.answer
def normalise(x, weight, eps, centre):
    if centre:
        x = x - x.mean(dim=-1, keepdim=True)
    mean_square = x.square().mean(dim=-1, keepdim=True)
    return x / (mean_square + eps).sqrt() * weight

E.slip("if centre", "if not centre", """you swapped the two norms: `centre=True` is layer norm,
    which subtracts the mean.""")
E.slip("if centre", "if False", """you don't subtract the mean when `centre` is True. That is the
    step by which layer norm differs from RMS norm.""")
E.slip("if centre", "if True", "you always subtract the mean. RMS norm (`centre=False`) doesn't.")
E.slip("(mean_square + eps).sqrt()", "(mean_square.sqrt() + eps)", """you add eps outside the root.
    Add it to the mean square, and then take the root.""")
E.slip("(mean_square + eps).sqrt()", "mean_square.sqrt()", """you left out eps. Without it a word
    of zeros is divided by 0, and the numbers of every other word are too large.""")
E.slip("(mean_square + eps).sqrt()", "(mean_square + eps)", """you divide by the mean square. Divide
    by its root, which is the size of the numbers.""")
E.slip("(mean_square + eps).sqrt()", "(mean_square + eps**2).sqrt()", """you square eps under the
    root. Add eps itself to the mean square.""")
E.slip("square().mean(dim=-1", "square().sum(dim=-1", """you divide by the length of the vector, the
    root of the *sum* of the squares. RMS norm takes the mean instead, so that a typical number has
    size 1.""")
E.slip("square().mean(dim=-1, keepdim=True)", "square().mean()", """you take one mean square over
    all of x. Compute one per word, over its channels. Otherwise information leaks from one word to
    another.""")
E.slip("square().mean(dim=-1", "square().mean(dim=0", """you take the mean square over axis 0, which
    is the batch if there is one. Take it over the channels of one word, the last axis.""")
E.slip("square().mean(dim=-1", "square().mean(dim=max(-2, -x.ndim)", """you take the mean square
    over the words of a sequence, channel by channel, so the future leaks into the past. Take it
    over the channels of one word, the last axis.""")
E.slip("x.mean(dim=-1, keepdim=True)", "x.mean()", """you subtract the mean of all of x. Each word
    has its own mean, over its channels.""")
E.slip("square().mean(dim=-1, keepdim=True)", "square().mean(dim=-1)", """without `keepdim` the mean
    squares are one axis short, so they are broadcast along the wrong axis, or don't fit at all.""")
E.slip(" * weight", "", "you left out the weight: each channel has its own factor.")
E.slip(" * weight", " * (1 + weight)", """you multiply by 1 + weight. Some models (Gemma) store
    their weights in this way, but here the weight is the factor itself.""")
E.slip("mean_square = x", "x = x * weight\n    mean_square = x", """you multiply by the weight
    before you normalise x, so the weight changes the size by which all channels are divided.""")

@E.mistake
def over_the_words(x, weight, eps, centre):
    """you take the means over the words of a sequence, channel by channel, so the future leaks into
    the past. Take them over the channels of one word, the last axis."""
    dim = max(-2, -x.ndim)
    if centre:
        x = x - x.mean(dim, keepdim=True)
    return x / (x.square().mean(dim, keepdim=True) + eps).sqrt() * weight

@E.mistake
def over_everything(x, weight, eps, centre):
    """you take the means over all of x. Compute one mean per word, over its channels. Otherwise
    information leaks from one word to another."""
    if centre:
        x = x - x.mean()
    return x / (x.square().mean() + eps).sqrt() * weight

@E.mistake
def of_a_sample(x, weight, eps, centre):
    """you divide by C - 1 where the mean divides by C. `x.var()` and `x.std()` do this unless you
    pass `unbiased=False`. A norm takes the mean over all C channels."""
    if centre:
        return (x - x.mean(-1, True)) / (x.var(-1, keepdim=True) + eps).sqrt() * weight
    return normalise(x, weight, eps, centre)

@E.mistake
def by_the_spread(x, weight, eps, centre):
    """you divide by the standard deviation of each word, `std`, which subtracts the mean even where
    `centre` is False. RMS norm divides by the root of the mean square. (And `std` divides by C - 1,
    not by C.)"""
    size = x.std(dim=-1, keepdim=True)
    return (x - x.mean(-1, keepdim=True) if centre else x) / (size + eps) * weight

for unbiased in (True, False):
    E.mistake(lambda x, weight, eps, centre, u=unbiased: (x - x.mean(-1, True) if centre else x) / (
        x.var(-1, unbiased=u, keepdim=True) + eps).sqrt() * weight, """you divide by the root of
            each word's variance, which subtracts the mean even where `centre` is False. RMS norm
            divides by the root of the mean square.""")

@E.mistake
def by_the_spread_of_all(x, weight, eps, centre):
    """you divide by `x.std()` of all of x, one number. Each word has its own size, over its
    channels. Where `centre` is False, this size is the root of the mean square, without subtracting
    the mean."""
    return (x - x.mean(-1, keepdim=True) if centre else x) / (x.std() + eps) * weight

@E.mistake
def centred_above_only(x, weight, eps, centre):
    """you subtract the mean only above the fraction line. The mean square below it must also be
    that of the centred numbers."""
    size = (x.square().mean(-1, keepdim=True) + eps).sqrt()
    return (x - x.mean(-1, keepdim=True) if centre else x) / size * weight

@E.mistake
def in_place(x, weight, eps, centre):
    """the numbers are right, but you wrote into the caller's x. In a block that x is the residual
    stream, which is still needed. Use `x = x - ...` instead of `x -= ...`."""
    if centre:
        x -= x.mean(dim=-1, keepdim=True)
    return normalise(x, weight, eps, False)

E.hint("Over which axis do you take the means, if each word is normalised by itself?")
E.hint("""Take the mean of the squares over the last axis, add eps, and divide x by the root of
    that. If `centre` is True, subtract the mean first, and go on with the centred numbers.""")
E.hint("""Compute `x.square().mean(dim=-1, keepdim=True)`. Add eps, take the root, divide x by it,
    and multiply by weight.""")
