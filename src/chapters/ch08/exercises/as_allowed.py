"""Turn a mask in a library's convention into booleans, True where a query may look."""

import torch

from course.learn.record import Exercise

LOW = [torch.tensor(low) for low in (-torch.inf, -1e9, torch.finfo(torch.float32).min)]
LOW += [torch.tensor(-65504.0, dtype=torch.float16)]
E = Exercise(__name__,
    inputs=[(torch.tensor([[True, False]]), "sdpa"), (torch.tensor([[False, True]]), "mha"),
            (torch.tensor([[0.0, -torch.inf]]), "additive"), (torch.tensor([[1, 1, 0]]), "ones")],
    draw=lambda d: d.choice([
        (allowed := d.whole(0, 2, *d.sizes(d.randint(1, 4))).bool(), "sdpa"), (~allowed, "mha"),
        (torch.where(allowed, 0, d.choice(LOW)), "additive"),
        (allowed.to(d.choice([torch.int64, torch.int32])), "ones")]))

@E.answer
def as_allowed(mask, convention):
    if convention == "mha":  # True where NOT to look
        return ~mask
    if convention == "additive":  # 0 where a query may look, a huge negative number elsewhere
        return mask == 0
    if convention == "ones":  # 1 to look at, 0 to leave out
        return mask == 1
    return mask  # "sdpa": True where a query may look

E.mistake(lambda mask, convention: mask.bool(), """`.bool()` turns everything that isn't 0 into
    True, including -inf, and it never inverts a mask. Handle each convention separately.""")
E.mistake(lambda mask, convention: mask, """you return every mask unchanged. (`c == "sdpa" or
    "ones"` is true for every c, because a non-empty string counts as true. Write `c in ("sdpa",
    "ones")`.)""")
E.slip("~mask", "mask", 'in "mha" True means that a query may not look, so you have to invert that mask.')
E.slip("mask  #", "~mask  #", 'you inverted the "sdpa" mask, in which True already means that a query may look.')
E.slip('"mha":', '"sdpa":', """you swapped "sdpa" and "mha". Look at the table above: which of the
    two functions gives weight to a key marked True?""")
for new in ("mask.bool()", 'mask == float("-inf")'):
    E.slip("mask == 0", new, """an additive mask holds what is added to the scores: 0 changes
        nothing, so 0 means that a query may look. `.bool()` turns 0 into False and -inf into
        True.""")
E.slip("mask == 0", 'mask != float("-inf")', """you look for -inf, but some masks hold -1e9 or the
    lowest number that a float can hold. What do the allowed cells always hold?""")
E.slip("mask == 0", "mask", 'your "additive" mask still holds numbers. What can you compare them with?')
E.slip("mask == 1", "mask == 0", 'you inverted the "ones" mask, in which 1 means that a query may look.')
E.slip("mask == 1", "mask", 'your "ones" mask still holds integers. Which comparison makes booleans?')
E.slip("mask == 1", "~mask", """your "ones" mask still holds integers, and `~1` is -2. Make booleans
    with a comparison.""")

@E.law
def adds_0_where_allowed(allowed, mask, convention):
    """the result for an additive mask has to be True exactly where the mask is 0"""
    return convention != "additive" or torch.equal(allowed, mask == 0)

E.hint("For each convention: what does a cell hold where a query may look?")
E.hint("You return one mask unchanged, invert one with `~`, and turn two into booleans by a comparison.")
E.hint("""For "mha", return `~mask`. Where is the "additive" mask 0, and where is the "ones" mask
    1?""")
