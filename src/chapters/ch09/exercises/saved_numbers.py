"""How many numbers does a state_dict hold, for each of three ways to keep the mask?"""

from course.learn.record import Exercise

E = Exercise(__name__, [(1, 1, 2), (3, 2, 5)], draw=lambda d: tuple(d.sizes(3)), n_drawn=9)

@E.answer
def saved_numbers(n_embd, head_size, block_size):
    learned = 3 * n_embd * head_size
    saved = learned + block_size**2
    return {"attribute": learned, "buffer": saved, "buffer, persistent=False": learned}

E.slip('e": learned, "b', 'e": saved, "b', """you count a mask that is a plain attribute, which
    isn't saved. PyTorch saves parameters, buffers and submodules, and leaves out any other
    tensor.""")
E.slip('se": learned', 'se": saved', """you count a buffer with `persistent=False`. It moves with
    the module, but isn't saved.""")
E.slip(" + block_size**2", "", """you never count the mask. A buffer is saved unless you say
    otherwise, even though it isn't trained.""")
E.slip("    saved", "    learned = saved", """you count the mask in all three cases, but only one of
    them saves it. What does `register_buffer` do by default?""")
E.slip('learned, "buffer": saved', 'saved, "buffer": learned', """you swapped the attribute and the
    buffer: PyTorch saves only what is registered.""")
E.slip("e**2", "e * (block_size + 1) // 2", """you counted only the triangle. Zeros are also
    stored.""")
E.slip("**2", "", "the mask has a row and a column for each position: how many entries is that?")
E.slip("+ b", "+ 3 * b", "the module has one mask, not one for each projection.")
for n in ("", "4 * "):
    E.slip("3 * ", n, "there are three projections: query, key and value.")
E.slip("n_embd *", "(n_embd + 1) *", "you counted biases. These projections have none.")
E.slip("* h", "* n_embd or h", """projections go from n_embd to head_size, so they don't have to be
    square.""")

@E.law
def only_the_buffer_saves(answer, *sizes):
    """`attribute` and `buffer, persistent=False` have to be equal: neither saves the mask"""
    return answer["attribute"] == answer["buffer, persistent=False"]

E.hint("First count what all three have in common, the numbers that are learned.")
E.hint("Each projection has n_embd times head_size numbers. In which case is the mask also saved?")
E.hint("""Only a buffer registered without `persistent=False` is saved. It adds block_size squared
    numbers.""")
