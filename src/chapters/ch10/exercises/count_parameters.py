"""The number of parameters: q, k, v without bias, the output projection with one."""

from course.learn.record import Exercise

GIVEN = [(4, 2), (6, 3), (768, 12), (768, 1)]
E = Exercise(__name__, GIVEN, lambda d: ((size := d.sizes(2))[0] * size[1], size[0]), n_drawn=9)

@E.answer
def count_parameters(n_embd, n_head):
    qkv = 3 * n_embd * n_embd
    out = n_embd * n_embd + n_embd
    return qkv + out

E.slip("3 *", "3 * n_head *", """you count three full projections for each head. The heads share
    the width: each has C / H of the C outputs.""")
E.slip("qkv + out", "n_head * (qkv + out)", """you count the complete module once for each head.
    The heads share its width and its output projection.""")
E.slip("qkv +", "qkv // n_head +", """for q, k and v you count what one head has, 3 C D numbers
    with D = C / H. There are H heads, and each of them reads all C channels of x.""")
E.slip(" + n_embd", "", """the four matrices are right. The output projection also has a bias: one
    number for each of its outputs.""")
E.slip("+ out", "+ out + 3 * n_embd", """you gave all four projections a bias. Here queries, keys
    and values have none.""")
E.slip(" + out", "", "the output projection is missing: a matrix and a bias.")
E.slip("+ out", "+ out + 2 * n_embd", """you swapped the biases: q, k and v have none, and the
    output projection has one.""")
E.slip("3 *", "", """you count one (C, C) matrix for q, k and v together. There are three, packed
    into one of shape (3 C, C).""")
E.slip("qkv + out", "4 * n_embd * n_embd // n_head + n_embd", """you divided both matrices by the
    number of heads. Each head uses a slice of each matrix, and together the slices make up the
    complete matrix.""")
E.slip("out = n_embd", "out = n_embd // n_head", """your W_O takes the channels of only one head.
    Its input is all heads side by side, C channels.""")
E.slip("3 *", "3.0 *", "your number is right, but it is a float. A number of parameters is an int.")

@E.law
def one_bias_remains(n, n_embd, n_head):
    """the result has to count complete matrices of n_embd ** 2 numbers each, and one bias of
    n_embd numbers"""
    return n % n_embd**2 == n_embd

E.hint("Which two layers does the module have, and what is the shape of each weight?")
E.hint("A Linear from a to b channels has a times b numbers, and b more if it has a bias.")
E.hint("One layer goes from C to 3 C without bias, one from C to C with a bias.")
