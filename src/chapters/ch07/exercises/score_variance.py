"""Return the variance of scale * (q . k) for vectors of size d with these variances."""

from course.learn.record import Exercise

E = Exercise(__name__, inputs=[(16, 1.0, 1.0, 0.25), (5, 3.0, 0.5, 1.0)], draw=lambda d: (
    size := d.choice([1, d.size(), 16, 64, 256]), d.number(0.25, 8), d.number(0.25, 8),
    d.choice([size**-0.5, size**-0.5, 1 / size, d.number(0.25), -0.5]),
))

@E.answer
def score_variance(d, q_variance, k_variance, scale):
    return scale**2 * d * q_variance * k_variance

ONCE = """the scale counts only once in your answer. A variance is a mean of squares. What does
    doubling every number do to it?"""
E.slip("scale**2", "scale", ONCE)
E.slip("scale**2", "abs(scale)", ONCE)
E.slip("scale**2 * ", "", """your answer doesn't change with the scale. Multiplying by 0.25 moves
    the scores closer together, so their variance has to become smaller.""")
DEVIATION = """you returned the standard deviation, a score's typical size. The variance is its
    square."""
E.mistake(lambda d, q, k, scale: scale * (d * q * k) ** 0.5, DEVIATION)
E.mistake(lambda d, q, k, scale: (scale**2 * d * q * k) ** 0.5, DEVIATION)
E.slip("**2", "**-2", """you divide by the square of the scale. The scores are multiplied by the
    scale, so a scale of 0.25 has to make the variance smaller, not 16 times larger.""")
E.slip(" * q_variance * k_variance", "", """your answer is right only if q and k have variance 1.
    What is the variance of one product if the variance is 3 for q and 0.5 for k?""")
E.slip("* d *", "* d**2 *", """your answer contains the square of d. That would be right if all d
    products were the same number. They are independent, so their variances add up.""")
E.slip("* d *", "* d**0.5 *", """you use the root of d. The size of a score grows with the root of
    d, but its variance grows with d.""")
E.slip("q_variance * k_variance", "(q_variance + k_variance)", """you add the two variances. That
    is the rule for a sum, q + k. Here q and k are multiplied.""")
E.slip("* d *", "*", "you returned the variance of one product. A score is a sum of d products.")
E.slip("scale**2 * d * ", "", """your answer is right only for a scale of 1 / sqrt(d). Here the
    scale can be any number.""")
PRODUCT = """your variance of one product is wrong. The right one is the variance of q times that
    of k, without a square or a root."""
E.mistake(lambda d, q, k, scale: scale**2 * d * (q * k) ** 2, PRODUCT)
E.mistake(lambda d, q, k, scale: scale**2 * d * (q * k) ** 0.5, PRODUCT)
E.slip("* k_", "* q_", "your answer doesn't use the variance of k, and it uses that of q twice.")

@E.law
def root_d_gives_the_product(answer, d, q_variance, k_variance, scale):
    """a scale of 1 / sqrt(d) has to give the product of the two variances"""
    return abs(scale * d**0.5 - 1) > 1e-6 or abs(answer / q_variance / k_variance - 1) < 1e-3

E.hint("Take three steps: one product, then the sum of d products, then that sum times `scale`.")
E.hint("""The variance of one product is q_variance * k_variance. Variances of independent products
    add up. A factor multiplies the variance by its square.""")
E.hint("The answer is `scale**2 * d * ...`. What is the variance of one product?")
