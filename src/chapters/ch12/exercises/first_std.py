"""The standard deviation of a parameter's first values, as in GPT-2: smaller where the stream is written."""

from course.learn.record import Exercise

NAMES = [
    "token_embedding.weight", "position_embedding.weight", "blocks.0.norm_1.weight",
    "blocks.0.attention.qkv.weight", "blocks.1.attention.qkv.bias", "blocks.0.attention.out.weight",
    "blocks.3.attention.out.bias", "blocks.11.norm_2.weight", "blocks.2.mlp.hidden.weight",
    "blocks.5.mlp.out.weight", "blocks.1.mlp.out.bias", "final_norm.weight", "final_norm.bias",
    "lm_head.weight", "blocks.10.attention.out.weight", "blocks.2.norm_1.bias",
]  # fmt: skip
E = Exercise(
    __name__, n_drawn=8,
    inputs=[(name, n_layer) for n_layer in (12, 3, 1, 48) for name in NAMES],
    draw=lambda d: (d.choice(NAMES), d.size(2)),
)  # fmt: skip


@E.answer
def first_std(name, n_layer):
    if "norm" in name or name.endswith("bias"):
        return 0.0
    if name.endswith("out.weight"):
        return 0.02 / (2 * n_layer) ** 0.5
    return 0.02


E.slip("(2 * n_layer)", "n_layer", """each block writes into the stream twice, so there are 2 L
    additions. You count one for each block.""")
E.slip("(2 * n_layer) ** 0.5", "(2 * n_layer)", """you divide by 2 L. Variances add up, so it is the
    standard deviation divided by the *root* of 2 L.""")
E.slip("(2 * n_layer) ** 0.5", "2 * n_layer ** 0.5", """count the brackets: you divide by 2, and then multiply
    by the root of L. It is 0.02 / sqrt(2 L).""")
E.slip("0.02 / (2", "0.02 * (2", """you multiply by the root. More blocks add more, so each of them has
    to begin with less.""")
E.slip('"out.weight"', '"attention.out.weight"', """only attention gets the smaller one. The MLP
    writes into the stream, too.""")
E.slip('"out.weight"', '"mlp.out.weight"', """only the MLP gets the smaller one.
    Attention's output projection writes into the stream, too.""")
E.slip('name.endswith("out.weight")', 'name.startswith("blocks")', """you scale all weights of a block.
    Only those that write into the stream are scaled: the last Linear of each part.""")
E.slip('name.endswith("out.weight")', 'name.endswith(("out.weight", "hidden.weight"))', """the first
    Linear of the MLP doesn't write into the stream. Only the second does.""")
E.slip('name.endswith("out.weight")', 'name.endswith(("out.weight", "lm_head.weight"))', """`lm_head`
    reads the stream, and doesn't write into it.""")
E.slip(' or name.endswith("bias")', "", """biases start at 0, all of them, so their standard deviation
    is 0.0.""")
E.slip('"norm" in name', 'name.startswith("final_norm")', """the norms of a block are called `norm_1`
    and `norm_2`. Their weights start at 1, too: standard deviation 0.0.""")
E.slip('"norm" in name', '"norm_" in name', """the last norm, `final_norm`, starts at 1, too. Its
    standard deviation is 0.0.""")


@E.mistake
def out_biases_too(name, n_layer):
    """the *bias* of an output projection starts at 0, as all biases do: its standard deviation is 0.0.
    Only its weight gets the smaller one."""
    return 0.02 / (2 * n_layer) ** 0.5 if ".out." in name else first_std(name, n_layer)


@E.mistake
def by_its_own_number(name, n_layer):
    """you scale by the block's own number in the stack. In GPT-2 all blocks have the same factor, and
    it depends on how many there are."""
    own = int(name.split(".")[1]) + 1 if name.startswith("blocks") else 1
    return first_std(name, own)


E.hint("Which two Linears of a block does something come out of that is added to the stream?")
E.hint("""They end with `out.weight`. Norms and biases come first: 0.0. All others have 0.02.""")
E.hint("There are 2 L additions, and variances add up: 0.02 / sqrt(2 L).")
