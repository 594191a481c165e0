"""The standard deviation of a parameter's first values, as in GPT-2: smaller for weights that write
into the stream."""

from course.learn.record import Exercise

NAMES = [
    "token_embedding.weight", "position_embedding.weight", "blocks.0.norm_1.weight",
    "blocks.0.attention.qkv.weight", "blocks.1.attention.qkv.bias", "blocks.0.attention.out.weight",
    "blocks.3.attention.out.bias", "blocks.11.norm_2.weight", "blocks.2.mlp.hidden.weight",
    "blocks.5.mlp.out.weight", "blocks.1.mlp.out.bias", "final_norm.weight", "final_norm.bias",
    "lm_head.weight", "blocks.10.attention.out.weight", "blocks.2.norm_1.bias",
]  # fmt: skip
E = Exercise(__name__, n_drawn=8,
    inputs=[(name, n_layer) for n_layer in (12, 3, 1, 48) for name in NAMES],
    draw=lambda d: (d.choice(NAMES), d.size(2)))

@E.answer
def first_std(name, n_layer):
    if "norm" in name or name.endswith("bias"):
        return 0.0
    if name.endswith("out.weight"):
        return 0.02 / (2 * n_layer) ** 0.5
    return 0.02

E.slip("(2 * n_layer)", "n_layer", """you count one addition for each block. A block writes into the
    stream twice, so there are 2 L additions.""")
E.slip("(2 * n_layer) ** 0.5", "(2 * n_layer)", """you divide by 2 L. Variances add up, but
    standard deviations don't, so divide by the *root* of 2 L.""")
E.slip("(2 * n_layer) ** 0.5", "2 * n_layer ** 0.5", """your brackets are wrong: you divide by 2,
    and then multiply by the root of L. The answer is 0.02 / sqrt(2 L).""")
E.slip("0.02 / (2", "0.02 * (2", """you multiply by the root. More blocks add more, so each block
    has to begin with less.""")
E.slip('"out.weight"', '"attention.out.weight"', """you use the smaller standard deviation only in
    attention. The MLP also writes into the stream.""")
E.slip('"out.weight"', '"mlp.out.weight"', """you use the smaller standard deviation only in the
    MLP. Attention's output projection also writes into the stream.""")
E.slip('name.endswith("out.weight")', 'name.startswith("blocks")', """you scale all weights of a
    block. Scale only the weights that write into the stream, in the last Linear of each part.""")
E.slip('name.endswith("out.weight")', 'name.endswith(("out.weight", "hidden.weight"))', """you also
    scale the first Linear of the MLP. It doesn't write into the stream; only the second one
    does.""")
E.slip('name.endswith("out.weight")', 'name.endswith(("out.weight", "lm_head.weight"))', """you also
    scale `lm_head`. It reads the stream, but doesn't write into it.""")
E.slip(' or name.endswith("bias")', "", """all biases start at 0, so their standard deviation is
    0.0.""")
E.slip('"norm" in name', 'name.startswith("final_norm")', """the norms of a block are called
    `norm_1` and `norm_2`. Their weights also start at 1, so their standard deviation is 0.0.""")
E.slip('"norm" in name', '"norm_" in name', """the weights of the last norm, `final_norm`, also
    start at 1, so their standard deviation is 0.0.""")

@E.mistake
def out_biases_too(name, n_layer):
    """the *bias* of an output projection starts at 0, as all biases do, so its standard deviation
    is 0.0. Only the *weight* starts with the smaller standard deviation."""
    return 0.02 / (2 * n_layer) ** 0.5 if ".out." in name else first_std(name, n_layer)

@E.mistake
def by_its_own_number(name, n_layer):
    """you scale by the block's own number in the stack. In GPT-2 all blocks have the same factor,
    which depends on how many blocks there are."""
    own = int(name.split(".")[1]) + 1 if name.startswith("blocks") else 1
    return first_std(name, own)

E.hint("Which two Linears of a block have an output that is added to the stream?")
E.hint("""The names of their weights end with `out.weight`. Treat norms and biases first: they have
    0.0. All others have 0.02.""")
E.hint("There are 2 L additions, and variances add up: 0.02 / sqrt(2 L).")
