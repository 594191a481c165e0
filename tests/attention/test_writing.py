"""A GPT writes on from a prompt, and says what is wrong with one."""

import pytest
import torch

from attention.gpt import GPT, Config
from attention.sampling import generate
from attention.tokenizers import CharTokenizer
from attention.writing import stream, write

pytestmark = pytest.mark.usefixtures("as_a_user")
TOKENIZER = CharTokenizer("abcdefg")


@pytest.fixture
def model():
    torch.manual_seed(0)
    model = GPT(Config(7, 5, n_layer=1, n_head=2, n_embd=8, positions="learned", dropout=0.5))
    return model.train()


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def test_it_writes_what_generate_draws_past_the_block_too(model):
    ids = generate(model, torch.tensor([TOKENIZER.encode("bad")]), 20, seeded(), 0.8, 5, top_k=4)
    text = write(model, TOKENIZER, "bad", 20, seeded(), temperature=0.8, top_k=4)
    assert text == TOKENIZER.decode(ids[0]) and len(text) == 23
    assert model.training, "the mode in which it came"


def test_a_stream_draws_when_it_is_asked(model):
    generator = seeded()
    before = generator.get_state()
    letters = stream(model, TOKENIZER, "bad", 20, generator)
    assert torch.equal(generator.get_state(), before)
    assert next(letters) in TOKENIZER.vocab and not torch.equal(generator.get_state(), before)
    assert len(list(letters)) == 19


@pytest.mark.parametrize(
    ("prompt", "how", "message"),
    [
        ("", {}, "prompt: expected 1 to 5 characters .*, got 0; a line break"),
        ("abcdef", {}, r"prompt: .*, got 6; keep the last ones, prompt\[-5:\]"),
        ("abz", {}, "text: expected the 7 characters of the vocabulary, got 'z'"),
        ("ab", dict(top_k=8), "top_k: expected 1 to 7 ids"),
        ("ab", dict(top_p=0), "top_p: expected a number above 0"),
        ("ab", dict(temperature=-1), "temperature: expected 0"),
    ],
)
def test_bad_input_is_a_sentence(model, prompt, how, message):
    with pytest.raises(ValueError, match=message):
        write(model, TOKENIZER, prompt, 3, seeded(), **how)
