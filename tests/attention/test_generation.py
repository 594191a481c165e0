"""A model writes: the last position decides, a cache changes nothing, and text comes out."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from attention.cache import Cache
from attention.generation import generate, stream, write
from attention.gpt import GPT, POSITIONS, Config
from attention.tokenizers import CharTokenizer
from tests.attention.draws import draw_ids, draw_model, seeded

pytestmark = pytest.mark.usefixtures("as_a_user")
V = 13
PLAIN = Config(V, 512, n_layer=2, n_head=4, n_embd=24)
KINDS = {kind: replace(PLAIN, positions=kind) for kind in POSITIONS}
KINDS |= {"two kv heads": replace(PLAIN, n_kv_head=2), "one": replace(PLAIN, n_kv_head=1)}


class NextIsOneMore(nn.Module):
    """Sure that id + 1 follows, modulo 7; each position says so for itself."""

    def __init__(self):
        super().__init__()
        self.longest = 0

    def forward(self, ids):
        self.longest = max(self.longest, ids.shape[1])
        return 100.0 * nn.functional.one_hot((ids + 1) % 7, 7).float()


def test_the_last_position_decides():
    ids = generate(NextIsOneMore(), torch.tensor([[3, 0, 5], [1, 1, 2]]), 4, seeded())
    assert ids.tolist() == [[3, 0, 5, 6, 0, 1, 2], [1, 1, 2, 3, 4, 5, 6]]


def test_the_context_is_cropped_to_the_block():
    model = NextIsOneMore()
    ids = generate(model, torch.tensor([[0]]), 20, seeded(), block_size=5)
    assert model.longest == 5
    assert ids.tolist() == [[i % 7 for i in range(21)]]  # the newest positions are kept


@pytest.mark.parametrize("training", [True, False])
def test_generation_evaluates_and_leaves_the_mode_as_it_was(training):
    class Forgets(NextIsOneMore):
        def forward(self, ids):
            assert not self.training
            if len(ids) > 1:
                raise RuntimeError("too many")
            return super().forward(ids)

    model = Forgets().train(training)
    assert generate(model, torch.tensor([[3]]), 2, seeded()).tolist() == [[3, 4, 5]]
    assert model.training == training
    with pytest.raises(RuntimeError):
        generate(model, torch.tensor([[3], [4]]), 2, seeded())
    assert model.training == training


def test_the_input_is_left_as_it_was():
    ids = torch.tensor([[1, 2]])
    assert generate(NextIsOneMore(), ids, 3, seeded()).shape == (1, 5)
    assert ids.tolist() == [[1, 2]]
    assert generate(NextIsOneMore(), ids, 0, seeded()).tolist() == [[1, 2]]


def test_generate_draws_from_what_is_kept():
    class Flat(nn.Module):
        def forward(self, ids):
            return torch.arange(7.0).expand(*ids.shape, 7)

    for kept in (dict(top_k=2), dict(top_p=0.8)):
        new = generate(Flat(), torch.zeros(20, 1).long(), 5, seeded(), **kept)[:, 1:]
        assert set(new.flatten().tolist()) == {5, 6}


def test_the_models_own_probabilities_are_drawn_from_unless_told():
    model, ids = draw_model(PLAIN), draw_ids(20, 3)
    assert torch.equal(generate(model, ids, 9, seeded()), generate(model, ids, 9, seeded(), 1.0))


def cached(model, ids, n_new, *how, **more):
    caches = [Cache(ids.shape[1] + n_new) for _ in model.blocks]
    return generate(model, ids, n_new, *how, caches=caches, **more)


@pytest.mark.parametrize("length", [1, 7])
@pytest.mark.parametrize("temperature", [0, 0.7])
@pytest.mark.parametrize("kind", KINDS)
def test_with_a_cache_it_writes_the_same(kind, temperature, length):
    model, ids = draw_model(KINDS[kind]), draw_ids(2, length)
    written = cached(model, ids, 40, seeded(), temperature, top_k=5)
    assert torch.equal(written, generate(model, ids, 40, seeded(), temperature, top_k=5))
    assert torch.equal(cached(model, ids, 0, seeded()), ids)


def test_every_position_is_read_once():
    model, read = draw_model(PLAIN), []
    model.token_embedding.register_forward_hook(
        lambda layer, given, out: read.append(given[0].shape[1])
    )
    cached(model, draw_ids(2, 7), 4, seeded())
    assert read == [7, 1, 1, 1]


def test_a_used_cache_is_refused():
    model, caches = draw_model(PLAIN), [Cache(50), Cache(50)]
    generate(model, draw_ids(2, 3), 2, seeded(), caches=caches)
    with pytest.raises(ValueError, match=r"have seen \[4, 4\] positions"):
        generate(model, draw_ids(2, 3), 2, seeded(), caches=caches)


TOKENIZER = CharTokenizer("abcdefg")


@pytest.fixture
def writer():
    torch.manual_seed(0)
    model = GPT(Config(7, 5, n_layer=1, n_head=2, n_embd=8, positions="learned", dropout=0.5))
    return model.train()


def test_it_writes_what_generate_draws_past_the_block_too(writer):
    ids = generate(writer, torch.tensor([TOKENIZER.encode("bad")]), 20, seeded(), 0.8, 5, top_k=4)
    text = write(writer, TOKENIZER, "bad", 20, seeded(), temperature=0.8, top_k=4)
    assert text == TOKENIZER.decode(ids[0]) and len(text) == 23
    assert writer.training, "the mode in which it came"
    assert (
        write(writer, TOKENIZER, "abcdef" + "bad", 2, seeded(), temperature=0)[9:]
        == write(writer, TOKENIZER, "efbad", 2, seeded(), temperature=0)[5:]
    ), "of a long prompt the last characters are read"


def test_a_stream_draws_when_it_is_asked(writer):
    generator = seeded()
    before = generator.get_state()
    letters = stream(writer, TOKENIZER, "bad", 20, generator)
    assert torch.equal(generator.get_state(), before)
    assert next(letters) in TOKENIZER.vocab and not torch.equal(generator.get_state(), before)
    assert len(list(letters)) == 19
