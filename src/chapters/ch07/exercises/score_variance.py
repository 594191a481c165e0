"""Return the variance of scale * (q . k) for vectors of size d with these variances."""

from course.learn.record import Exercise

E = Exercise(__name__, inputs=[(16, 1.0, 1.0, 0.25), (5, 3.0, 0.5, 1.0)], draw=lambda d: (
    size := d.choice([1, d.size(), 16, 64, 256]), d.number(0.25, 8), d.number(0.25, 8),
    d.choice([size**-0.5, size**-0.5, 1 / size, d.number(0.25), -0.5]),
))


@E.answer
def score_variance(d, q_variance, k_variance, scale):
    return scale**2 * d * q_variance * k_variance


ONCE = """the scale counts only once in your answer. A variance is made of squares: what does
    doubling every number do to it?"""
E.slip("scale**2", "scale", ONCE)
E.slip("scale**2", "abs(scale)", ONCE)
E.slip("scale**2 * ", "", """your answer doesn't change with the scale. Multiplying by 0.25 draws
    the scores together, so their variance has to become smaller.""")
DEVIATION = "this is the standard deviation, a score's typical size. The variance is its square."
E.mistake(lambda d, q, k, scale: scale * (d * q * k) ** 0.5, DEVIATION)
E.mistake(lambda d, q, k, scale: (scale**2 * d * q * k) ** 0.5, DEVIATION)
E.slip("**2", "**-2", """you divide by the square of the scale. The scores are multiplied by it, so
    a scale of 0.25 has to make the variance smaller, not 16 times larger.""")
E.slip(" * q_variance * k_variance", "", """right if q and k have variance 1, and only then. What
    is the variance of one product when q's is 3 and k's is 0.5?""")
E.slip("* d *", "* d**2 *", """the d counts squared in your answer: that would hold if all d
    products were the same number. They are independent, so it is their variances that add up.""")
E.slip("* d *", "* d**0.5 *", "a score's size grows with the root of d, its variance with d.")
E.slip("q_variance * k_variance", "(q_variance + k_variance)", """you add the two variances. That
    is the rule for a sum, q + k; here the two are multiplied.""")
E.slip("* d *", "*", "this is the variance of one product. A score is a sum of d of them.")
E.slip("scale**2 * d * ", "", "right for a scale of 1 / sqrt(d) alone. Here it may be any number.")
PRODUCT = "the variance of one product is q's variance times k's, not squared, and without a root."
E.mistake(lambda d, q, k, scale: scale**2 * d * (q * k) ** 2, PRODUCT)
E.mistake(lambda d, q, k, scale: scale**2 * d * (q * k) ** 0.5, PRODUCT)
E.slip("* k_", "* q_", "k's variance plays no part in your answer, and q's counts twice.")

@E.law
def root_d_gives_the_product(answer, d, q_variance, k_variance, scale):
    """a scale of 1 / sqrt(d) has to give the product of the two variances"""
    return abs(scale * d**0.5 - 1) > 1e-6 or abs(answer / q_variance / k_variance - 1) < 1e-3

E.hint("Go in three steps: one product, a sum of d products, the sum times a number.")
E.hint("One product: q_variance * k_variance. Independent ones add up. Factors come out squared.")
E.hint("`scale**2 * d * ...`: what stands for one product?")
