"""Return the expected variance of the unscaled scores of a head of default Linear layers."""

from course.learn.record import Exercise

E = Exercise(__name__, inputs=[(1.0, 32, 16), (1.0, 32, 5), (2.0, 32, 16), (0.5, 48, 7)],
             draw=lambda d: (d.choice([1.0, d.number(0.25, 9), 0.01]), *d.sizes(2)))

@E.answer
def default_variance(x_variance, n_embd, head_size):
    q_variance = n_embd * x_variance / (3 * n_embd)
    return head_size * q_variance**2

Q = "n_embd * x_variance / (3 * n_embd)"
E.slip(Q, "x_variance", """your answer gives q and k the variance of x. A default layer makes it
    smaller: `k.var()` was 0.3164 above, for an x of variance 1.""")
E.slip("**2", "", """your answer uses the factor of one third and the variance of x only once. But
    a score multiplies q by k, and each of them contributes both factors.""")
E.slip("n_embd * x", "x", """you use 1 / (3 C), the variance of one number of the weight matrix. A
    number of q is a sum over C channels.""")
E.slip("return head_size", "return n_embd", """you add up n_embd products. The dot product comes
    after the projections: how many numbers do q and k have then?""")
E.slip("head_size * q", "q", """your answer is the variance after scaling by 1 / sqrt(head_size).
    The question is about unscaled scores.""")
E.slip(Q, "1 / 3", """your answer is right for an x of variance 1. If x has variance 2, q and k
    grow with it.""")
E.slip("**2", " / 3", "your answer uses the variance of x only once, but x is in both q and k.")
E.slip("**2", " * x_variance", """your answer uses one third only once, but the query layer and
    the key layer each bring one third.""")
E.slip(Q, "x_variance / 12", """you take a as the width of the weights' range. But from -a to a the
    width is 2a, so their variance is (2a)**2 / 12.""")
E.mistake(lambda x, n, d: d**0.5 * x / 3, "you returned the standard deviation. Square it.")

@E.law
def variance_1_gives_a_ninth(answer, x_variance, n_embd, head_size):
    """an x of variance 1 has to give head_size / 9, as measured above"""
    return x_variance != 1 or abs(answer / head_size * 9 - 1) < 1e-3

E.hint("First find the variance of one number of q, then that of a score.")
E.hint("""A number of q adds up n_embd products, each of a number of x and a weight. The variance of
    a weight is 1 / (3 * n_embd).""")
E.hint("""With `q_variance = x_variance / 3`, the answer is `head_size` times the variance of q
    times the variance of k.""")
