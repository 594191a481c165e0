"""Turn (B, T, C) into (B, C, T): out[b, c, t] is x[b, t, c]."""

import torch

from course.learn.record import Exercise

TYPES = (torch.float32, torch.int64, torch.float64, torch.uint8, torch.float16, torch.complex64)

def drawn(d):
    x = d.whole(0, d.choice((3, 100)), *d.sizes(3)).to(TYPES[d.n % 6])
    x = x * (1 + 2j) if x.is_complex() else x
    return (x.transpose(*d.sample(range(3), 2)) if d.n % 3 == 1 else x,)

INPUTS = [(torch.arange(n).view(-1, 2, k),) for n, k in ((4, 2), (6, 3), (12, 2))]
E = Exercise(__name__, INPUTS, draw=drawn)

@E.answer
def swap_last_two(x):
    return x.transpose(-2, -1)

OP = "transpose(-2, -1)"
RESHAPED = """your shape is right, but the numbers are in the wrong places. `view` and `reshape`
    keep the old order and only start new rows in different places. Which operation swaps two axes?"""
E.slip(OP, "reshape(x.shape[0], x.shape[2], x.shape[1])", RESHAPED)
E.slip(OP, "view(x.shape[0], x.shape[2], x.shape[1])", RESHAPED)
E.slip("x." + OP, "x", """you return x unchanged. `transpose` doesn't change its tensor; it returns
    a new one. Return that one.""")
E.slip(OP, "permute(2, 1, 0)", """you reversed the order of all three axes, so the batch axis is
    now last. It has to stay first.""")
E.slip("-2, -1", "0, 1", "you swapped batch and positions. The last two axes are -2 and -1.")
E.slip("x.transpose", "x[0].transpose", """you return only the first sequence. `transpose` works on
    the whole batch, if you say which two axes to swap.""")
E.slip(OP, OP + ".reshape(x.shape)", """your first step was right, but the last one forces the old
    shape on the swapped numbers, which mixes positions with channels.""")
E.slip(OP, "flip(-1)", "`flip` reverses the order along one axis. Here two axes have to change places.")
for axes in "1, 2, 0", "2, 0, 1":
    E.slip(OP, f"permute({axes})", "you moved all three axes. The first has to stay: (0, 2, 1).")
E.slip(OP, "rot90(1, (-2, -1))", "you turned each matrix by a quarter, so one axis now runs backwards. Only swap the axes.")

@E.law
def row_c_is_channel_c(out, x):
    """row c of the result has to hold channel c of all positions"""
    return all(bool((out[:, c] == x[:, :, c]).all()) for c in range(x.shape[2]))

E.hint("Both `view` and `transpose` can give this shape. Which one puts the numbers in the right places?")
E.hint("Follow one number on paper: x[0, 1, 0] has to arrive at out[0, 0, 1].")
E.hint("`x.transpose(a, b)` swaps two axes; counted from the end they are -2 and -1.")
