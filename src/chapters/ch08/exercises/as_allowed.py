"""Turn a mask in a library's convention into booleans, True where a query may look."""

import torch

from course.learn.record import Exercise

LOW = [torch.tensor(low) for low in (-torch.inf, -1e9, torch.finfo(torch.float32).min)]
LOW += [torch.tensor(-65504.0, dtype=torch.float16)]
E = Exercise(
    __name__,
    inputs=[(torch.tensor([[True, False]]), "sdpa"), (torch.tensor([[False, True]]), "mha"),
            (torch.tensor([[0.0, -torch.inf]]), "additive"), (torch.tensor([[1, 1, 0]]), "ones")],
    draw=lambda d: d.choice([
        (allowed := d.whole(0, 2, *d.sizes(d.randint(1, 4))).bool(), "sdpa"), (~allowed, "mha"),
        (torch.where(allowed, 0, d.choice(LOW)), "additive"),
        (allowed.to(d.choice([torch.int64, torch.int32])), "ones")]),
)


@E.answer
def as_allowed(mask, convention):
    if convention == "mha":  # True where NOT to look
        return ~mask
    if convention == "additive":  # 0 where a query may look, a huge negative number elsewhere
        return mask == 0
    if convention == "ones":  # 1 to look at, 0 to leave out
        return mask == 1
    return mask  # "sdpa": True where a query may look


E.mistake(lambda mask, convention: mask.bool(), """`.bool()` makes True of all that is not 0. It
    turns no polarity round, and it makes True of -inf. Take the conventions one by one.""")
E.mistake(lambda mask, convention: mask, """every mask comes back as it was. (`c == "sdpa" or "ones"`
    is true of every c, as a text counts as true. Write `c in ("sdpa", "ones")`.)""")
E.slip("~mask", "mask", 'in "mha" True means not to look, so that mask has to be turned round.')
E.slip("mask  #", "~mask  #", 'in "sdpa" True means may look already. You turned it round.')
E.slip('"mha":', '"sdpa":', """you have "sdpa" and "mha" the wrong way round. The table above was
    run: which of the two gives weight to a key marked True?""")
for new in ("mask.bool()", 'mask == float("-inf")'):
    E.slip("mask == 0", new, """an additive mask holds what is added to the scores: 0 changes
        nothing, so 0 means may look. `.bool()` makes False of 0 and True of -inf.""")
E.slip("mask == 0", 'mask != float("-inf")', """you look for -inf, but some write -1e9 or the
    smallest number there is. What do the allowed cells hold, always?""")
E.slip("mask == 0", "mask", 'the "additive" mask is still numbers. Compare it with something.')
E.slip("mask == 1", "mask == 0", 'in "ones" a 1 says look, a 0 leave out. You turned it round.')
E.slip("mask == 1", "mask", 'the "ones" mask is still integers. Which comparison makes booleans?')
E.slip("mask == 1", "~mask", """the "ones" mask is still integers, and `~1` is -2. Make booleans with
    a comparison.""")

@E.law
def adds_0_where_allowed(allowed, mask, convention):
    """an additive mask allows where it adds 0"""
    return convention != "additive" or torch.equal(allowed, mask == 0)

E.hint("For each convention: what does a cell hold where a query may look?")
E.hint("One is right as it is, one is turned round by `~`, two become booleans by a comparison.")
E.hint('"mha": `~mask`. "additive": where is it 0? "ones": where is it 1?')
