"""Answers to the exercises of chapter 12, written from its page alone."""

import torch

from tests.chapters.answers import right, slips


@right("12.normalise")
def one_word_at_a_time(x, weight, eps, centre):
    words = []
    for word in x.reshape(-1, x.shape[-1]):
        numbers = word - word.sum() / len(word) if centre else word
        words.append(numbers * weight * ((numbers @ numbers) / len(word) + eps) ** -0.5)
    return torch.stack(words).reshape(x.shape)


@right("12.normalise")
def by_var(x, weight, eps, centre):
    if centre:
        variance, mean = torch.var_mean(x, dim=-1, keepdim=True, unbiased=False)
        return (x - mean) * torch.rsqrt(variance + eps) * weight
    return x * torch.rsqrt((x * x).mean(-1, True) + eps) * weight


slips(one_word_at_a_time)("""
pytorchs_std: x.std() divides by C - 1
    if centre:
        return (
            (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) ** 2 + eps).sqrt() * weight
        )
    return x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * weight
over_the_words: takes axis 1 for the channels
    dim = min(1, x.ndim - 1)
    if centre:
        x = x - x.mean(dim, keepdim=True)
    return x / (x.pow(2).mean(dim, keepdim=True) + eps).sqrt() * weight
size_before_centring: takes the size first and centres afterwards
    size = (x.pow(2).mean(-1, keepdim=True) + eps).sqrt()
    if centre:
        x = x - x.mean(-1, keepdim=True)
    return x / size * weight
length_one of size_before_centring: divides by the length, so that the vector, not its typical number, has size 1
    size = (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() ->
    return x / size * weight -> return x / (x.pow(2).sum(-1, keepdim=True) + eps) ** 0.5 * weight
the_annotated_way of size_before_centring: adds eps to the root, as a widely read implementation does
    size = (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() ->
    x / size * weight -> weight * x / (x.pow(2).mean(-1, keepdim=True).sqrt() + eps)
over_everything: one mean and one size for all of x
    if centre:
        x = x - x.mean()
    return x / (x.pow(2).mean() + eps).sqrt() * weight
forgets_the_root of size_before_centring: divides by the variance
    size = (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() ->
    return x / size * weight -> return x / (x.pow(2).mean(-1, keepdim=True) + eps) * weight
mean_of_absolute_values of size_before_centring: takes the mean of the absolute values for the size
    size = (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() ->
    return x / size * weight -> return x / (x.abs().mean(-1, keepdim=True) + eps) * weight
""")


@right("12.block")
def named_steps(x, attend, think, norm_1, norm_2):
    heard = attend(norm_1(x))
    middle = torch.add(x, heard)
    return torch.add(middle, think(norm_2(middle)))


@right("12.block")
def a_loop(x, attend, think, norm_1, norm_2):
    for part, norm in ((attend, norm_1), (think, norm_2)):
        x = x + part(norm(x))
    return x


slips(named_steps)("""
overwrites_x: the name x is used for the normalised copy, so the copy is added to
    x = norm_1(x)
    x = x + attend(x)
    x = norm_2(x)
    return x + think(x)
the_first_transformer: norm after the sum
    x = norm_1(x + attend(x))
    return norm_2(x + think(x))
no_way_round: one behind the other, without residuals
    return think(norm_2(attend(norm_1(x))))
side_by_side: both parts read x
    return x + attend(norm_1(x)) + think(norm_2(x))
loses_attention: adds the second part to the x that came in
    heard = x + attend(norm_1(x))
    return x + think(norm_2(heard))
one_norm_for_both: uses the first norm twice
    x = x + attend(norm_1(x))
    return x + think(norm_1(x))
forgets_the_second_norm: the MLP reads the stream itself
    x = x + attend(norm_1(x))
    return x + think(x)
writes_into_x: adds in place
    x += attend(norm_1(x))
    x += think(norm_2(x))
    return x
half_of_each: takes the mean of the stream and of what is added
    x = (x + attend(norm_1(x))) / 2
    return (x + think(norm_2(x))) / 2
""")


def is_normed(out):
    return bool(((out.square().mean(-1) - 1).abs() < 1e-3).all())


@right("12.find_missing")
def grows_with_x(block, x):
    one, two = block(1e9 * x), block(2e9 * x)
    if is_normed(block(x)):
        return "norm after"
    grown = (two - one) / 1e9
    return "fine" if (grown - x).abs().max() < 1e-2 * (1 + x.abs().max()) else "no residual"


@right("12.find_missing")
def size_of_a_very_large_one(block, x):
    if is_normed(block(x)) and is_normed(block(100 * x)):
        return "norm after"
    return "fine" if block(1e9 * x).norm() > 5e8 * x.norm() else "no residual"


slips(grows_with_x)("""
larger_is_fine: a residual makes the output larger than x
    out = block(x)
    if is_normed(out):
        return "norm after"
    return "fine" if out.norm() > x.norm() else "no residual"
looks_alike: a residual makes the output look like x
    out = block(x)
    if is_normed(out):
        return "norm after"
    return (
        "fine"
        if torch.cosine_similarity(out.flatten(), x.flatten(), dim=0) > 0.5
        else "no residual"
    )
the_same_for_large_x: without residuals the output doesn't change with the size of x: true of the first one only
    if is_normed(block(x)):
        return "norm after"
    out, far = block(x), block(1000 * x)
    return "no residual" if torch.allclose(out, far, rtol=1e-2, atol=1e-2) else "fine"
too_exact: asks for equality to the last bit of numbers in the thousands
    if is_normed(block(x)):
        return "norm after"
    added, far = block(x) - x, block(1000 * x) - 1000 * x
    return "fine" if torch.equal(added, far) else "no residual"
asks_the_first_word: asks the first word alone whether its RMS is 1
    if abs(float(block(x)[0, 0].square().mean()) - 1) < 1e-3:
        return "norm after"
    grown = (block(2048 * x) - block(1024 * x)) / 1024
    return "fine" if (grown - x).abs().max() < 0.1 * x.abs().max() else "no residual"
looks_at_shapes: compares shapes, which are all right
    return "fine" if block(x).shape == x.shape else "no residual"
sends_zeros: zeros in, zeros out would be a residual
    out = block(torch.zeros_like(x))
    return "fine" if out.abs().max() < 1e-3 else "no residual"
forgets_norm_after: knows only two of the three answers
    added, far = block(x) - x, block(1000 * x) - 1000 * x
    return "fine" if (added - far).abs().max() < 0.01 * (1 + added.abs().max()) else "no residual"
""")


SMALL = 0.02


@right("12.first_std")
def by_the_last_words(name, n_layer):
    *_, module, kind = name.split(".")
    if kind == "bias" or module in ("final_norm", "norm_1", "norm_2"):
        return 0.0
    return 0.02 * (2 * n_layer) ** -0.5 if module == "out" else 0.02


@right("12.first_std")
def by_its_end(name, n_layer):
    if "norm" in name or "bias" in name:
        return 0.0
    return SMALL / (2 * n_layer) ** 0.5 if name.endswith("out.weight") else SMALL


slips(by_its_end)("""
out_biases_too: a bias of an output projection is scaled instead of zero
    if "norm" in name:
        return 0.0
    if ".out." in name:
        return SMALL / (2 * n_layer) ** 0.5
    return 0.0 if "bias" in name else SMALL
by_depth: scales by the block's own place in the stack
    2 * n_layer -> 2 * (int(name.split(".")[1]) + 1)
once_a_block: counts one addition for each block
    (2 * n_layer) ** 0.5 -> n_layer**0.5
without_the_root: divides by 2 L
    (2 * n_layer) ** 0.5 -> (2 * n_layer)
attention_only: forgets that the MLP writes too
    name.endswith("out.weight") -> "attention.out" in name
everything_in_a_block: scales all weights of a block
    name.endswith("out.weight") -> name.startswith("blocks.")
norms_like_the_others: gives the norms of the blocks 0.02
    "norm" in name -> name == "final_norm.weight"
""")


@right("12.count_block")
def by_shapes(n_embd, norm, bias):
    C = n_embd
    linears = [(C, 3 * C), (C, C), (C, 4 * C), (4 * C, C)]
    total = sum(a * b + (b if bias else 0) for a, b in linears)
    return total + 2 * C * ("none", "rms", "layer").index(norm)


@right("12.count_block")
def by_building(n_embd, norm, bias):
    from torch import nn

    made = [
        nn.Linear(a * n_embd, b * n_embd, bias=bias) for a, b in ((1, 3), (1, 1), (1, 4), (4, 1))
    ]
    make = {"none": nn.Identity, "rms": nn.RMSNorm, "layer": nn.LayerNorm}[norm]
    made += [make(n_embd), make(n_embd)]
    return sum(parameter.numel() for part in made for parameter in part.parameters())


slips(by_shapes)("""
three_in_attention: forgets W_O
    norms = {"none": 0, "rms": 2, "layer": 4}[norm] * n_embd
    return 3 * n_embd**2 + 8 * n_embd**2 + norms + (8 * n_embd if bias else 0)
one_norm: counts one norm
    norms = {"none": 0, "rms": 1, "layer": 2}[norm] * n_embd
    return 12 * n_embd**2 + norms + (9 * n_embd if bias else 0)
norms_without_bias: a layer norm gets a bias only if the Linears have one
    norms = {"none": 0, "rms": 2, "layer": 4 if bias else 2}[norm] * n_embd
    return 12 * n_embd**2 + norms + (9 * n_embd if bias else 0)
one_bias_a_layer: a bias of C for each of the four Linears
    norms = {"none": 0, "rms": 2, "layer": 4}[norm] * n_embd
    return 12 * n_embd**2 + norms + (4 * n_embd if bias else 0)
always_biases: ignores the argument
    norms = {"none": 0, "rms": 2, "layer": 4}[norm] * n_embd
    return 12 * n_embd**2 + norms + 9 * n_embd
matrices_only: counts the matrices
    return 12 * n_embd**2
a_square_mlp: the MLP as two matrices of C by C
    norms = {"none": 0, "rms": 2, "layer": 4}[norm] * n_embd
    return 6 * n_embd**2 + norms + (9 * n_embd if bias else 0)
""")
