"""What `attention` refuses, in one table: the call, and what the ValueError says."""

import importlib
import inspect
import pkgutil

import pytest
import torch
from torch import nn

import attention
from attention.averaging import mean_past_tril
from attention.batches import cut_blocks, get_batch, split
from attention.bigram import BigramLanguageModel, bigram_counts
from attention.bpe import split_pieces
from attention.bpe_tokenizer import BPETokenizer
from attention.cache import Cache
from attention.causal import CausalAttention
from attention.corpus import load_corpus
from attention.fitting import fit, warm_up_and_cosine
from attention.generation import generate, write
from attention.gpt import GPT, MLP, Block, CausalSelfAttention, Config
from attention.heads import Head, attention_scores, attention_weights, scaled_dot_product_attention
from attention.masks import causal_mask, padding_mask, sink_mask, window_mask
from attention.multi_head import MultiHeadAttention, split_heads
from attention.positions import alibi_bias, alibi_slopes, rotary_angles, rotate, sinusoidal
from attention.properties import leaks_by
from attention.sampling import next_probabilities, sample
from attention.tokenizers import CharTokenizer, checked_ids
from attention.training import cross_entropy, evaluate, train

pytestmark = pytest.mark.usefixtures("as_a_user")
IDS, EIGHT, ROW = torch.arange(3)[None], torch.arange(8), torch.zeros(1, 4)
SIZES = dict(n_steps=3, batch_size=2, block_size=2, learning_rate=0.1)
ONE, NAN = nn.Identity(), float("nan")
POSITIONS = "positions: expected one of alibi, learned, none, rotary, sinusoidal, got 'rotry'; did you mean 'rotary'?"
NORMS = "norm: expected one of layer, none, rms, got 'rmss'; did you mean 'rms'?"
ACTIVATIONS = "activation: expected one of gelu, relu, relu2, got 'tanh'; write one of these"


def zeros(*shape):
    return torch.zeros(shape)


def made(**changes):
    return GPT(Config(9, 5, **(dict(n_layer=2, n_head=2, n_embd=8) | changes)))


def seeded():
    return torch.Generator().manual_seed(0)


def trained(call=train, ids=(EIGHT,), **changes):
    return call(BigramLanguageModel(8), *ids, generator=seeded(), **(SIZES | changes))


def written(prompt="ab", **how):
    return write(made(), CharTokenizer("abcdefghi"), prompt, 3, seeded(), **how)


def continued(ids=IDS, n_new=4, model=None, **how):
    return generate(model or made(), ids, n_new, seeded(), **how)


NAMES = {  # a parameter that is a choice among names: a call with another name, what it says
    (CausalSelfAttention, "positions"): (lambda: CausalSelfAttention(36, 6, positions="rotry"), POSITIONS),
    (Config, "positions"): (lambda: Config(5, 8, positions="rotry"), POSITIONS),
    (Config, "norm"): (lambda: Config(5, 8, norm="rmss"), NORMS),
    (Config, "activation"): (lambda: Config(5, 8, activation="tanh"), ACTIVATIONS),
    (MLP, "activation"): (lambda: MLP(12, "tanh"), ACTIVATIONS),
    (Block, "norm"): (lambda: Block(ONE, ONE, 12, "rmss"), NORMS),
}  # fmt: skip
REFUSED = [
    (lambda: CharTokenizer("abc").encode("abé"), "got 'é' (U+00E9) at position 2; build"),
    (lambda: CharTokenizer(""), "text: expected at least one character, got none"),
    (lambda: split_pieces("abc", "[ab]"), "got one that matches 2, '[ab]'; add"),
    (lambda: BPETokenizer.train("text", 257, ["<a>", "<b>"]), "at least 258 (256 bytes and 2 special tokens), got 257"),
    (lambda: BPETokenizer.train("ab ab", 300), "at most 258 (this text gives no more tokens), got 300"),
    (lambda: BPETokenizer.train("", 257), "at most 256 "),
    (lambda: BPETokenizer.train("a 👋\ud83d", 256), "position 3: surrogates"),
    (lambda: BPETokenizer([]).encode("a 👋\ud83d"), "position 3: surrogates"),
    (lambda: BPETokenizer.train("ab", 300, "<a>"), "and none empty, got ['<', 'a', '>']"),
    (lambda: BPETokenizer([], ["<a>", "<a>"]), "all different and none empty, got ['<a>', '<a>']"),
    (lambda: BPETokenizer([], [""]), "all different and none empty, got ['']"),
    (lambda: BPETokenizer([(97, 256)]), "merge 0: expected integers from 0 to 255, got 256 at position 1"),
    *[(lambda f=f: split(EIGHT, f), "a number between 0 and 1 that leaves some of the") for f in (0, 1, -0.5, 1.5, 0.01)],
    *[(lambda s=s: cut_blocks(EIGHT, torch.tensor([0, s]), 3), f"its targets reach one further), got {s}") for s in (-1, 5, 1078327)],
    (lambda: cut_blocks(EIGHT, torch.tensor([0]), 0), "block_size: expected 1 or more positions, got 0"),
    (lambda: cut_blocks(zeros(8), torch.tensor([0]), 2), "expected a 1-D tensor of integers, got torch.float32"),
    (lambda: get_batch(EIGHT, 2, 8, seeded()), "the target of its last position), got 8"),
    (lambda: get_batch(EIGHT, 0, 2, seeded()), "batch_size: expected 1 or more sequences, got 0"),
    (lambda: get_batch(EIGHT.view(2, 4), 2, 2, seeded()), "expected a 1-D tensor of integers, got torch.int64 of shape (2, 4)"),
    (lambda: BigramLanguageModel(5)(EIGHT), "batch of shape (B, T), got (8,)"),
    *[(lambda i=i: bigram_counts(torch.tensor(i), 5), "at least two ids from 0 to 4") for i in ([1], [1, 5], [1, -1])],
    *[(lambda x=x: mean_past_tril(x), "x: expected floating-point numbers of shape (B, T, C)") for x in (IDS[None], zeros(4), zeros(1, 0, 2))],
    (lambda: causal_mask(0), "n_positions: expected 1 or more positions, got 0"),
    (lambda: causal_mask(3, 4), "n_queries: expected 1 to 3 (all positions), got 4"),
    (lambda: window_mask(3, 0), "window: expected 1 or more positions, got 0"),
    (lambda: sink_mask(3, 2, -1), "sinks: expected 0 or more positions, got -1"),
    (lambda: padding_mask(torch.tensor([0, 2]), 3), "numbers from 1 to 3, got [0, 2]"),
    (lambda: padding_mask(torch.tensor([4]), 3), "numbers from 1 to 3, got [4]"),
    (lambda: padding_mask(IDS, 3), "one number for each sequence, (B,), got (1, 3)"),
    (lambda: attention_scores(zeros(2, 3), zeros(2, 5)), "vectors of one size, got 3 and 5"),
    (lambda: scaled_dot_product_attention(zeros(2, 2, 3), zeros(2, 4, 3), zeros(2, 5, 3)), "a value for every key, got 4 keys and 5 values"),
    (lambda: Head(3, 5)(zeros(2, 4)), "x: expected vectors of size 3, got shape (2, 4)"),
    (lambda: Head(3, 5, memory_size=7)(zeros(2, 3), zeros(2, 3)), "memory: expected vectors of size 7"),
    (lambda: attention_weights(zeros(2, 2), zeros(2, 2)), "mask: expected booleans, True where a query attends to a key, got torch"),
    (lambda: attention_weights(zeros(2, 2), torch.eye(2).bool() & (EIGHT[:2] < 1)), "expected a key to attend to in every row, got none in row [1]"),
    (lambda: attention_weights(zeros(3, 2, 2), zeros(3, 1, 1, 2).bool()), "at most the 3 axes of the scores, (3, 2, 2), got (3, 1, 1, 2)"),
    *[(lambda p=p: CausalAttention(3, 2, 5, dropout=p), f"from 0 to below 1, got {p}") for p in (1.0, -0.1)],
    (lambda: CausalAttention(3, 2, 0), "expected 1 or more positions, got 0"),
    (lambda: CausalAttention(3, 2, 6)(zeros(1, 7, 3)), "x: expected at most 6 positions (the block size), got 7"),
    (lambda: CausalAttention(3, 2, 6)(zeros(7, 3)), "x: expected shape (B, T, 3), got (7, 3)"),
    (lambda: CausalAttention(3, 2, 6)(zeros(1, 6, 4)), "x: expected shape (B, T, 3), got (1, 6, 4)"),
    (lambda: MultiHeadAttention(4, 2, 6)(zeros(1, 7, 4)), "x: expected at most 6 positions"),
    (lambda: MultiHeadAttention(10, 3, 5), "n_head: expected a number that divides n_embd = 10, got 3"),
    (lambda: MultiHeadAttention(10, 0, 5), "n_head: expected a number that divides n_embd = 10, got 0"),
    (lambda: split_heads(zeros(1, 2, 10), 3), "n_head: expected a number that divides n_embd = 10, got 3"),
    *[(lambda c=c: leaks_by(ONE, zeros(1, 4, 2), c), f"so that there is a past and a future, got {c}") for c in (0, 4)],
    (lambda: cross_entropy(zeros(2, 3, 7), zeros(2, 4).long()), "got (2, 3, 7) and (2, 4)"),
    (lambda: cross_entropy(zeros(0, 5, 7), zeros(0, 5).long()), "targets: expected at least one, got the shape (0, 5)"),
    (lambda: cross_entropy(zeros(2, 5, 7), torch.full((2, 5), 6), padding=6), "one that is not padding (6), got none of 10"),
    (lambda: trained(n_steps=0), "n_steps: expected 1 or more, got 0"),
    (lambda: evaluate(BigramLanguageModel(8), EIGHT, 8), "ids: expected at least 9"),
    *[(lambda t=t: next_probabilities(zeros(1, 3), t), f"(always the likeliest id) or more, got {t}") for t in (-0.1, NAN, float("inf"))],
    *[(lambda k=k: next_probabilities(ROW, top_k=k), f"top_k: expected 1 to 4 ids (the vocabulary), got {k}") for k in (0, -1, 5)],
    *[(lambda p=p: next_probabilities(ROW, top_p=p), f"top_p: expected a number above 0 and up to 1, got {p}") for p in (0, -0.1, 1.1, NAN)],
    *[(lambda r=r: sample(torch.tensor([[0.5, 0.5], r]), seeded()), f"got a sum of {sum(r):.4f} in row 1") for r in ([0.5, 0.2], [1.5, -0.5], [NAN, 1])],
    (lambda: continued(zeros(1, 0).long()), "at least one position to go on from, got (1, 0)"),
    (lambda: continued(n_new=-1), "n_new: expected 0 or more ids to add, got -1"),
    *[(lambda b=b: continued(block_size=b), f"block_size: expected 1 or more positions, got {b}") for b in (0, -3)],
    (lambda: continued(caches=[Cache(9)]), "caches: expected 2 that are empty, one for each block, got 1"),
    (lambda: continued(caches=[Cache(5), Cache(5)]), "at most 5 positions (its capacity), got 5 kept and 1 new"),
    (lambda: continued(model=made(positions="learned"), caches=[Cache(9), Cache(9)]), "at most 5 positions (the block size), got 6"),
    (lambda: written(""), "prompt: expected at least one character, got none; to start from nothing, pass a line break"),
    (lambda: written("abz"), "text: expected the 9 characters of the vocabulary, got 'z'"),
    (lambda: written(temperature=-1), "temperature: expected 0"),
    (lambda: rotary_angles(EIGHT, 5), "an even number, since channels rotate in pairs, got 5"),
    (lambda: rotary_angles(EIGHT, 0), "an even number, since channels rotate in pairs, got 0"),
    (lambda: sinusoidal(3, 5), "expected an even number, since channels rotate in pairs, got 5"),
    (lambda: rotary_angles(EIGHT, 4, base=0.0), "base: expected a number above 0"),
    (lambda: rotate(zeros(3, 4), zeros(4, 2)), "one for each position and pair of channels, (3, 2), got (4, 2)"),
    (lambda: alibi_slopes(0), "n_head: expected 1 or more heads, got 0"),
    *[(lambda n=n: alibi_bias(2, n, 3), f"at the position of a key, got {n} and 3") for n in (0, 4)],
    (lambda: Cache(0), "capacity: expected 1 or more positions, got 0"),
    (lambda: CausalSelfAttention(36, 5), "n_head: expected a number that divides n_embd = 36, got 5"),
    (lambda: CausalSelfAttention(36, 6, 4), "n_kv_head: expected a number that divides n_head = 6, got 4"),
    (lambda: CausalSelfAttention(36, 6, 0), "n_kv_head: expected a number that divides n_head = 6, got 0"),
    (lambda: CausalSelfAttention(15, 5, positions="rotary"), "an even number, since channels rotate in pairs, got 3"),
    (lambda: Config(9, 0), "block_size: expected 1 or more, got 0"),
    (lambda: made(positions="learned")(EIGHT[None]), "ids: expected at most 5 positions (the block size), got 8"),
    (lambda: fit(made(), None, None, learning_rate=1.0, n_steps=1, eval_every=0), "eval_every: expected 1 or more steps, got 0"),
    (lambda: fit(made(), None, None, learning_rate=1.0, n_steps=0), "n_steps: expected 1 or more, got 0"),
    *[(lambda w=w: warm_up_and_cosine(0, 12, w), f"fewer than the 12 of the training, got {w}") for w in (12, -1)],
]  # fmt: skip


@pytest.mark.parametrize(("call", "says"), REFUSED, ids=[says[:40] for _, says in REFUSED])
def test_what_can_not_be_is_refused(call, says):
    with pytest.raises(ValueError) as refused:
        call()
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("call", "says"), NAMES.values(), ids=[f"{part.__name__}-{name}" for part, name in NAMES]
)
def test_a_name_that_is_not_there_is_refused(call, says):
    with pytest.raises(ValueError) as refused:
        call()
    assert str(refused.value) == says


def chosen_by_name():
    """Every parameter of `attention` whose default is a word."""
    for found in pkgutil.iter_modules(attention.__path__, "attention."):
        module = importlib.import_module(found.name)
        for part in vars(module).values():
            if callable(part) and getattr(part, "__module__", "") == found.name:
                for name, parameter in inspect.signature(part).parameters.items():
                    if isinstance(parameter.default, str) and parameter.default.isidentifier():
                        yield part, name


def test_every_choice_is_tried():
    others = {(load_corpus, "name"), (checked_ids, "name")}  # a path, and for the message
    assert set(chosen_by_name()) == NAMES.keys() | others
