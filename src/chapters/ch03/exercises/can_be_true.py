"""For each of the four claims, say whether it can be true."""

from course.learn.record import Exercise

E = Exercise(__name__, inputs=[()])

@E.answer
def can_be_true():
    last_batch = True  # a batch is a small sample: about half lie below the floor
    whole_text = False  # the floor is exactly what no bigram can go below
    after_1000_steps = False  # each logit moves by about 1, still far from the floor
    longer_memory = True  # the floor is only for models that see one character
    return last_batch, whole_text, after_1000_steps, longer_memory

E.slip("whole_text = False", "whole_text = True", """you judged one claim wrongly. What does
    the floor tell you about a bigram's loss on *all* pairs?""")
E.slip("last_batch = True", "last_batch = False", """you judged one claim wrongly. The floor
    applies to the whole text. Where do single batches lie in the histogram?""")
E.slip("steps = False", "steps = True", """you judged one claim wrongly. How far can a logit move in
    1000 steps of 0.001, and what was our own loss after a thousand steps?""")
E.slip("memory = True", "memory = False", """you judged one claim wrongly. The floor comes
    from counts of pairs, so it is a limit only for models that see one character.""")
E.mistake(lambda: (False, False, False, False), """you say that no loss can be below the floor. But
    the floor is a limit for one kind of model and one kind of loss. Two of the claims can be true,
    because they are about a different model or a different loss.""")
E.mistake(lambda: (True, True, True, True), """if all four could be true, there would be no floor.
    Which claim is about a bigram on the whole text, and which one is about a number of steps?""")
E.mistake(lambda: (True, True, True, False), """you let the bigram go below its own floor, but not a
    better model. Which models does the floor apply to?""")
E.mistake(lambda: (False, True, True, False), """each of your answers is the opposite of the right
    one. Did you mark the claims that can't be true?""")
E.mistake(lambda: (1, 0, 0, 1), """your answers are right, but they are numbers. Write
    True and False.""")

@E.law
def four_booleans(claims):
    """the answer has to be a tuple of four booleans"""
    return isinstance(claims, tuple) and [type(claim) for claim in claims] == [bool] * 4

def claim(n, by):
    """Return the law that claim n is judged right."""
    def law(claims):
        return claims[n] == (n in (0, 3))

    law.__doc__ = f"the {['first', 'second', 'third', 'fourth'][n]} claim is judged wrongly: {by}"
    return law

E.law(claim(0, "a batch is a small sample"), claim(1, "the floor applies to all pairs"))
E.law(claim(3, "ask which models the floor is for"), claim(2, "ask how far 1000 steps move a logit"))
E.hint("Ask two questions about each claim: is it about a bigram, and is it about the whole text?")
E.hint("""No bigram model can beat the floor on the whole text. But the floor tells you nothing
    about single batches or about other models.""")
E.hint("""The third claim is also about a batch, but after those steps the table is still far above
    the floor: the losses of its batches have a spread of 0.07 around a loss of more than 3.""")
