"""For each of the four claims, say whether it can be true."""

from course.learn.record import Exercise

E = Exercise(__name__, inputs=[()])

@E.answer
def can_be_true():
    last_batch = True  # a batch is a small sample: about half lie below the floor
    whole_text = False  # the floor is exactly what no bigram can go below
    after_1000_steps = False  # about 1 for each logit, so still far from the floor
    longer_memory = True  # the floor only binds models that see one character
    return last_batch, whole_text, after_1000_steps, longer_memory

E.slip("whole_text = False", "whole_text = True", """one claim is judged wrongly: what does the
    floor say about a bigram's loss on *all* pairs?""")
E.slip("last_batch = True", "last_batch = False", """one claim is judged wrongly: the floor holds
    for the whole text. Look again at the histogram: where do single batches lie?""")
E.slip("steps = False", "steps = True", """one claim is judged wrongly. How far can a logit walk in
    1000 steps of 0.001, and what was the loss after our own thousand?""")
E.slip("memory = True", "memory = False", """one claim is judged wrongly. Whose floor is it? It was
    counted from pairs, so it binds models that see one character.""")
E.mistake(lambda: (False, False, False, False), """nothing below the floor, ever? It binds one kind
    of model, and one kind of loss. Two of the claims are about others.""")
E.mistake(lambda: (True, True, True, True), """all four? Then the floor would be no floor. Which
    claims are about a bigram and the whole text, and which speak of a number of steps?""")
E.mistake(lambda: (True, True, True, False), """you let the bigram below its own floor and hold a
    better model above it. Who is the floor for?""")
E.mistake(lambda: (False, True, True, False), """each answer is the opposite of the right one. Did
    you mark what can't be true?""")
E.mistake(lambda: (1, 0, 0, 1), "right, but as numbers: write True and False.")

@E.law
def four_booleans(claims):
    """there has to be a tuple of four booleans"""
    return isinstance(claims, tuple) and [type(claim) for claim in claims] == [bool] * 4

def claim(n, by):
    """Return the law that claim n is judged right."""
    def law(claims):
        return claims[n] == (n in (0, 3))

    law.__doc__ = f"the {['first', 'second', 'third', 'fourth'][n]} claim isn't judged right: {by}"
    return law

E.law(claim(0, "a batch is a small sample"), claim(1, "the floor speaks of all pairs"))
E.law(claim(3, "whose floor is it?"), claim(2, "how far does a table walk in a thousand steps?"))
E.hint("Ask two things of each claim: is it about a bigram, and is it about the whole text?")
E.hint("""The floor binds bigrams on the whole text. It says nothing of single batches, and nothing
    of other models.""")
E.hint("""The third claim is about a batch too, but the table it comes from is nowhere near the
    floor: its batches spread by 0.07 around a loss of more than 3.""")
