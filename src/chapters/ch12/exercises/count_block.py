"""The number of parameters of a block: attention, the MLP, two norms."""

from course.learn.record import Exercise

WAYS = [(norm, bias) for norm in ("rms", "layer", "none") for bias in (False, True)]
E = Exercise(
    __name__, n_drawn=9,
    inputs=[(n_embd, *way) for n_embd in (1, 32, 768) for way in WAYS],
    draw=lambda d: (4 * d.size(), *d.choice(WAYS)),
)  # fmt: skip


@E.answer
def count_block(n_embd, norm, bias):
    attention = 4 * n_embd**2
    mlp = 8 * n_embd**2
    norms = 2 * n_embd * {"none": 0, "rms": 1, "layer": 2}[norm]
    biases = (3 + 1 + 4 + 1) * n_embd if bias else 0
    return attention + mlp + norms + biases


E.slip("attention = 4", "attention = 3", """W_O is missing: attention has four square matrices, for
    queries, keys, values, and the output.""")
E.slip("mlp = 8", "mlp = 4", """the MLP has two matrices of 4 C by C, one to widen
    and one to come back.""")
E.slip("mlp = 8", "mlp = 16", """the MLP's two matrices are 4 C by C and C by 4 C.
    Yours is 4 C by 4 C.""")
E.slip("norms = 2 * n_embd", "norms = n_embd", "there are two norms in a block, one before each part.")
E.slip('"layer": 2', '"layer": 1', """a layer norm has a bias for each channel, too, also when the
    Linears have none.""")
E.slip('"rms": 1', '"rms": 2', "an RMS norm has weights and no biases: C numbers.")
E.slip('"none": 0', '"none": 1', "with the norm `\"none\"` there is nothing to learn in it.")
E.slip("(3 + 1 + 4 + 1)", "(3 + 1 + 1 + 1)", """a Linear has a bias for each of its *outputs*. The first
    of the MLP has 4 C of them.""")
E.slip("(3 + 1 + 4 + 1)", "(1 + 1 + 4 + 1)", """the packed Linear of queries, keys and values has 3 C
    outputs, and so 3 C biases.""")
E.slip(
    "(3 + 1 + 4 + 1)",
    "4",
    """a Linear has a bias for each of its outputs, not C in every case: 3 C, C, 4 C and C.""",
)
E.slip(
    '"layer": 2',
    '"layer": 1 + bias',
    """`bias` decides about the Linears alone. A layer norm has its biases also when it is False.""",
)
E.slip(" if bias else 0", "", "you count biases also when `bias` is False.")
E.slip(" + biases", "", "the biases are missing when `bias` is True: one for each output of a Linear.")
E.slip("return attention", "return 2.0 * attention / 2", """right, but a number of parameters is an int,
    and yours is a float.""")
E.mistake(lambda n, norm, bias: 12 * n * n, """only the matrices are counted. What do the norms learn,
    and the biases?""")

E.hint("Which four Linears does a block have? Write down inputs and outputs of each.")
E.hint("C to 3 C, C to C, C to 4 C, 4 C to C. A bias is one number for each output.")
E.hint("12 C² for the matrices, 9 C for the biases, and for each of the two norms 0, C or 2 C.")
