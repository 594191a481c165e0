"""Chapter 10, several heads: its exercises, its quiz and its sources."""

import torch
import torch.nn.functional as F

from course.exercise import Exercise, Law, Mistake
from course.quiz import Option, Question
from course.sources import Source


def _draw(*shape, seed=0):
    """Random quarters: exact in binary, and short to read where a check shows an input."""
    numbers = torch.randn(*shape, generator=torch.Generator().manual_seed(seed))
    return (numbers * 4).round() / 4


def _count(*shape):
    """0, 1, 2 and so on in this shape, so that a number says where it came from."""
    n = 1
    for size in shape:
        n *= size
    return torch.arange(float(n)).view(shape)


# 1. Cut into heads


def split_heads(x, n_head):
    B, T, C = x.shape
    return x.view(B, T, n_head, C // n_head).transpose(1, 2)


def _split_view(x, n_head):
    B, T, C = x.shape
    return x.reshape(B, n_head, T, C // n_head)


def _split_view_refused(x, n_head):
    """On a part of qkv, whose words do not lie next to each other, PyTorch refuses this view."""
    B, T, C = x.shape
    return x.view(B, n_head, T, C // n_head)


def _split_no_transpose(x, n_head):
    B, T, C = x.shape
    return x.view(B, T, n_head, C // n_head)


def _split_wrong_axes(x, n_head):
    B, T, C = x.shape
    return x.view(B, T, n_head, C // n_head).transpose(2, 3)


def _split_interleaved(x, n_head):
    B, T, C = x.shape
    return x.view(B, T, C // n_head, n_head).permute(0, 3, 1, 2)


def _split_over_batch(x, n_head):
    B, T, C = x.shape
    return x.view(n_head, B, T, C // n_head).transpose(0, 1)


def _split_whole(x, n_head):
    B, T, C = x.shape
    return x[:, None].expand(B, n_head, T, C)


def _split_flat_batch(x, n_head):
    B, T, C = x.shape
    return split_heads(x, n_head).reshape(B * n_head, T, C // n_head)


SPLIT_HEADS = Exercise(
    id="10.split_heads",
    asks="Cut x, (B, T, C), into heads of neighbouring channels: (B, H, T, D) with D = C / H.",
    reference=split_heads,
    inputs=[
        (_count(1, 2, 4), 2),
        (_count(1, 3, 6), 3),
        (_count(2, 3, 10), 2),
        (_draw(3, 5, 14, seed=1), 7),
    ],
    mistakes=[
        Mistake(
            _split_view,
            "the shape is right, and the positions are mixed: row 1 of head 0 holds numbers of "
            "position 0. A view never moves a number, it only cuts the memory elsewhere. Split "
            "the channels first, where they are, and move the axes then.",
        ),
        Mistake(
            _split_no_transpose,
            "cut rightly, but the axes are (B, T, H, D). The heads have to stand before the "
            "positions, or the scores will compare heads with heads.",
        ),
        Mistake(
            _split_wrong_axes,
            "you swapped the last two axes. Write down the names of the four axes that you have, "
            "and of the four that you want.",
        ),
        Mistake(
            _split_interleaved,
            "your head 0 takes every H-th channel. Here a head is a run of neighbours: head 0 has "
            "the first D channels. Which of H and D has to be the faster axis?",
        ),
        Mistake(
            _split_over_batch,
            "with a batch of one this would look like the wrong view; with two sequences your "
            "heads also mix sequences. The batch has to stay in front, untouched.",
        ),
        Mistake(
            _split_whole,
            "each of your heads has all C channels. Heads share them out: D = C / H each.",
        ),
        Mistake(
            _split_flat_batch,
            "right numbers, but batch and heads are one axis, (B H, T, D). Four axes are asked "
            "for.",
        ),
    ],
    laws=[
        Law(
            "head 0 has to hold the first D channels of every position",
            lambda heads, x, n_head: torch.equal(heads[:, 0], x[:, :, : x.shape[-1] // n_head]),
        ),
        Law(
            "head h has to hold channels h D to (h + 1) D of every position",
            lambda heads, x, n_head: torch.equal(torch.cat(list(heads.unbind(1)), dim=-1), x),
        ),
    ],
    hints=(
        "Two steps: one axis becomes two, then two axes change places. Which step may move a "
        "number to another position?",
        "`view(B, T, H, D)` only cuts the last axis, so no position is touched.",
        "`x.view(B, T, n_head, C // n_head).transpose(1, 2)`.",
    ),
)


# 2. Put the heads side by side again


def merge_heads(x):
    B, H, T, D = x.shape
    return x.transpose(1, 2).reshape(B, T, H * D)


def _merge_reshape(x):
    B, H, T, D = x.shape
    return x.reshape(B, T, H * D)


def _merge_view(x):
    B, H, T, D = x.shape
    return x.transpose(1, 2).view(B, T, H * D)


def _merge_other_axes(x):
    B, H, T, D = x.shape
    return x.transpose(2, 3).reshape(B, T, H * D)


def _merge_interleaved(x):
    B, H, T, D = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, T, H * D)


def _merge_unfinished(x):
    return x.transpose(1, 2)


MERGE_HEADS = Exercise(
    id="10.merge_heads",
    asks="Put the heads' channels, (B, H, T, D), side by side again: (B, T, C) with C = H D.",
    reference=merge_heads,
    inputs=[
        (_count(1, 2, 2, 2),),
        (_count(1, 2, 3, 1),),
        (_count(2, 3, 5, 2),),
        (_draw(3, 2, 7, 5, seed=2),),
    ],
    mistakes=[
        Mistake(
            _merge_reshape,
            "the shape is right, and the positions are mixed: your row 0 holds head 0's outputs "
            "for several positions, in a row. Which axis has to stand next to D before the two "
            "may become one?",
        ),
        Mistake(
            _merge_view,
            "after the transpose the numbers do not lie in memory in the order of the axes, so "
            "`view` refuses. Keep the transpose; `reshape` copies where it has to.",
        ),
        Mistake(
            _merge_other_axes,
            "you swapped positions and channels. It is the heads that have to move, back to "
            "their place between positions and channels.",
        ),
        Mistake(
            _merge_interleaved,
            "the channels of different heads alternate in your output. They should come head by "
            "head: all of head 0, then all of head 1.",
        ),
        Mistake(
            _merge_unfinished,
            "the axes stand in the right order, (B, T, H, D). The last two have yet to become "
            "one.",
        ),
        Mistake(
            lambda x: x.sum(dim=1),
            "you added the heads up. Side by side means H times as many channels; it is W_O that "
            "adds, later, with learnt shares.",
        ),
        Mistake(
            lambda x: x.mean(dim=1),
            "you averaged the heads, which loses what only one of them heard. Put them side by "
            "side.",
        ),
    ],
    laws=[
        Law(
            "the first D channels have to be head 0's output, at every position",
            lambda out, x: torch.equal(out[..., : x.shape[-1]], x[:, 0]),
        ),
        Law(
            "it has to undo the split",
            lambda out, x: torch.equal(split_heads(out, x.shape[1]), x),
        ),
    ],
    hints=(
        "Undo the two steps of the split, the last one first.",
        "From (B, H, T, D) to (B, T, H, D), and only then let H and D become one axis.",
        "`x.transpose(1, 2).reshape(B, T, H * D)`.",
    ),
)


# 3. Pack the projections


def pack(w_q, w_k, w_v):
    return torch.cat([*w_q, *w_k, *w_v])


def _pack_by_head(w_q, w_k, w_v):
    return torch.cat([w for head in zip(w_q, w_k, w_v, strict=True) for w in head])


def _pack_kqv(w_q, w_k, w_v):
    return torch.cat([*w_k, *w_q, *w_v])


def _pack_qvk(w_q, w_k, w_v):
    return torch.cat([*w_q, *w_v, *w_k])


def _pack_vkq(w_q, w_k, w_v):
    return torch.cat([*w_v, *w_k, *w_q])


def _pack_beside(w_q, w_k, w_v):
    return torch.cat([*w_q, *w_k, *w_v], dim=1)


def _pack_stacked(w_q, w_k, w_v):
    return torch.stack([torch.cat(list(w)) for w in (w_q, w_k, w_v)])


def _pack_interleaved(w_q, w_k, w_v):
    return torch.cat([torch.stack(list(w), dim=1).flatten(0, 1) for w in (w_q, w_k, w_v)])


def _pack_first(w_q, w_k, w_v):
    return torch.cat([w_q[0], w_k[0], w_v[0]])


def _weights(n_head, head_size, n_embd, seed):
    """For q, k and v a list of n_head weights as nn.Linear stores them."""
    return tuple(
        [_draw(head_size, n_embd, seed=seed + 10 * part + h) for h in range(n_head)]
        for part in range(3)
    )


PACK = Exercise(
    id="10.pack",
    asks="Pack the heads' (D, C) weights into one (3 H D, C): all queries, all keys, all values.",
    reference=pack,
    inputs=[_weights(1, 1, 2, 100), _weights(2, 1, 3, 200), _weights(3, 2, 5, 300)],
    mistakes=[
        Mistake(
            _pack_by_head,
            "you packed head by head: q, k, v of head 0, then of head 1. `chunk(3)` then cuts "
            "through the heads and calls a part of the keys queries. (Some models do pack so, "
            "and cut accordingly; here it is all queries first.)",
        ),
        Mistake(
            _pack_kqv,
            "keys come first in yours. The shape can't tell, but whoever calls `chunk(3)` takes "
            "the first third for the queries.",
        ),
        Mistake(
            _pack_qvk,
            "keys and values have changed places: the scores would be made with the values.",
        ),
        Mistake(_pack_vkq, "the order is values, keys, queries in yours: exactly backwards."),
        Mistake(
            _pack_beside,
            "you put the weights beside each other. Rows of a Linear's weight are its outputs, "
            "and we want more outputs: below each other.",
        ),
        Mistake(
            _pack_stacked,
            "right numbers, but with an axis too many: a Linear's weight has two.",
        ),
        Mistake(
            _pack_interleaved,
            "the rows of the heads alternate. `split_heads` expects the rows of head 0 together, "
            "then those of head 1.",
        ),
        Mistake(_pack_first, "only head 0 is in it. The lists hold a weight for every head."),
    ],
    laws=[
        Law(
            "the first rows have to be those of head 0's query weight",
            lambda w, w_q, w_k, w_v: torch.equal(w[: len(w_q[0])], w_q[0]),
        ),
        Law(
            "the second third of the rows has to be the key weights, head after head",
            lambda w, w_q, w_k, w_v: torch.equal(w.chunk(3)[1], torch.cat(list(w_k))),
        ),
    ],
    hints=(
        "One row of a Linear's weight makes one output. In which order do you want the outputs?",
        "`qkv.chunk(3, dim=-1)` gives all queries, all keys, all values; `split_heads` cuts each "
        "of them head after head.",
        "`torch.cat` of one flat list: the weights in w_q, then in w_k, then in w_v.",
    ),
)


# 4. The whole of it


def multi_head(x, w_qkv, w_out, n_head):
    B, T, C = x.shape
    q, k, v = [
        part.view(B, T, n_head, C // n_head).transpose(1, 2)
        for part in (x @ w_qkv.T).chunk(3, dim=-1)
    ]
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    future = torch.ones(T, T).triu(1).bool()
    weights = F.softmax(scores.masked_fill(future, float("-inf")), dim=-1)
    mixed = (weights @ v).transpose(1, 2).reshape(B, T, C)
    return mixed @ w_out.T


def _causal(scores):
    return scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1).bool(), float("-inf"))


def _project(x, w_qkv):
    return (x @ w_qkv.T).chunk(3, dim=-1)


def _multi_head_but(
    project=_project,
    split=split_heads,
    scale=lambda C, D: D**-0.5,
    mask=_causal,
    weigh=lambda scores: F.softmax(scores, dim=-1),
    merge=merge_heads,
    out=lambda mixed, w_out: mixed @ w_out.T,
):
    """multi_head with one of its steps, or two, done in another way."""

    def mistaken(x, w_qkv, w_out, n_head):
        C = x.shape[-1]
        q, k, v = [split(part, n_head) for part in project(x, w_qkv)]
        scores = q @ k.transpose(-2, -1) * scale(C, C // n_head)
        return out(merge(weigh(mask(scores)) @ v), w_out)

    return mistaken


def _project_as(*order):
    def project(x, w_qkv):
        parts = _project(x, w_qkv)
        return [parts[n] for n in order]

    return project


def _per_head_packing(x, w_qkv, w_out, n_head):
    B, T, C = x.shape
    parts = (x @ w_qkv.T).view(B, T, n_head, 3 * C // n_head).transpose(1, 2)
    q, k, v = parts.chunk(3, dim=-1)
    weights = F.softmax(_causal(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5), dim=-1)
    return merge_heads(weights @ v) @ w_out.T


def _heads_hear_heads_unmasked(x, w_qkv, w_out, n_head):
    return _multi_head_but(
        split=_split_no_transpose, mask=lambda scores: scores, merge=lambda x: x.flatten(2)
    )(x, w_qkv, w_out, n_head)


def _heads_hear_heads_any_mask(x, w_qkv, w_out, n_head):
    """The same under a (T, T) mask: it fits when there are as many heads as positions."""
    T = x.shape[1]
    future = torch.ones(T, T).triu(1).bool()
    return _multi_head_but(
        split=_split_no_transpose,
        mask=lambda scores: scores.masked_fill(future, float("-inf")),
        merge=lambda x: x.flatten(2),
    )(x, w_qkv, w_out, n_head)


def _one_head(x, w_qkv, w_out, n_head):
    return multi_head(x, w_qkv, w_out, 1)


def _masked_where(forbidden):
    """A mask that fills where forbidden(ones) is not 0; ones is (T, T)."""

    def mask(scores):
        return scores.masked_fill(forbidden(torch.ones(scores.shape[-2:])).bool(), float("-inf"))

    return mask


def _weights_cut(scores):
    return F.softmax(scores, dim=-1).tril()


def _deaf(scores):
    return torch.zeros_like(scores)


MULTI_HEAD = Exercise(
    id="10.multi_head",
    asks="Causal multi-head attention of x, (B, T, C), all of it: project, split, mix, merge, W_O.",
    reference=multi_head,
    inputs=[
        (_draw(1, 2, 2, seed=1), _draw(6, 2, seed=2), _draw(2, 2, seed=3), 2),
        (_draw(1, 3, 2, seed=10), _draw(6, 2, seed=11), _draw(2, 2, seed=12), 1),
        (_draw(1, 5, 6, seed=4), _draw(18, 6, seed=5), _draw(6, 6, seed=6), 2),
        (_draw(2, 7, 15, seed=7) / 2, _draw(45, 15, seed=8) / 2, _draw(15, 15, seed=9), 3),
    ],
    mistakes=[
        Mistake(
            _multi_head_but(split=_split_view),
            "you reshape straight to (B, H, T, D). That cuts the memory between words instead of "
            "inside them, so early rows of the later heads hold later words, and the future "
            "leaks. View to (B, T, H, D) and transpose.",
        ),
        Mistake(
            _multi_head_but(split=_split_view_refused),
            "`view` refuses to cut straight to (B, H, T, D), and the message advises `reshape`. "
            "Don't: it would run, and mix words. View to (B, T, H, D), which cuts inside each "
            "word, and transpose.",
        ),
        Mistake(
            _multi_head_but(merge=_merge_reshape),
            "the heads are right, but you reshape (B, H, T, D) straight to (B, T, C): output 0 "
            "gets several positions of head 0 in a row, the future included. Which axes have to "
            "change places first?",
        ),
        Mistake(
            _multi_head_but(split=_split_view, merge=_merge_reshape),
            "both the split and the merge lack their transpose. Nothing leaks, since the second "
            "fault brings every row home, but a head hears only its own stretch of the sentence: "
            "the last words never hear the first ones.",
        ),
        Mistake(
            _heads_hear_heads_unmasked,
            "your heads stand behind the positions, so that each word's heads attend to each "
            "other and no word hears another. Transpose after the view.",
        ),
        Mistake(
            _heads_hear_heads_any_mask,
            "your heads stand behind the positions, (B, T, H, D), so that the scores compare "
            "heads with heads, (B, T, H, H). A (T, T) mask fits there only by chance. Transpose "
            "after the view.",
        ),
        Mistake(
            _multi_head_but(split=_split_interleaved),
            "your heads take every H-th channel of q, k and v. A head is a run of neighbours: "
            "`view(B, T, H, D)`, not `view(B, T, D, H)`.",
        ),
        Mistake(
            _multi_head_but(scale=lambda C, D: 1.0),
            "the scores are not scaled. Shapes, row sums and leaks can't show it; only a "
            "comparison does. By the root of which size?",
        ),
        Mistake(
            _multi_head_but(scale=lambda C, D: C**-0.5),
            "you scaled by the width C. Each head's dot products have D terms, not C: it is the "
            "head size that counts.",
        ),
        Mistake(
            _multi_head_but(scale=lambda C, D: D**0.5),
            "you multiply by the root of the head size. The scores should get smaller, not "
            "larger.",
        ),
        Mistake(
            _multi_head_but(scale=lambda C, D: 1 / D),
            "you divide by the head size itself. It is its root that undoes the spread.",
        ),
        Mistake(
            _multi_head_but(scale=lambda C, D: D),
            "you multiply by the head size. Divide, and by its root.",
        ),
        Mistake(
            _multi_head_but(scale=lambda C, D: (C // D) ** -0.5),
            "you scaled by the root of the number of heads. It is the number of terms in a dot "
            "product that counts: the size of a head.",
        ),
        Mistake(
            lambda x, w_qkv, w_out, n_head: _multi_head_but(
                scale=lambda C, D: 1.0,
                weigh=lambda s: F.softmax(s, dim=-1) * (n_head / x.shape[-1]) ** 0.5,
            )(x, w_qkv, w_out, n_head),
            "you scaled the weights, so their rows no longer sum to 1. The scores are scaled, "
            "before the softmax.",
        ),
        Mistake(
            _multi_head_but(mask=lambda scores: scores),
            "no mask: every position sees its future. Change the last word, and output 0 changes.",
        ),
        Mistake(
            _multi_head_but(mask=_masked_where(lambda ones: ones.tril())),
            "your mask is upside down: it opens the future and forbids the rest. The last position "
            "may look nowhere, hence the nan.",
        ),
        Mistake(
            _multi_head_but(mask=_masked_where(lambda ones: ones.triu())),
            "your mask forbids the diagonal as well: each position may look at itself, and position "
            "0 at nothing else, hence the nan.",
        ),
        Mistake(
            _multi_head_but(mask=_masked_where(lambda ones: ones.triu(2))),
            "your mask is one off: each position sees the next one.",
        ),
        Mistake(
            _multi_head_but(mask=torch.tril),
            "the future got the score 0, and exp(0) is 1: it keeps a share. Fill with -inf.",
        ),
        Mistake(
            _multi_head_but(mask=lambda scores: scores, weigh=_weights_cut),
            "you masked after the softmax: the future has had its part in the row's sum, and the "
            "rows come out short.",
        ),
        Mistake(
            _multi_head_but(out=lambda mixed, w_out: mixed),
            "the heads stand side by side, but they never meet: the output projection is missing.",
        ),
        Mistake(
            _multi_head_but(out=lambda mixed, w_out: mixed @ w_out),
            "`w_out` is laid out as `nn.Linear` stores it. It is square, so nobody complains: "
            "what turns (out, in) into (in, out)?",
        ),
        Mistake(
            _multi_head_but(project=_project_as(1, 0, 2)),
            "you unpack keys first. The packing is queries, keys, values; with the first two "
            "swapped, row t tells who looks at t.",
        ),
        Mistake(
            _multi_head_but(project=_project_as(0, 2, 1)),
            "keys and values have changed places: the packing is queries, keys, values.",
        ),
        Mistake(
            _multi_head_but(project=_project_as(2, 1, 0)),
            "you unpack values first. The packing is queries, keys, values.",
        ),
        Mistake(
            _per_head_packing,
            "you cut into heads first and into q, k, v then, as if each head's three stood "
            "together. Here all queries come first: `chunk(3)` before the heads.",
        ),
        Mistake(
            _multi_head_but(weigh=lambda scores: F.softmax(scores, dim=1)),
            "your softmax runs over axis 1, the heads: they compete with each other, and where "
            "all of them are masked the result is nan. Use the last axis.",
        ),
        Mistake(
            _multi_head_but(weigh=lambda scores: F.softmax(scores, dim=-2)),
            "your softmax runs down the columns. Each query shares out its own row.",
        ),
        Mistake(
            _multi_head_but(mask=lambda scores: _causal(_deaf(scores))),
            "your output is the mean of the past's values: the scores are overwritten before the "
            "softmax.",
        ),
        Mistake(
            _one_head,
            "this is a single head as wide as x: one row of shares for all channels. Where do "
            "you cut?",
        ),
        Mistake(
            _multi_head_but(merge=_merge_view),
            "`view` refuses after the last transpose, since the numbers do not lie in the order of the "
            "axes. Keep the transpose and use `reshape`.",
        ),
    ],
    laws=[
        Law(
            "output 0 must not change when later words do",
            lambda out, x, w_qkv, w_out, n_head: torch.allclose(
                out[:, 0], x[:, 0] @ w_qkv.chunk(3)[2].T @ w_out.T, atol=1e-5
            ),
        ),
    ],
    hints=(
        "Five steps: project and cut in three, split each into heads, scores to mix as in "
        "chapter 08, merge, output projection. Write the shape after each.",
        "`(x @ w_qkv.T).chunk(3, dim=-1)`; for each part a view and a transpose; the scale is the "
        "root of the last axis's size; transpose back before the reshape.",
        "With q, k, v as (B, H, T, D), `q @ k.transpose(-2, -1)` is (B, H, T, T), and a mask of "
        "shape (T, T) serves all heads. End with `@ w_out.T`.",
    ),
)


# 5. Count


def count_parameters(n_embd, n_head):
    qkv = 3 * n_embd * n_embd
    out = n_embd * n_embd + n_embd
    return qkv + out


COUNT_PARAMETERS = Exercise(
    id="10.count_parameters",
    asks="The number of parameters: qkv without bias, output projection with bias.",
    reference=count_parameters,
    inputs=[(4, 2), (6, 3), (768, 12), (768, 1)],
    mistakes=[
        Mistake(
            lambda C, H: H * 3 * C * C + C * C + C,
            "you count three full projections for each head. The heads share the width: each "
            "has C / H of the C outputs.",
        ),
        Mistake(
            lambda C, H: H * (4 * C * C + C),
            "you count all of it once for each head. The heads share the width, and one output "
            "projection.",
        ),
        Mistake(
            lambda C, H: 3 * C * C // H + C * C + C,
            "you count the projections of one head only. How many heads are there?",
        ),
        Mistake(
            lambda C, H: 4 * C * C,
            "the four matrices are right. The output projection also has a bias: one number for "
            "each of its outputs.",
        ),
        Mistake(
            lambda C, H: 4 * C * C + 4 * C,
            "you gave all four projections a bias. Queries, keys and values go without one here.",
        ),
        Mistake(
            lambda C, H: 3 * C * C,
            "the output projection is missing: a matrix and a bias.",
        ),
        Mistake(
            lambda C, H: 4 * C * C + 3 * C,
            "the biases are the wrong way round: q, k, v without, the output projection with one.",
        ),
        Mistake(
            lambda C, H: 2 * C * C + C,
            "one matrix for q, k and v together would be (C, C). They are three, packed into one "
            "of shape (3 C, C).",
        ),
        Mistake(
            lambda C, H: 3 * C * C // H + C * C // H + C,
            "you divided both matrices by the number of heads. Each head has its share, and "
            "together they have all of it.",
        ),
    ],
    laws=[
        Law(
            "after whole matrices of n_embd ** 2 numbers one bias has to remain, n_embd numbers",
            lambda n, n_embd, n_head: n % n_embd**2 == n_embd,
        ),
    ],
    hints=(
        "Which two layers does the module have, and what is the shape of each weight?",
        "A Linear from a to b has a b numbers, and b more with a bias.",
        "One layer goes from C to 3 C without bias, one from C to C with it.",
    ),
)


# 6. What does d_out mean?


def widths(d_out, n_head):
    return {
        "wrapper": (d_out, d_out * n_head),
        "fused": (d_out // n_head, d_out),
    }


WIDTHS = Exercise(
    id="10.widths",
    asks="For both conventions of d_out: the size of one head, and the width of the output.",
    reference=widths,
    inputs=[(2, 2), (4, 2), (15, 3), (768, 12)],
    mistakes=[
        Mistake(
            lambda d_out, n_head: {
                "wrapper": (d_out // n_head, d_out), "fused": (d_out // n_head, d_out),
            },
            "you read both as the fused module does. The wrapper hands d_out to every head as it "
            "is, and puts the outputs side by side.",
        ),
        Mistake(
            lambda d_out, n_head: {
                "wrapper": (d_out, d_out * n_head), "fused": (d_out, d_out * n_head),
            },
            "you read both as the wrapper does. The fused module cuts d_out channels into heads: "
            "d_out is the width in all.",
        ),
        Mistake(
            lambda d_out, n_head: {
                "wrapper": (d_out // n_head, d_out), "fused": (d_out, d_out * n_head),
            },
            "the two are exactly the wrong way round. Who cuts, and who puts together?",
        ),
        Mistake(
            lambda d_out, n_head: {"wrapper": (d_out, d_out), "fused": (d_out // n_head, d_out)},
            "the fused one is right. The wrapper's heads are d_out wide each: how wide are "
            "n_head of them side by side?",
        ),
        Mistake(
            lambda d_out, n_head: {
                "wrapper": (d_out * n_head, d_out), "fused": (d_out, d_out // n_head),
            },
            "your pairs are the other way round: first the size of one head, then the width of "
            "the output.",
        ),
        Mistake(
            lambda d_out, n_head: {
                "wrapper": (d_out, d_out * n_head), "fused": (d_out / n_head, d_out),
            },
            "right, but `/` makes a float, and 2.0 is no size. Use `//`.",
        ),
    ],
    laws=[
        Law(
            "n_head times the head size has to be the width of the output",
            lambda answer, d_out, n_head: all(
                size * n_head == width for size, width in answer.values()
            ),
        ),
    ],
    hints=(
        "In the notebook the wrapper with `head_size=2` and two heads gave an output 4 wide. "
        "Which of the two numbers was its d_out?",
        "Wrapper: d_out for each head, concatenated. Fused: d_out in all, cut.",
        "Multiply by n_head in one of them, divide in the other: four numbers, two of them d_out.",
    ),
)  # fmt: skip

EXERCISES = [SPLIT_HEADS, MERGE_HEADS, PACK, MULTI_HEAD, COUNT_PARAMETERS, WIDTHS]

QUIZ = (
    Question(
        "What can two heads of 32 channels do that one head of 64 can't?",
        (
            Option(
                "Listen to twice as many words.",
                "One head listens to all words of the past already, with some share each.",
            ),
            Option(
                "Give one word two rows of shares, so that it can take different things from "
                "different words and keep them apart.",
                "One head has one softmax for each query, and all of its channels are mixed with "
                "the same shares.",
                right=True,
            ),
            Option(
                "Learn more, since they have more parameters.",
                "They have as many: the projections have the same total width.",
            ),
        ),
    ),
    Question(
        "`q`, made by a Linear of its own, is (B, T, C). Someone writes `q.view(B, H, T, D)`. "
        "What is the first thing that anybody notices?",
        (
            Option(
                "An error, because the memory is laid out differently.",
                "The output of a Linear is one row of memory, and such a view of it only needs the "
                "number of elements to fit. (A part cut off by `chunk` is refused.)",
            ),
            Option(
                "Rows of weights that don't sum to 1.",
                "Softmax runs over the last axis as ever: each row sums to 1.",
            ),
            Option(
                "Nothing, or a training loss that is too good.",
                "The shape is right and nothing fails. But early outputs contain later words, so "
                "the model can read off what it should guess.",
                right=True,
            ),
        ),
    ),
    Question(
        "A split by the wrong view and a merge by the wrong reshape, both in one module. What "
        "does the check for leaks say?",
        (
            Option(
                "No leak. The outputs differ from the right ones all the same.",
                "The second fault brings each row back to its word, so nothing of the future is "
                "seen. But a head covers only a stretch of the sentence. Only a comparison with a "
                "reference, or another order of the keys, shows it.",
                right=True,
            ),
            Option(
                "A leak twice as large.",
                "Faults don't have to add up: here the second undoes the visible part of the "
                "first.",
            ),
            Option(
                "No leak, and the outputs are right: the two cancel.",
                "The shapes go there and back, but in between attention ran over the wrong rows.",
            ),
        ),
    ),
    Question(
        "Width 768. You go from 12 heads to 24. What happens to the number of parameters?",
        (
            Option(
                "It doubles.",
                "Each new head is only half as wide, so the projections keep their shape.",
            ),
            Option(
                "It stays: 2,360,064.",
                "The weights are (2304, 768) and (768, 768) with any number of heads. The heads "
                "are only a way to cut the same channels.",
                right=True,
            ),
            Option(
                "It halves, since head_size halves.",
                "There are twice as many heads of half the size.",
            ),
        ),
    ),
    Question(
        "What does the output projection W_O do?",
        (
            Option(
                "It brings the rows back to a sum of 1.",
                "Row sums concern the attention weights, which are long used by then.",
            ),
            Option(
                "It mixes positions a second time.",
                "A Linear works on each position by itself. Only the attention weights mix "
                "positions.",
            ),
            Option(
                "It scales the heads so that their variance is 1.",
                "It is a learnt matrix and promises no variance.",
            ),
            Option(
                "It lets every output channel draw on all heads.",
                "Before it, channel 0 knows head 0 only. Written out, W_O adds up one small "
                "matrix product for each head.",
                right=True,
            ),
        ),
    ),
)

SOURCES = [
    Source(
        "S3.22",
        "two causal heads in a list, their outputs side by side, seed 123, on two copies of the "
        "six words",
        """torch.Size([2, 6, 4])
        [[[-0.4519,  0.2216,  0.4772,  0.1063],
         [-0.5874,  0.0058,  0.5891,  0.3257],
         [-0.6300, -0.0632,  0.6202,  0.3860],
         [-0.5675, -0.0843,  0.5478,  0.3589],
         [-0.5526, -0.0981,  0.5321,  0.3428],
         [-0.5299, -0.1081,  0.5077,  0.3493]],

        [[-0.4519,  0.2216,  0.4772,  0.1063],
         [-0.5874,  0.0058,  0.5891,  0.3257],
         [-0.6300, -0.0632,  0.6202,  0.3860],
         [-0.5675, -0.0843,  0.5478,  0.3589],
         [-0.5526, -0.0981,  0.5321,  0.3428],
         [-0.5299, -0.1081,  0.5077,  0.3493]]]""",
    ),
]
