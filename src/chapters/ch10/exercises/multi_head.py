"""Causal multi-head attention of x, (B, T, C), all of it: project, split, mix, merge, W_O."""

import torch
import torch.nn.functional as F

from chapters.laws import close
from course.learn.draws import quarters
from course.learn.record import Exercise

GIVEN = [(quarters(B, T, C, seed=1), quarters(3 * C, C, seed=2) / B, quarters(C, C, seed=3), H)
         for B, T, C, H in ((1, 2, 2, 2), (1, 3, 2, 1), (1, 5, 6, 2), (2, 7, 15, 3))]

def drawn(d):
    B, T, H, D = d.sizes(4)
    T, D = T + 16 * (d.n % 6 == 5), D if d.n % 3 else 1
    C = H * D
    x, w_qkv = d.tensor(B, T, C, scales=(1, 0.5)), d.tensor(3 * C, C) / 2 ** (C.bit_length() // 2)
    if d.n % 3 < 2:
        x[:, d.randrange(T)] = 0.0  # all of whose scores are 0
    if D == 1:  # and some are in the hundreds, whose exp is inf; the root of 1 rounds none
        q, k, v = (x @ w_qkv.T).view(B, T, 3, H, D).permute(2, 0, 3, 1, 4)
        w_qkv[:C] = w_qkv[:C].ldexp(10 - (q @ k.mT).abs().max().frexp().exponent)
    return x, w_qkv, d.tensor(C, C), H

E = Exercise(__name__, GIVEN, drawn, without=("attention",))

@E.answer
def multi_head(x, w_qkv, w_out, n_head):
    B, T, C = x.shape
    D = C // n_head
    parts = (x @ w_qkv.T).chunk(3, dim=-1)
    q, k, v = [part.view(B, T, n_head, D).transpose(1, 2) for part in parts]
    scores = q @ k.transpose(-2, -1) / D**0.5
    future = torch.ones(T, T).triu(1).bool()
    weights = F.softmax(scores.masked_fill(future, float("-inf")), dim=-1)
    mixed = (weights @ v).transpose(1, 2).reshape(B, T, C)
    return mixed @ w_out.T

SPLIT = "view(B, T, n_head, D).transpose(1, 2)"
E.slip(SPLIT, "reshape(B, n_head, T, D)", """you cut straight to (B, H, T, D). That cuts the memory
    between words instead of inside them, so early rows of the later heads hold later words, and
    the future leaks. View to (B, T, H, D) and transpose.""")
E.slip(SPLIT, "view(B, n_head, T, D)", """`view` refuses to cut straight to (B, H, T, D), and the
    message advises `reshape`. Don't follow that advice: `reshape` would run, but mix words. View
    to (B, T, H, D), which cuts inside each word, and transpose.""")
E.slip("v).transpose(1, 2)", "v)", """the heads are right, but you reshape (B, H, T, D) straight to
    (B, T, C), so output 0 holds several positions of head 0 in a row, including future ones. Which
    axes do you have to swap first?""")
E.slip("reshape(B, T, C)", "view(B, T, C)", """`view` fails after the last transpose, because in
    memory the numbers aren't in the order of the axes. Keep the transpose and use `reshape`.""")
E.slip(SPLIT, "view(B, T, D, n_head).permute(0, 3, 1, 2)", """your heads take every H-th channel of
    q, k and v. A head takes neighbouring channels: `view(B, T, H, D)`, not `view(B, T, D, H)`.""")
BEHIND = """your heads come after the positions, (B, T, H, D), so the scores compare heads with
    heads, (B, T, H, H). A (T, T) mask fits these scores only by chance. Transpose after the
    view."""
AMONG = """your heads come after the positions, so each word's heads attend to each other and no
    word hears another. Transpose after the view."""
E.slip(".transpose(1, 2) for", " for", BEHIND)

def behind(n):  # both transposes are missing, and the mask is T, H or 1 wide
    def mistaken(x, w_qkv, w_out, n_head):
        q, k, v = (x @ w_qkv.T).unflatten(-1, (3, n_head, -1)).unbind(2)
        future = torch.ones([(x.shape[1], n_head, 1)[n]] * 2).triu(1).bool()
        scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(future, -torch.inf)
        return (F.softmax(scores, dim=-1) @ v).flatten(2) @ w_out.T
    return mistaken

for n, hint in enumerate((BEHIND, AMONG, AMONG)):
    E.mistake(behind(n), hint)
E.slip("q, k, v =", """q, k, v = [part.reshape(B, n_head, T, D) for part in parts]
    return F.scaled_dot_product_attention(q, k, v, is_causal=True).reshape(B, T, C) @ w_out.T
    q, k, v =""", """neither your split nor your merge has its transpose. Nothing leaks, because the
        second mistake brings every row back to its own word. But each head hears only its own part
        of the sentence, so the last words never hear the first ones.""")
E.slip(" / D**0.5", "", """your scores aren't scaled. Shapes, row sums and tests for leaks can't
    show this. Only a comparison with known numbers can. By the root of which size do you have to
    divide?""")
E.slip("/ D", "/ C", """you scaled by the width C. Each head's dot products have D terms, not C, so
    the head size is what counts.""")
E.slip("/ D", "* D", """you multiply by the root of the head size, but the scores should become
    smaller.""")
E.slip("**0.5", "", """you divide by the head size itself. Divide by its root instead, because the
    spread of the scores grows with the root.""")
E.slip("/ D**0.5", "* D", "you multiply by the head size. Divide by its root instead.")
E.slip("/ D", "/ n_head", """you scaled by the root of the number of heads. What counts is the
    number of terms in a dot product, which is the head size.""")
E.slip("/ D", "\n    v = v / D", """your scale comes too late: the scores go into the softmax
    without it, and now it only shrinks the output. Scale the scores, before the softmax.""")
E.slip("triu(1)", "triu(T)", """your scores have no mask, so every position sees its future. If the
    last word changes, output 0 changes.""")
E.slip("triu(1)", "tril()", """your mask is inverted: it allows the future and forbids the rest. The
    last position may not look at anything, so its weights are nan.""")
E.slip("triu(1)", "tril(-1)", """your mask is inverted: it forbids the past, so each position sees
    itself and its future.""")
E.slip("triu(1)", "triu()", """your mask also forbids the diagonal. Each position may look at
    itself, and position 0 only at itself, so without the diagonal its weights are nan.""")
E.slip("triu(1)", "triu(2)", "your mask is off by one: each position sees the next one.")
E.slip("-inf", "0", """you give the future the score 0, and exp(0) is 1, so it keeps a share. Fill
    in -inf.""")
E.slip("future,", "scores.tril() == 0,", """your answer is right unless the score of an earlier
    word is exactly 0, for example because a word is all zeros. Your function then treats that word
    as a future one. What counts is the position, not the score.""")
E.slip("weights @ v", "F.softmax(scores, -1).tril() @ v", """you masked after the softmax. The
    future words still counted in the row's sum, so your rows sum to less than 1.""")
E.slip(" @ w_out.T", "", """your heads are side by side, but nothing combines them: the output
    projection is missing.""")
E.slip("w_out.T", "w_out", """`w_out` is laid out as `nn.Linear` stores it. It is square, so the
    wrong product runs without an error. What turns (out, in) into (in, out)?""")
E.slip("q, k, v =", "k, q, v =", """you swapped queries and keys, so each row of your scores
    belongs to a key. The packing is queries, keys, values, and the rows of `q @ k.mT` belong to
    the queries.""")
for order, part in (("q, v, k =", "keys"), ("v, k, q =", "queries")):
    E.slip("q, k, v =", order, f"""you swapped {part} and values: the packing is queries,
        keys, values.""")
E.slip("scores =",
       "q, k, v = (x @ w_qkv.T).view(B, T, n_head, -1).transpose(1, 2).chunk(3, -1)\n    scores =",
       """you cut into heads first and then into q, k and v, as if the three parts of each head
       were stored together. Here all queries come first, so use `chunk(3)` before you cut into
       heads.""")
E.slip("), dim=-1", "), dim=1", """your softmax runs over axis 1, the heads, so they compete with
    each other, and if all of them are masked the result is nan. Use the last axis.""")
E.slip("), dim=-1", "), dim=-2", """your softmax runs down the columns. The weights of each query, a
    row, have to sum to 1.""")
E.slip("q @ k", "0 * q @ k", """your output is the mean of the past values, and the scores play no
    part in it. Does a line overwrite them before the softmax?""")
E.slip("D = C // n_head", "n_head, D = 1, C", """your function is a single head as wide as x, with
    one row of shares for all channels. Where do you cut the channels into heads?""")

@E.law
def output_0_is_its_own_value(out, x, w_qkv, w_out, n_head):
    """output 0 has to be position 0's own value put through `w_out`, because position 0 may look
    only at itself"""
    return close(out[:, 0], x[:, 0] @ w_qkv.chunk(3)[2].T @ w_out.T)

E.hint("""There are five steps: project and cut into three, split each part into heads, attend as in
    chapter 08, merge, and apply the output projection. Write down the shape after each.""")
E.hint("""Begin with `(x @ w_qkv.T).chunk(3, dim=-1)`. Each part needs a view and a transpose. The
    scale is the root of the size of the last axis. Transpose back before the reshape.""")
E.hint("""With q, k, v as (B, H, T, D), `q @ k.transpose(-2, -1)` is (B, H, T, T), and a mask of
    shape (T, T) serves all heads. End with `@ w_out.T`.""")
