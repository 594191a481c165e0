"""The number of parameters of a block, with attention, the MLP and two norms."""

from course.learn.record import Exercise

WAYS = [(norm, bias) for norm in ("rms", "layer", "none") for bias in (False, True)]
E = Exercise(__name__, n_drawn=9,
    inputs=[(n_embd, *way) for n_embd in (1, 32, 768) for way in WAYS],
    draw=lambda d: (4 * d.size(), *d.choice(WAYS)))

@E.answer
def count_block(n_embd, norm, bias):
    attention = 4 * n_embd**2
    mlp = 8 * n_embd**2
    norms = 2 * n_embd * {"none": 0, "rms": 1, "layer": 2}[norm]
    biases = (3 + 1 + 4 + 1) * n_embd if bias else 0
    return attention + mlp + norms + biases

E.slip("attention = 4", "attention = 3", """you left out W_O. Attention has four square matrices,
    for queries, keys, values, and the output.""")
E.slip("mlp = 8", "mlp = 4", """you counted only one of the MLP's two matrices. One goes from C to
    4 C, and the other goes back to C.""")
E.slip("mlp = 8", "mlp = 16", """you count a matrix of 4 C by 4 C. The MLP's two matrices are 4 C by
    C and C by 4 C.""")
E.slip("norms = 2 * n_embd", "norms = n_embd", """you counted one norm. A block has two, one before
    each part.""")
E.slip('"layer": 2', '"layer": 1', """you left out the biases of the layer norm. It has one for each
    channel, even when the Linears have none.""")
E.slip('"rms": 1', '"rms": 2', """you counted biases in the RMS norm. It has only weights, C
    numbers.""")
E.slip('"none": 0', '"none": 1', """you counted weights for the norm `"none"`, but it learns
    nothing.""")
E.slip("(3 + 1 + 4 + 1)", "(3 + 1 + 1 + 1)", """a Linear has a bias for each of its *outputs*. The
    first Linear of the MLP has 4 C outputs.""")
E.slip("(3 + 1 + 4 + 1)", "(1 + 1 + 4 + 1)", """the packed Linear of queries, keys and values has 3
    C outputs, so it has 3 C biases.""")
E.slip("(3 + 1 + 4 + 1)", "4", """you count C biases for every Linear. A Linear has one for each of
    its outputs: 3 C, C, 4 C and C.""")
E.slip('"layer": 2', '"layer": 1 + bias', """`bias` affects only the Linears. A layer norm has its
    biases even when `bias` is False.""")
E.slip(" if bias else 0", "", "you count biases even when `bias` is False.")
E.slip(" + biases", "", """you left out the biases when `bias` is True: a Linear has one for each
    output.""")
E.slip("return attention", "return 2.0 * attention / 2", """your number is right, but it is a float.
    Return an int.""")
E.mistake(lambda n, norm, bias: 12 * n * n, """you counted only the matrices. What do the norms
    learn, and how many biases are there?""")

E.hint("Which four Linears does a block have? Write down the inputs and outputs of each.")
E.hint("""They go from C to 3 C, C to C, C to 4 C, and 4 C to C. A bias is one number for each
    output.""")
E.hint("Add 12 C² for the matrices, 9 C for the biases, and 0, C or 2 C for each of the two norms.")
