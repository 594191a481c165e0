"""Chapter 06, queries, keys and values: its exercises, its quiz and its sources."""

import copy

import torch
import torch.nn.functional as F

from attention.heads import Head
from course.exercise import Exercise, Law, Mistake
from course.quiz import Option, Question
from course.sources import Source


def _draw(*shape, seed=0):
    """Random quarters: exact in binary, and short to read where a check shows an input."""
    numbers = torch.randn(*shape, generator=torch.Generator().manual_seed(seed))
    return (numbers * 4).round() / 4


# 1. Shapes


def shapes(B, Tq, Tk, C, D, Dv):
    return {
        "W_q": (C, D),
        "W_v": (C, Dv),
        "q": (B, Tq, D),
        "k": (B, Tk, D),
        "v": (B, Tk, Dv),
        "scores": (B, Tq, Tk),
        "weights": (B, Tq, Tk),
        "out": (B, Tq, Dv),
    }


def _shapes_but(**wrong):
    """The right shapes, but for some: each is given as a function of the sizes."""

    def mistaken(B, Tq, Tk, C, D, Dv):
        sizes = B, Tq, Tk, C, D, Dv
        return shapes(*sizes) | {name: shape(*sizes) for name, shape in wrong.items()}

    return mistaken


SHAPES = Exercise(
    id="06.shapes",
    asks="Give the shape of each tensor in a head, for any sizes.",
    reference=shapes,
    inputs=[(1, 2, 3, 5, 7, 11), (2, 7, 5, 11, 3, 13)],
    mistakes=[
        Mistake(
            _shapes_but(weights=lambda B, Tq, Tk, C, D, Dv: (C, D)),
            "you gave the attention weights the shape of a weight matrix. The attention weights "
            "are what softmax makes of the scores: one number for each query and key.",
        ),
        Mistake(
            _shapes_but(
                scores=lambda B, Tq, Tk, C, D, Dv: (B, Tk, Tq),
                weights=lambda B, Tq, Tk, C, D, Dv: (B, Tk, Tq),
            ),
            "your scores have a row for each key. Rows are queries: each query gets a row, and "
            "softmax runs along it.",
        ),
        Mistake(
            _shapes_but(v=lambda B, Tq, Tk, C, D, Dv: (B, Tk, D)),
            "your values have the size of the keys. The projection of the values has a size of "
            "its own; which one is left over?",
        ),
        Mistake(
            _shapes_but(v=lambda B, Tq, Tk, C, D, Dv: (B, Tq, Dv)),
            "your values come one for each query. Keys and values are two faces of the same "
            "positions: one value for every key.",
        ),
        Mistake(
            _shapes_but(
                v=lambda B, Tq, Tk, C, D, Dv: (B, Tk, D),
                out=lambda B, Tq, Tk, C, D, Dv: (B, Tq, D),
            ),
            "you gave values and output the size of queries and keys. That is common, but not "
            "necessary: here the values have their own size.",
        ),
        Mistake(
            _shapes_but(k=lambda B, Tq, Tk, C, D, Dv: (B, Tq, D)),
            "your keys come one for each query. Keys are made from the memory, one for each of its "
            "Tk positions.",
        ),
        Mistake(
            _shapes_but(k=lambda B, Tq, Tk, C, D, Dv: (B, D, Tk)),
            "(B, D, Tk) is how the keys enter the product, after the transpose. What shape does "
            "`memory @ W_k` have?",
        ),
        Mistake(
            _shapes_but(
                scores=lambda B, Tq, Tk, C, D, Dv: (B, Tq, Tq),
                weights=lambda B, Tq, Tk, C, D, Dv: (B, Tq, Tq),
            ),
            "your scores are square, as in self-attention. Here the columns are the keys of the "
            "memory, Tk of them.",
        ),
        Mistake(
            _shapes_but(
                W_q=lambda B, Tq, Tk, C, D, Dv: (B, C, D),
                W_v=lambda B, Tq, Tk, C, D, Dv: (B, C, Dv),
            ),
            "your weight matrices have a batch axis. They are parameters: all sequences share them.",
        ),
        Mistake(
            _shapes_but(out=lambda B, Tq, Tk, C, D, Dv: (B, Tk, Dv)),
            "your output has a row for each key. Whoever asks gets the answer: one row for each "
            "query.",
        ),
        Mistake(
            _shapes_but(out=lambda B, Tq, Tk, C, D, Dv: (B, Tq, C)),
            "your output has the channels of x. What is mixed is the values, not x, so the "
            "output has the size of a value.",
        ),
        Mistake(
            _shapes_but(
                W_q=lambda B, Tq, Tk, C, D, Dv: (D, C), W_v=lambda B, Tq, Tk, C, D, Dv: (Dv, C)
            ),
            "your weight matrices are the way `nn.Linear` stores them. Here they stand on the "
            "right of `x @ W`, so the channels of x come first.",
        ),
    ],
    hints=(
        "Start from x, (B, Tq, C), and write every product of the head with its shapes.",
        "`x @ W_q` turns C into D; `q @ k.transpose(-2, -1)` pairs every query with every key.",
        "Queries give the rows, keys the columns of scores and weights. `weights @ v` replaces "
        "the columns by what a value holds, Dv numbers.",
    ),
)


# 2. What a Linear layer computes


def linear_by_hand(x, weight):
    return x @ weight.T


LINEAR_BY_HAND = Exercise(
    id="06.linear_by_hand",
    asks="Return what nn.Linear without a bias returns for x; weight is as the layer stores it.",
    reference=linear_by_hand,
    inputs=[
        (_draw(1, 2, seed=1), _draw(2, 2, seed=2)),
        (_draw(3, 3, seed=3), _draw(3, 3, seed=4)),
        (_draw(5, 3, seed=5), _draw(2, 3, seed=6)),
        (_draw(2, 7, 3, seed=7), _draw(5, 3, seed=8)),
    ],
    mistakes=[
        Mistake(
            lambda x, weight: x @ weight,
            "you multiply by the weight as it is stored, (out, in). With a square weight that "
            "runs and is wrong; with any other it fails. What turns (out, in) into (in, out)?",
        ),
        Mistake(
            lambda x, weight: x @ weight.reshape(weight.shape[1], weight.shape[0]),
            "you reshaped the weight to (in, out): the shape is right, but the numbers are not "
            "where they belong. A transpose moves rows to columns, a reshape only recounts them.",
        ),
        Mistake(
            lambda x, weight: weight @ x.transpose(-2, -1),
            "your result is turned on its side, (..., out, T). The positions have to stay where "
            "they were, so x stands on the left.",
        ),
        Mistake(
            lambda x, weight: x @ weight.T + 1,
            "something is added to the product: that would be a bias, and this layer has none.",
        ),
        Mistake(
            lambda x, weight: (x @ weight.T) * weight.shape[1] ** -0.5,
            "you scaled the result. Scores are scaled, a projection is not.",
        ),
        Mistake(
            lambda x, weight: x.reshape(-1, x.shape[-1]) @ weight.T,
            "right for one sequence, but you flattened the batch: (B, T, in) has to become "
            "(B, T, out). `@` keeps the axes in front by itself.",
        ),
    ],
    laws=[
        Law(
            "only the last axis may change, from in to out",
            lambda out, x, weight: out.shape == (*x.shape[:-1], weight.shape[0]),
        ),
    ],
    hints=(
        "Write the two shapes next to each other: (T, in) and (out, in). Which axes have to meet?",
        "`@` matches the last axis of the left with the second-to-last of the right. Turn the "
        "weight, not x.",
        "`weight.T` has shape (in, out), and `x @ weight.T` is all there is.",
    ),
)


# 3. Self-attention


def attend(x, W_q, W_k, W_v):
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
    return F.softmax(scores, dim=-1) @ v


def _attend_T(x, W_q, W_k, W_v):
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    if k.ndim > 2:  # k.T also warns there, which would only disturb the check
        raise RuntimeError("Expected size for first two dimensions of batch2 tensor to be ...")
    return F.softmax(q @ k.T / k.shape[-1] ** 0.5, dim=-1) @ v


def _attend_with(weigh, of=lambda x, v: v):
    def mistaken(x, W_q, W_k, W_v):
        q, k, v = x @ W_q, x @ W_k, x @ W_v
        scores = q @ k.transpose(-2, -1)
        return weigh(scores, x, k, v) @ of(x, v)

    return mistaken


ATTEND = Exercise(
    id="06.attend",
    asks="Return the self-attention of x, (T, C) or (B, T, C), with these three weight matrices.",
    reference=attend,
    inputs=[
        (_draw(2, 2, seed=1), _draw(2, 3, seed=2), _draw(2, 3, seed=3), _draw(2, 2, seed=4)),
        (_draw(5, 3, seed=5), _draw(3, 2, seed=6), _draw(3, 2, seed=7), _draw(3, 7, seed=8)),
        (_draw(2, 7, 3, seed=9), _draw(3, 5, seed=10), _draw(3, 5, seed=11), _draw(3, 2, seed=12)),
    ],
    mistakes=[
        Mistake(
            _attend_with(lambda s, x, k, v: F.softmax(torch.zeros_like(s), dim=-1)),
            "your output is the plain mean of the values: the scores play no part in it. Is a "
            "line overwriting them before the softmax?",
        ),
        Mistake(
            _attend_T,
            "right for one sequence, but it fails on a batch: `.T` turns all axes round, batch "
            "and all, and `transpose(0, 1)` takes the batch for positions. Swap the last two.",
        ),
        Mistake(
            _attend_with(lambda s, x, k, v: F.softmax(s, dim=-1)),
            "the scores are not scaled: divide them by the square root of the head size before "
            "the softmax.",
        ),
        Mistake(
            _attend_with(lambda s, x, k, v: F.softmax(s / k.shape[-1], dim=-1)),
            "you divided by the head size itself. It is its square root, `** 0.5`.",
        ),
        Mistake(
            _attend_with(lambda s, x, k, v: F.softmax(s / 16**0.5, dim=-1)),
            "you divided by 4, the root of the notebook's `head_size`, which is 16. Your function "
            "has to take the size from what it is given: `k.shape[-1]`.",
        ),
        Mistake(
            _attend_with(lambda s, x, k, v: F.softmax(s, dim=-1) / k.shape[-1] ** 0.5),
            "you divided the weights, so their rows no longer sum to 1. The scores are divided, "
            "before the softmax.",
        ),
        Mistake(
            _attend_with(lambda s, x, k, v: F.softmax(s / x.shape[-1] ** 0.5, dim=-1)),
            "you scaled by the size of x. The scores are products of queries and keys: their "
            "size counts.",
        ),
        Mistake(
            _attend_with(lambda s, x, k, v: F.softmax(s / v.shape[-1] ** 0.5, dim=-1)),
            "you scaled by the size of the values. They don't enter the scores; the size of a "
            "key counts.",
        ),
        Mistake(
            _attend_with(lambda s, x, k, v: F.softmax(s / k.shape[-1] ** 0.5, dim=-2)),
            "your softmax runs down the columns, so the rows don't sum to 1. Each query shares "
            "out its own row.",
        ),
        Mistake(
            _attend_with(
                lambda s, x, k, v: F.softmax(s.transpose(-2, -1) / k.shape[-1] ** 0.5, dim=-1)
            ),
            "queries and keys have changed places: row t holds how all others look at position t. "
            "Which of the two belongs on the left?",
        ),
        Mistake(
            _attend_with(
                lambda s, x, k, v: F.softmax(s / k.shape[-1] ** 0.5, dim=-1), of=lambda x, v: x
            ),
            "you mix x itself. x stays private: what a position hands over is its value, "
            "`x @ W_v`.",
        ),
    ],
    laws=[
        Law(
            "the output has to have a row for each position, of the size of a value",
            lambda out, x, W_q, W_k, W_v: out.shape == (*x.shape[:-1], W_v.shape[1]),
        ),
        Law(
            "every number of the output has to lie between the smallest and the largest value",
            lambda out, x, W_q, W_k, W_v: bool(
                (out <= (x @ W_v).amax(dim=-2, keepdim=True) + 1e-4).all()
                and (out >= (x @ W_v).amin(dim=-2, keepdim=True) - 1e-4).all()
            ),
        ),
    ],
    hints=(
        "Project, score, mix: three lines. Write down the shape after each.",
        "The scores are `q @ k.transpose(-2, -1)`, divided by the square root of `k.shape[-1]`.",
        "Softmax along the last axis, then `@ v`. All of it works with or without a batch axis.",
    ),
)


# 4. Cross-attention


def cross_attend(x, memory, W_q, W_k, W_v):
    q = x @ W_q
    k, v = memory @ W_k, memory @ W_v
    scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
    return F.softmax(scores, dim=-1) @ v


def _memory_asks(x, memory, W_q, W_k, W_v):
    return cross_attend(memory, x, W_q, W_k, W_v)


def _self_only(x, memory, W_q, W_k, W_v):
    return cross_attend(x, x, W_q, W_k, W_v)


def _memory_only(x, memory, W_q, W_k, W_v):
    return cross_attend(memory, memory, W_q, W_k, W_v)


def _values_of_x(x, memory, W_q, W_k, W_v):
    scores = x @ W_q @ (memory @ W_k).transpose(-2, -1) / W_k.shape[-1] ** 0.5
    return F.softmax(scores, dim=-1) @ (x @ W_v)


def _keys_of_x(x, memory, W_q, W_k, W_v):
    scores = x @ W_q @ (x @ W_k).transpose(-2, -1) / W_k.shape[-1] ** 0.5
    return F.softmax(scores, dim=-1) @ (memory @ W_v)


def _share_the_queries(x, memory, W_q, W_k, W_v):
    scores = x @ W_q @ (memory @ W_k).transpose(-2, -1) / W_k.shape[-1] ** 0.5
    return F.softmax(scores, dim=-2) @ (memory @ W_v)


def _scaled_by_length(x, memory, W_q, W_k, W_v):
    scores = x @ W_q @ (memory @ W_k).transpose(-2, -1) / memory.shape[-2] ** 0.5
    return F.softmax(scores, dim=-1) @ (memory @ W_v)


def _both(x, memory, W_q, W_k, W_v):
    return cross_attend(x, torch.cat((x, memory), dim=-2), W_q, W_k, W_v)


CROSS_ATTEND = Exercise(
    id="06.cross_attend",
    asks="The positions of x ask, the positions of memory are looked at and answer.",
    reference=cross_attend,
    inputs=[
        (_draw(2, 3, seed=1), _draw(2, 3, seed=2), *(_draw(3, 2, seed=s) for s in (3, 4, 5))),
        (_draw(5, 3, seed=6), _draw(2, 3, seed=7), *(_draw(3, 7, seed=s) for s in (8, 9, 10))),
        (
            _draw(2, 7, 3, seed=11),
            _draw(2, 5, 11, seed=12),
            _draw(3, 2, seed=13),
            _draw(11, 2, seed=14),
            _draw(11, 13, seed=15),
        ),
    ],  # fmt: skip
    mistakes=[
        Mistake(
            _memory_asks,
            "the roles are swapped: your queries come from the memory. Whoever asks gets a row "
            "of the output, and here x asks.",
        ),
        Mistake(
            _self_only,
            "this is self-attention of x: the memory is never looked at. Where do keys and "
            "values come from?",
        ),
        Mistake(
            _memory_only,
            "this is self-attention of the memory: x never asks.",
        ),
        Mistake(
            _values_of_x,
            "your keys come from the memory and your values from x. A weight belongs to the "
            "position whose key was looked at, so its value has to come from there too.",
        ),
        Mistake(
            _keys_of_x,
            "your values come from the memory and your keys from x. Whoever is looked at shows the key "
            "and hands over the value: both come from the memory.",
        ),
        Mistake(
            _share_the_queries,
            "your softmax runs over the queries, so each key's column sums to 1. Each query "
            "shares out its row over the keys.",
        ),
        Mistake(
            _scaled_by_length,
            "you scaled by the number of keys. The scale is the square root of the size of a "
            "key, `k.shape[-1]`.",
        ),
        Mistake(
            _both,
            "your positions look at themselves as well as at the memory. In cross-attention all "
            "keys and values come from the memory.",
        ),
    ],
    laws=[
        Law(
            "the output has to have a row for each position of x",
            lambda out, x, memory, W_q, W_k, W_v: out.shape == (*x.shape[:-1], W_v.shape[1]),
        ),
    ],
    hints=(
        "Who asks? Who is looked at? Write which of the two sequences each of q, k, v comes from.",
        "Only the query comes from x. The scores are then a rectangle, (Tq, Tk).",
        "`q = x @ W_q`, `k = memory @ W_k`, `v = memory @ W_v`; the rest is as in `attend`.",
    ),
)


# 5. A transplant that leaves the donor and the patient alive


def transplant(head, W_q, W_k, W_v, x):
    twin = copy.deepcopy(head)
    with torch.no_grad():
        twin.query.weight.copy_(W_q.T)
        twin.key.weight.copy_(W_k.T)
        twin.value.weight.copy_(W_v.T)
    return twin(x), head(x)


def _into(twin, W_q, W_k, W_v):
    """Give a head these weights, stored as Linear stores them already."""
    with torch.no_grad():
        twin.query.weight.copy_(W_q)
        twin.key.weight.copy_(W_k)
        twin.value.weight.copy_(W_v)
    return twin


def _overwrites(head, W_q, W_k, W_v, x):
    head.query.weight.data = W_q.T.clone()
    head.key.weight.data = W_k.T.clone()
    head.value.weight.data = W_v.T.clone()
    return head(x), head(x)


def _not_transposed(head, W_q, W_k, W_v, x):
    twin = _into(copy.deepcopy(head), W_q, W_k, W_v)
    return twin(x), head(x)


def _transplant_reshaped(head, W_q, W_k, W_v, x):
    turned = (W.reshape(W.shape[1], W.shape[0]) for W in (W_q, W_k, W_v))
    twin = _into(copy.deepcopy(head), *turned)
    return twin(x), head(x)


def _queries_as_keys(head, W_q, W_k, W_v, x):
    twin = _into(copy.deepcopy(head), W_k.T, W_q.T, W_v.T)
    return twin(x), head(x)


def _values_forgotten(head, W_q, W_k, W_v, x):
    twin = _into(copy.deepcopy(head), W_q.T, W_k.T, head.value.weight)
    return twin(x), head(x)


def _nothing_moved(head, W_q, W_k, W_v, x):
    return copy.deepcopy(head)(x), head(x)


def _other_order(head, W_q, W_k, W_v, x):
    return transplant(head, W_q, W_k, W_v, x)[::-1]


def _assigned(head, W_q, W_k, W_v, x):
    twin = copy.deepcopy(head)
    twin.query.weight = W_q.T
    return twin(x), head(x)


def _no_no_grad(head, W_q, W_k, W_v, x):
    twin = copy.deepcopy(head)
    twin.query.weight.copy_(W_q.T)
    return twin(x), head(x)


def _head(n_embd, head_size, seed):
    with torch.random.fork_rng(devices=[]):  # the notebook's own draws go on as if nothing was
        torch.manual_seed(seed)
        return Head(n_embd, head_size)


TRANSPLANT = Exercise(
    id="06.transplant",
    asks="What a twin of the head gives for x with W_q, W_k, W_v in it, and what the head gives.",
    reference=transplant,
    inputs=[
        (_head(2, 2, 1), *(_draw(2, 2, seed=s) for s in (2, 3, 4)), _draw(3, 2, seed=5)),
        (_head(3, 5, 6), *(_draw(3, 5, seed=s) for s in (7, 8, 9)), _draw(7, 3, seed=10)),
    ],
    mistakes=[
        Mistake(
            _overwrites,
            "both of your outputs are those of the new weights: the transplant has harmed the "
            "original. `twin = head` only gives it a second name, and writing to `.data` writes "
            "to the head itself. Which function makes a real copy?",
        ),
        Mistake(
            _not_transposed,
            "the matrices are for `x @ W`, (in, out), but a Linear stores (out, in). With square "
            "ones nobody complains, and the output is wrong.",
        ),
        Mistake(
            _transplant_reshaped,
            "you reshaped the matrices to (out, in): the shape fits, the numbers are shuffled. "
            "Rows have to become columns.",
        ),
        Mistake(
            _queries_as_keys,
            "W_q went into the key layer and W_k into the query layer. Row t of the weights then "
            "tells who looks at t.",
        ),
        Mistake(
            _values_forgotten,
            "queries and keys are right, but the twin still has its old values.",
        ),
        Mistake(
            _nothing_moved,
            "the twin still has the head's own weights: nothing was transplanted.",
        ),
        Mistake(
            _other_order,
            "both outputs are right, but in the wrong order: the twin's comes first.",
        ),
        Mistake(
            _assigned,
            "a plain tensor can't take a Parameter's place: PyTorch refuses it with a TypeError. "
            "Keep the Parameter and copy numbers into it.",
        ),
        Mistake(
            _no_no_grad,
            "PyTorch won't let you write into a Parameter while it records gradients. Tell it "
            "that this copy is no part of any computation: which `with` line does that?",
        ),
    ],
    hints=(
        "Three steps: a real copy of the head, the numbers into the copy, both outputs.",
        "`copy.deepcopy(head)`, then `twin.query.weight.copy_(...)` under `torch.no_grad()`.",
        "A Linear stores (out, in), so it is `W_q.T` that goes into `query`, and likewise for "
        "`key` and `value`. Return `twin(x), head(x)`.",
    ),
)


# 6. The head that hears nobody


def is_deaf(attend, q, k, v):
    out = attend(q, k, v)
    other = attend(2 * q, 2 * k, v)
    return torch.allclose(out, other, atol=1e-6)


def _future(weights_or_scores):
    T = weights_or_scores.shape[-1]
    return torch.ones(T, T).triu(1).bool()


def head_one(q, k, v):
    scores = q @ k.transpose(-2, -1)
    return F.softmax(scores, dim=-1) @ v


def head_two(q, k, v):
    scores = q @ k.transpose(-2, -1)
    scores = torch.zeros(scores.shape).masked_fill(_future(scores), float("-inf"))
    return F.softmax(scores, dim=-1) @ v


def head_three(q, k, v):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    scores = scores.masked_fill(_future(scores), float("-inf"))
    return F.softmax(scores, dim=-1) @ v


def head_four(q, k, v):
    scores = q @ k.transpose(-2, -1)
    return F.softmax(0 * scores, dim=-1) @ v


def head_five(q, k, v):
    return F.softmax(q @ q.transpose(-2, -1), dim=-1) @ v


def head_six(q, k, v):
    return F.softmax(k @ k.transpose(-2, -1), dim=-1) @ v


_QKV = tuple(_draw(2, 5, 3, seed=s).requires_grad_() for s in (1, 2, 3))


def _always_deaf(attend, q, k, v):
    return attend(q, k, v).shape == v.shape


def _never_deaf(attend, q, k, v):
    return attend(q, k, v).grad_fn is None


def _running_mean_only(attend, q, k, v):
    count = torch.arange(1, v.shape[-2] + 1)[:, None]
    return torch.allclose(attend(q, k, v), v.cumsum(dim=-2) / count, atol=1e-5)


def _mean_only(attend, q, k, v):
    mean = v.mean(dim=-2, keepdim=True).expand_as(v)
    return torch.allclose(attend(q, k, v), mean, atol=1e-5)


def _only_keys(attend, q, k, v):
    return torch.allclose(attend(q, k, v), attend(q, 2 * k, v), atol=1e-6)


def _only_queries(attend, q, k, v):
    return torch.allclose(attend(q, k, v), attend(2 * q, k, v), atol=1e-6)


def _says_hearing(attend, q, k, v):
    return not is_deaf(attend, q, k, v)


IS_DEAF = Exercise(
    id="06.is_deaf",
    asks="Return True if neither the queries nor the keys play any part in what attend returns.",
    reference=is_deaf,
    inputs=[
        (attend, *_QKV)
        for attend in (head_one, head_two, head_three, head_four, head_five, head_six)
    ],
    mistakes=[
        Mistake(
            _never_deaf,
            "you call every head healthy. A deaf head's output still has a `grad_fn` and still "
            "changes with v, because the values do reach it. What doesn't reach it?",
        ),
        Mistake(
            _always_deaf,
            "you call every head deaf. The shape is the same for all of them. And if you turned "
            "the signs of both q and k: every product of the two stays as it was.",
        ),
        Mistake(
            _running_mean_only,
            "you find the deaf head with a mask, but not the one without. It multiplies its scores by "
            "0, so its output is the mean of all, not of the past, and its gradients are 0, not None. "
            "Change q and k instead, and look whether the output changes.",
        ),
        Mistake(
            _mean_only,
            "you compare with the mean of all values. That finds the deaf head without a mask, "
            "but not the one with: there the output is a running mean. Change q and k instead.",
        ),
        Mistake(
            _only_keys,
            "you changed only the keys. One head forgot its keys and scores queries with "
            "queries: it has a different illness, but deaf it is not.",
        ),
        Mistake(
            _only_queries,
            "you changed only the queries. One head forgot its queries and scores keys with "
            "keys: it has a different illness, but deaf it is not.",
        ),
        Mistake(_says_hearing, "your answers are exactly the wrong way round: True means deaf."),
    ],
    laws=[
        Law(
            "the answer has to be True just when other queries and keys give the same output",
            lambda answer, attend, q, k, v: answer == is_deaf(attend, q, k, v),
        ),
    ],
    hints=(
        "You can't look inside, but you can call `attend` as often as you like. With what?",
        "Call it twice with the same v and with different q and k. What does a deaf head do?",
        "Compare `attend(q, k, v)` with `attend(2 * q, 2 * k, v)` by `torch.allclose`.",
    ),
)

EXERCISES = [SHAPES, LINEAR_BY_HAND, ATTEND, CROSS_ATTEND, TRANSPLANT, IS_DEAF]

QUIZ = (
    Question(
        "A new sentence comes in. Which of these stays exactly as it was?",
        (
            Option(
                "The scores.",
                "They are dot products of this sentence's queries and keys, made anew each time.",
            ),
            Option(
                "The attention weights.",
                "They are the softmax of the scores, so they change with every sentence. That "
                "they share a word with the weight matrices is bad luck.",
            ),
            Option(
                "The weight matrices W_q, W_k, W_v.",
                "They are parameters: the same for all sentences, changed by training alone.",
                right=True,
            ),
        ),
    ),
    Question(
        "`layer = nn.Linear(32, 16, bias=False)`. What is the shape of `layer.weight`?",
        (
            Option(
                "(16, 32): it stores (out, in) and computes `x @ weight.T`.",
                "So a matrix made for `x @ W` has to be transposed before it goes in.",
                right=True,
            ),
            Option(
                "(32, 16): the way `x @ W` needs it.",
                "That is how our Parameters were laid out, but a Linear stores the transpose.",
            ),
            Option(
                "(B, T, 16), like its output.",
                "A layer doesn't know B and T. Its weight is the same for any batch.",
            ),
        ),
    ),
    Question(
        "Which sizes may differ in `scaled_dot_product_attention(q, k, v)`?",
        (
            Option(
                "The size of a query and the size of a key.",
                "A dot product needs two vectors of one size: these two must agree.",
            ),
            Option(
                "The number of keys and the number of values.",
                "Each weight belongs to a key and multiplies that key's value: as many of each.",
            ),
            Option(
                "The size of a key and the size of a value.",
                "Values don't enter the scores. The original Transformer has 64 for both, but "
                "that is a choice.",
                right=True,
            ),
            Option(
                "None of them.",
                "Values may have a size of their own, and there may be more or fewer queries "
                "than keys.",
            ),
        ),
    ),
    Question(
        "A head's output has the right shape, but `weights.var()` prints without a `grad_fn`. "
        "What do you conclude?",
        (
            Option(
                "Nothing: printing a variance has nothing to do with gradients.",
                "Whatever is computed from parameters carries a `grad_fn`. Its absence says that "
                "no parameter was used.",
            ),
            Option(
                "The weights don't depend on the query and key layers at all.",
                "Somewhere the scores were replaced by something else, for instance by zeros. "
                "The values still reach the output, so its shape is right.",
                right=True,
            ),
            Option(
                "The weights are trained already.",
                "Training changes parameters. It doesn't cut the path that leads to them.",
            ),
        ),
    ),
    Question(
        "`keys.T` works for one sequence, (6, 2), and fails for a batch, (2, 6, 2). Why?",
        (
            Option(
                "Because `.T` can't be used on a tensor that has a gradient.",
                "It can. The number of axes is the trouble.",
            ),
            Option(
                "Because `.T` turns all axes round, so the batch becomes the last axis.",
                "The sizes 2, 6, 2 read the same backwards, but the last axis is now the batch. "
                "`transpose(-2, -1)` swaps the last two only.",
                right=True,
            ),
            Option(
                "Because a batch needs a loop over its sequences.",
                "`@` repeats the product for each sequence by itself, once the last two axes fit.",
            ),
        ),
    ),
)

SOURCES = [
    Source(
        "S0.7",
        "one head on (4, 8, 32) with head size 16; its scores are overwritten by zeros (T01)",
        "torch.Size([4, 8, 16])",
    ),
    Source("S0.8", "the variance of the keys, which still has a gradient", "tensor(0.3164"),
    Source(
        "S0.9",
        "the variance of the overwritten weights, which has none: the symptom of T01",
        "tensor(0.0273)",
    ),
    Source("S1.27", "a query is what a token looks for, a key what it contains"),
    Source(
        "S1.28",
        "one unscaled causal head under seed 1337: its first sequence's weights",
        """[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.1574, 0.8426, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.2088, 0.1646, 0.6266, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.5792, 0.1187, 0.1889, 0.1131, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.0294, 0.1052, 0.0469, 0.0276, 0.7909, 0.0000, 0.0000, 0.0000],
        [0.0176, 0.2689, 0.0215, 0.0089, 0.6812, 0.0019, 0.0000, 0.0000],
        [0.1691, 0.4066, 0.0438, 0.0416, 0.1048, 0.2012, 0.0329, 0.0000],
        [0.0210, 0.0843, 0.0555, 0.2297, 0.0573, 0.0709, 0.2423, 0.2391]""",
    ),
    Source(
        "S1.29",
        "notes: communication, no notion of space, no talk across the batch, encoder and "
        "decoder, self- and cross-attention, scaling",
    ),
    Source(
        "S2.8",
        "why queries, keys and values: x is private, v is what is handed over; a very high score "
        "makes softmax one-hot; d_k and d_v",
    ),
    Source(
        "S3.10",
        "weight matrices under seed 123, the query of journey, the shapes of keys and values",
        "0.4306, 1.4551 torch.Size([6, 2]) torch.Size([6, 2])",
    ),
    Source(
        "S3.11",
        "one score, all scores of journey, its weights, its context vector",
        "1.8524 1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440 "
        "0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820 0.3061, 0.8210",
    ),
    Source("S3.12", "queries, keys and values as a search in a database"),
    Source(
        "S3.13",
        "a module with three Parameters, seed 123",
        """[0.2996, 0.8053], [0.3061, 0.8210], [0.3058, 0.8203],
        [0.2948, 0.7939], [0.2927, 0.7891], [0.2990, 0.8040]""",
    ),
    Source(
        "S3.14",
        "a module with three Linear layers, seed 789",
        """[-0.0739,  0.0713], [-0.0748,  0.0703], [-0.0749,  0.0702],
        [-0.0760,  0.0685], [-0.0763,  0.0679], [-0.0754,  0.0693]""",
    ),
    Source(
        "S3.15",
        "the Parameters transplanted into the Linear layers: the same output",
        """[0.2996, 0.8053], [0.3061, 0.8210], [0.3058, 0.8203],
        [0.2948, 0.7939], [0.2927, 0.7891], [0.2990, 0.8040]""",
    ),
    Source(
        "S3.16",
        "the attention weights of the module with the transplanted weights",
        """[0.1551, 0.2104, 0.2059, 0.1413, 0.1074, 0.1799],
        [0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820],
        [0.1503, 0.2256, 0.2192, 0.1315, 0.0914, 0.1819],
        [0.1591, 0.1994, 0.1962, 0.1477, 0.1206, 0.1769],
        [0.1610, 0.1949, 0.1923, 0.1501, 0.1265, 0.1752],
        [0.1557, 0.2092, 0.2048, 0.1419, 0.1089, 0.1794]""",
    ),
    Source("S4.1", "a decoder because of its mask; self-attention against cross-attention"),
    Source(
        "S4.2",
        "a head with a value size of its own, checked by its shapes alone; its last line, which "
        "would have shown the weights, is commented out",
    ),
]
