"""The bugs and traps of the source notebooks: what was wrong, what is right, what a learner sees.

`met` stands in a chapter, at a cell that covers the id. A `figure` stands there too, unless it is
shown `here` alone, and `ours` computes it anew from the text of the page.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attention.batches import split
from attention.bigram import bigram_floor
from attention.heads import Head, attention_scores, attention_weights
from attention.masks import causal_mask
from attention.multi_head import MultiHeadAttention
from attention.tokenizers import CharTokenizer
from chapters.ch16 import wrong
from chapters.chA3.sources import ch03, ch04, ch05, ch06, ch07, ch09, ch10


@dataclass(frozen=True)
class Trap:
    """One bug or trap of the source notebooks."""

    id: str
    wrong: str
    right: str
    met: str
    figure: str = ""
    ours: Callable[[str], object] | None = None
    corpus: str = ""
    here: bool = False


def _row_1() -> tuple[Tensor, Tensor]:
    """A head's weights without and with the scale: row 1, as far as it may look."""
    q, k, _ = ch06.random_head()
    scores = [attention_scores(q, k, scale) for scale in (1.0, None)]
    return tuple(attention_weights(each, ch06.MASK)[0, 1, :2] for each in scores)


def _default_variances() -> tuple[Tensor, ...]:
    q, k, _ = ch06.random_head()
    return k.var(), q.var(), attention_scores(q, k, 1.0).var(), attention_scores(q, k).var()


def _first_and_ninth() -> tuple[object, ...]:
    _ = torch.manual_seed(1337)
    draws = [torch.randint(1_115_394 - 8, (4,)) for _ in range(9)]
    return draws[0], 9, draws[8]


def _two_shapes() -> tuple[object, ...]:
    logits = torch.zeros(4, 8, 65)
    flat = logits.view(-1, 65)
    return logits.shape, logits[:, -1].shape, flat.shape, flat[:, -1].shape


def _floor(text: str) -> float:
    tokenizer = CharTokenizer(text)
    ids = split(torch.tensor(tokenizer.encode(text)))[0]
    return round(bigram_floor(ids, tokenizer.vocab_size), 4)


def _times_as_large() -> float:
    scores = torch.arange(10.0)
    return round((scores / 16**-0.5).var().item() / scores.var().item(), 4)


def _of_the_first_part(text: str) -> tuple[object, ...]:
    train = text[: len(text) * 9 // 10]
    return set(train) == set(text), len(set(train))


def _six_digits() -> Tensor:
    _ = torch.manual_seed(42)
    return torch.randint(0, 10, (6,))


def _right_shapes() -> str:
    """Of the eighteen wrong attentions, how many pass the check of the shape."""
    _ = torch.manual_seed(1337)
    x, layers = torch.randn(4, 8, 32), MultiHeadAttention(n_embd=32, n_head=4, block_size=8)
    outputs = [wrong.attend(layers, steps, x)[0] for steps in wrong.WRONG.values()]
    return f"{sum(out.shape == x.shape for out in outputs)} of {len(outputs)}"


def _before_and_after() -> tuple[Tensor, Tensor]:
    _ = torch.manual_seed(789)
    return Head(3, 2).weights(ch05.WORDS)[0, 0], ch06.word_weights()[0, 0]


def _ends() -> str:
    _ = torch.manual_seed(1337)
    weight = nn.Linear(3, 10000, bias=False).weight
    return f"from {weight.min():.3f} to {weight.max():.3f}"


def _row_sums_of_columns() -> Tensor:
    return attention_scores(ch05.WORDS, ch05.WORDS, 1.0).softmax(dim=0).sum(dim=-1)


def _all_axes_turned() -> str:
    q = torch.zeros(2, 6, 2)
    try:
        return str(q @ q.permute(2, 1, 0))
    except RuntimeError as error:
        return str(error)


def _saved() -> list[str]:
    """What a module saves that has its mask in a buffer like any other."""
    module = nn.Module()
    module.register_buffer("mask", causal_mask(6))
    return list(module.state_dict())


def _either_order() -> bool:
    scores, forbidden = ch06.word_scores(), ~causal_mask(6)
    later = scores.masked_fill(forbidden, float("-inf")) / 2**0.5
    return torch.equal((scores / 2**0.5).masked_fill(forbidden, float("-inf")), later)


def _triangle() -> Tensor:
    triangle = ch06.word_scores() * causal_mask(6)
    return (triangle / triangle.sum(dim=-1, keepdim=True))[1, :2]


def _strides() -> tuple[object, ...]:
    x = torch.zeros(2, 3, 5)
    return x.stride(), x.transpose(-2, -1).stride()


TYPOS = {
    "corss_entropy": "cross_entropy",
    "constanants": "consonants",
    "intersting": "interesting",
    "exmaple": "example",
    "eventaully": "eventually",
    "up to an including": "up to and including",
    "sepearate": "separate",
}

TRAPS = [
    Trap(
        "T01",
        "the scores are overwritten by zeros before the softmax",
        "delete that line",
        "queries and keys were computed and not used",
        "0.0273",
        lambda text: ch06.overwritten_weights().var(),
    ),
    Trap(
        "T02",
        "no scale",
        "times 1 / sqrt(head size)",
        "Sharper, that is all",
        "0.1574 0.8426 0.3966 0.6034",
        lambda text: _row_1(),
    ),
    Trap(
        "T03",
        "a comment says (T, C) @ (B, T, C)",
        "(T, T) @ (B, T, C) -> (B, T, C)",
        "The left matrix has no batch axis",
    ),
    Trap("T04", "C is called the number of classes", "C is channels", "positions, channels"),
    Trap(
        "T05",
        "version 3 is never compared",
        "assert that it is close to version 1",
        "even the weights are equal, bit for bit",
    ),
    Trap(
        "T06",
        "a bare `allclose` shown as True",
        "`assert_close`, or a tolerance that is stated",
        "By default it allows a difference of 1e-8 + 1e-5",
        "True",
        lambda text: ch04.product_agrees(text),
    ),
    Trap(
        "T07",
        "one name for a counter and a matrix; cells run out of order",
        "fresh names, functions, Restart and Run All",
        "There is a second kind of hidden state: one name for two things",
    ),
    Trap(
        "T08", "a comment says the past is (t, C)", "(t+1, C)", "past = x[b, : t + 1] # (t+1, C)"
    ),
    Trap(
        "T09",
        "the variance 0.3164 taken for that of a unit-variance demonstration",
        "a fresh `nn.Linear` gives 1 / 3, and its scores are not large",
        "A third for q, a third for k",
        "0.3164 0.3386 1.9224 0.1201",
        lambda text: _default_variances(),
    ),
    Trap("T10", "`import` in the last cell", "imports first", "cell 0 does not know 'nn'"),
    Trap(
        "T11",
        "`torch` is used before it is imported",
        "import first",
        "cell 0 does not know 'torch'",
    ),
    Trap(
        "T12",
        "`train` is printed, the variable is `train_data`",
        "one name; Restart and Run All",
        "NameError: name 'train' is not defined",
    ),
    Trap(
        "T13",
        "starts drawn from the whole text, used on its first part",
        "draw from the ids that are cut",
        "draw them from the same ids that you cut",
        "torch.Size([0])",
        lambda text: torch.arange(1_003_854)[1_078_327 : 1_078_327 + 8].shape,
    ),
    Trap(
        "T14",
        "the seed in one cell, the draw in the next, which ran nine times",
        "the seed in the cell that draws",
        "run 9 of the cell",
        "1078327, 453969, 41646, 671252, 9, 978324, 638409, 104713, 75569",
        lambda text: _first_and_ninth(),
    ),
    Trap(
        "T15",
        "a batch is drawn as `xb`, `yb`, then `x`, `y` are printed",
        "print what was drawn",
        "print(x.shape, y.shape)",
        "torch.Size([8])",
        lambda text: torch.arange(100)[:8].shape,
    ),
    Trap(
        "T16",
        "outputs cut short, and nothing says so",
        "all of it, or a count",
        "of which we print ten and say so",
        "65",
        lambda text: ch03.table().table.weight[15].numel(),
    ),
    Trap(
        "T17",
        "`forward(ids, targets)` ignores its targets",
        "take ids only; the loss is a function of its own",
        "A parameter that is ignored only misleads the reader",
    ),
    Trap(
        "T18",
        "logits in two shapes, with targets and without",
        "reshape inside the loss and nowhere else",
        "Reshape inside the loss and nowhere else",
        "4, 8, 65, 4, 65, 32, 65, 32",
        lambda text: _two_shapes(),
    ),
    Trap(
        "T19",
        "the model that writes was made without a seed; `m` or `model`",
        "one name, and a seed in the cell that makes it",
        "One name for one model",
    ),
    Trap(
        "T20",
        "2.4423 reported after 1000 steps, which is below what a bigram can reach",
        "the loss on the whole part, beside the floor",
        "Its model got *below the floor*",
        "2.4519",
        _floor,
        "tinyshakespeare",
    ),
    Trap(
        "T21",
        "a function reads the batch size from a global",
        "pass it",
        "from then on and without touching the function",
    ),
    Trap(
        "T22",
        "one batch's loss is reported, no other text is looked at",
        "the loss on everything, or a mean with its standard error",
        "the honest report is the loss on everything",
    ),
    Trap(
        "T23",
        "the context is never cropped while writing",
        "the last `block_size` ids",
        "IndexError: index out of range in self",
    ),
    Trap(
        "T24",
        "a mask is used before it is assigned",
        "assign it",
        "cell 2 does not know 'tril'",
    ),
    Trap(
        "T25",
        "`wei` for scores, weights and leftovers",
        "scores before the softmax, weights after it",
        "In this course `weights` alone means attention weights",
    ),
    Trap(
        "T26",
        "the head is not scaled although the notes call for it",
        "as T02",
        "Code often leaves the scale out, even beside notes that call for it",
        "0.1574 0.8426 0.3966 0.6034",
        lambda text: _row_1(),
    ),
    Trap(
        "T27",
        "a value in the middle of a cell is to be displayed",
        "`print` it",
        "a notebook displays only a cell's last value",
    ),
    Trap(
        "T28",
        "divides by 1 / sqrt(head size)",
        "multiply by it, or divide by sqrt(head size)",
        "makes the variance 16 times larger",
        "16",
        lambda text: _times_as_large(),
    ),
    Trap(
        "T29",
        "variances printed by a cell that was run before the one that now stands above",
        "seed, draw and output in one cell",
        "then they can't part",
        "1.0966 0.9416 16.1036 1.0065",
        lambda text: ch07.variances(),
    ),
    Trap(
        "T30",
        "two open doubts: is wei the weights? is x the embedding?",
        "before softmax it is the scores, after it the weights; x holds the token's embedding, which "
        "stays its own: only v is handed on",
        "| attention weights | (6, 6) | softmax of the scores, rows sum to 1 |",
    ),
    Trap(
        "T31",
        "no answer to an unknown character",
        "an error that says which and where, a token for it, or bytes",
        "KeyError: 'é'",
        "['3']",
        lambda text: [c for c in CharTokenizer(text).vocab if c.isdigit()],
    ),
    Trap(
        "T32",
        "the vocabulary is made from the held-back text too",
        "say so; in principle, from the text to train on",
        "the vocabulary would be the same without the held-back part",
        "True 65",
        _of_the_first_part,
    ),
    Trap(
        "T33",
        "typos: " + ", ".join(TYPOS),
        ", ".join(TYPOS.values()),
        "here",
    ),
    Trap(
        "T34",
        "B is called the number of batches",
        "sequences in a batch",
        "sequences in the batch",
    ),
    Trap(
        "T35",
        "toy matrices A, B, C beside the sizes B, T, C",
        "other names for them",
        "Look at what `A @ M` does to the rows of M",
    ),
    Trap(
        "T36",
        "a seed is set again with nothing drawn in between",
        "once, in the cell that draws",
        "Setting the same seed twice with nothing drawn in between changes nothing",
        "2, 7, 6, 4, 6, 5",
        lambda text: _six_digits(),
    ),
    Trap(
        "T41",
        "a cell ends with `torch.manual_seed(...)` and shows an address",
        "`_ = torch.manual_seed(...)`",
        "<torch._C.Generator object at 0x(an address)>",
    ),
    Trap(
        "T42",
        "attention as a function that finds its layers among the notebook's variables",
        "an `nn.Module`",
        "'function' object has no attribute 'parameters'",
    ),
    Trap(
        "T43",
        "only shapes are checked",
        "laws, and a reference",
        "no shape has found anything",
        "18 of 18",
        lambda text: _right_shapes(),
        here=True,
    ),
    Trap(
        "T44",
        "the mask is made on the CPU at each call",
        "a buffer, or `is_causal`",
        "Tensor on device meta is not on the expected device cpu!",
    ),
    Trap(
        "T45",
        "the paper's d_v is said to differ from d_k",
        "it may; in the paper both are 64",
        "and are both 64",
    ),
    Trap(
        "T48",
        "a head is overwritten for a proof and used on",
        "copy into a twin, under `no_grad`",
        "all numbers of that notebook differ from those of the book",
        "0.1921 0.1551",
        lambda text: _before_and_after(),
    ),
    Trap(
        "T49",
        "two equal results are called similar",
        "the same weights: the same function",
        "it is the same function",
        "True",
        lambda text: torch.equal(ch06.transplanted().query.weight, ch06.word_matrices()[0].T),
    ),
    Trap(
        "T50",
        "`nn.Linear` is said to start by Kaiming or Xavier",
        "evenly between -1/sqrt(inputs) and 1/sqrt(inputs)",
        "It is neither of the two as textbooks give them",
        "-0.577 0.577",
        lambda text: _ends(),
    ),
    Trap(
        "T51",
        "softmax over `dim=0`, without taking the largest score away",
        "`dim=-1`, after subtracting the row's maximum",
        "tensor([nan, nan])",
        "0.9220, 1.2970, 1.2788, 0.7974, 0.7540, 0.9508",
        lambda text: _row_sums_of_columns(),
    ),
    Trap(
        "T52",
        "scores divided by their sum",
        "softmax",
        "tensor([ 1.5000, -0.5000])",
        "inf, -inf",
        lambda text: torch.tensor([0.5, -0.5]) / torch.tensor([0.5, -0.5]).sum(),
    ),
    Trap(
        "T53",
        "`keys.T` on a batch",
        "`.transpose(-2, -1)`, or `.mT`",
        "`.T` turns **all** axes round, the batch included",
        "Expected size for first two dimensions of batch2 tensor to be: [2, 2] but got: [2, 6].",
        lambda text: _all_axes_turned(),
    ),
    Trap(
        "T54",
        "a text longer than the mask",
        "a clear error: how many came, how many fit",
        "The size of tensor a (6) must match the size of tensor b (7)",
    ),
    Trap(
        "T55",
        "rows are said to sum to 1 after dropout",
        "only on average",
        "dropout keeps the sum **on average**, and only so",
        "2.0000, 0.0000, 1.4948, 0.9793, 0.3068, 1.5903",
        lambda text: ch09.dropped()[1].sum(dim=-1),
    ),
    Trap(
        "T56",
        "a printed dropout mask taken for the truth",
        "check statistics",
        "So never write a test that expects certain ones",
    ),
    Trap(
        "T57",
        "a batch of two copies of one sequence",
        "two different sequences",
        "A test can only see a mistake that its input can show",
    ),
    Trap(
        "T58",
        "`masked_fill_`, in place: the raw scores are gone",
        "`masked_fill`",
        "writes into the tensor it is given",
    ),
    Trap(
        "T59",
        "the mask is saved in the checkpoint",
        "booleans in a buffer with `persistent=False`",
        "it isn't saved, which is right for a mask",
        "['mask']",
        lambda text: _saved(),
    ),
    Trap(
        "T60",
        "d_out means the width of one head; the result is twice as wide",
        "say `head_size`, and how wide all are together",
        "4 channels: two of head 0, then two of head 1",
        "torch.Size([2, 6, 4])",
        lambda text: ch10.two_heads().shape,
    ),
    Trap(
        "T61",
        "scaled by the root of the embedding's size",
        "by the root of the key's size",
        "The dot product runs over the numbers of a key",
        "0.0601 0.1201",
        lambda text: tuple(_default_variances()[2] / size for size in (32, 16)),
    ),
    Trap(
        "T62",
        "weight matrices all positive, and no gradient",
        "numbers around zero, and training",
        "element 0 of tensors does not require grad",
        "0.0906 0.2264",
        lambda text: (ch06.word_weights().min(), ch06.word_weights().max()),
    ),
    Trap(
        "T63",
        "mask first, then scale: is that wrong?",
        "either order, for a scale above 0",
        "both orders give the same scores, bit for bit",
        "True",
        lambda text: _either_order(),
    ),
    Trap(
        "T68",
        "`float==('-inf')` is a comparison, so the future's scores become 0",
        "`float('-inf')`",
        "more than nine tenths, and earlier outputs move",
        "0.0842, 0.1308, 0.1308, 0.1308, 0.1308, 0.1308, 0.1308, 0.1308",
        lambda text: ch06.float_is_minus_inf()[0, 0],
    ),
    Trap(
        "T69",
        "-inf and softmax are said to normalise a triangle of scores",
        "they cut the softmaxed weights and share them out again",
        "it is the *softmaxed* weights that are cut and shared out again",
        "0.4068, 0.5932",
        lambda text: _triangle(),
    ),
    Trap(
        "T70",
        "self-attention's scores called cross-attention affinities",
        "self-attention: queries and keys from one x",
        "came from the same x: **self-attention**",
    ),
    Trap(
        "T71",
        "the output is called `v`, as the values are",
        "`out`",
        "A cell that uses one name for two things",
    ),
    Trap(
        "T72",
        "the line that prints the weights is commented out",
        "print them: it shows T68 at once",
        "had turned off its last line, the one that prints the weights",
    ),
    Trap(
        "T73",
        "a transpose is shown, its strides are not",
        "the strides change, the numbers stay: a view of that shape is other data",
        "view size is not compatible with input tensor's size and stride",
        "15, 5, 1, 15, 1, 5",
        lambda text: _strides(),
    ),
]
