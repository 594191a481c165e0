"""The files that people download of GPT-2 give its exact ids and logits.

The GPT-2 here is tiny, with random weights and a vocabulary learned from the play; `transformers` and
`tokenizers` write its files, in the layout that GPT-2 has on the hub.
"""

import json

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from tokenizers import ByteLevelBPETokenizer
from torch.testing import assert_close

from attention.cache import Cache
from attention.corpus import load_corpus
from attention.generation import generate
from chapters.ch13.gpt2_tokenizer import GPT2Tokenizer, as_bytes, as_letters, read_tokenizer
from chapters.ch13.hugging_face import FILES, gpt2_folder, open_gpt2
from tests.attention.test_tokenizers import AWKWARD, texts
from tests.chapters.conftest import cells_of

END = "<|endoftext|>"
N = 96  # positions
HARD = [
    *AWKWARD, "I'll say 'tis they'd've, DON'T", "Ça va? Zoë's naïveté", "🙂🏽👩‍🚀", "a\n\n  b\r\n\tc   ",
    "1234567 ½ Ⅷ ٣", "Ġ Ċ Ń", "\u00a0\u00ad\u2009x", "to be, or not to be:\n that is",
]  # fmt: skip


@pytest.fixture(scope="module")
def hub(tmp_path_factory, transformers):
    """A folder with the four files: names without a prefix, no head, and the masks among the weights."""
    folder = tmp_path_factory.mktemp("data") / "gpt2"
    folder.mkdir()
    learned = ByteLevelBPETokenizer()
    learned.train_from_iterator([load_corpus()[:30_000]], 512, 1, False, [END])
    learned.save_model(str(folder))
    config = transformers.GPT2Config(vocab_size=512, n_positions=N, n_layer=3, n_head=5, n_embd=35)
    torch.manual_seed(0)
    model = transformers.GPT2Model(config)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(folder)
    masks = {f"h.{i}.attn.bias": torch.ones(N, N).tril()[None, None] for i in range(3)}
    state = load_file(folder / "model.safetensors")
    assert "wte.weight" in state and "lm_head.weight" not in state
    save_file(state | masks, folder / "model.safetensors", {"format": "pt"})
    return folder


@pytest.fixture(scope="module")
def theirs(hub, transformers):
    """How `transformers` opens the same folder."""
    model = transformers.GPT2LMHeadModel.from_pretrained(hub).eval()
    return model, transformers.GPT2Tokenizer(str(hub / "vocab.json"), str(hub / "merges.txt"))


@pytest.fixture(scope="module")
def tokenizers(hub, theirs):
    return read_tokenizer(hub), theirs[1]


def their_ids(tokenizer, text):
    return tokenizer(text, add_special_tokens=False)["input_ids"]


@pytest.mark.parametrize("text", HARD)
def test_ids_equal_those_of_transformers(tokenizers, text):
    ours, theirs = tokenizers
    assert ours.encode(text, special=True) == their_ids(theirs, text)
    assert ours.decode(ours.encode(text)) == text


@given(st.one_of(texts, st.text("tlsdmrev 'é🙂\n", max_size=40)))
def test_ids_equal_those_of_transformers_on_any_text(tokenizers, text):
    ours, theirs = tokenizers
    assert ours.encode(text, special=True) == their_ids(theirs, text)


def test_the_bytes_have_the_order_of_the_vocabulary(tokenizers, hub):
    ours, _ = tokenizers
    vocab = json.loads((hub / "vocab.json").read_text())
    assert ours.vocab_size == len(vocab) == 512
    assert ours.encode(END, special=True) == [vocab[END]] == [0]
    assert ours.encode(END)[0] != 0
    for letters, i in vocab.items():
        if letters != END:
            assert ours.decode([i]) == as_bytes(letters).decode(errors="replace")
            assert as_letters(as_bytes(letters)) == letters


def test_logits_equal_those_of_transformers(hub, theirs):
    model, tokenizer = open_gpt2(hub)
    ids = torch.tensor([tokenizer.encode(load_corpus()[:200])[:48]])
    assert ids.shape == (1, 48)
    with torch.no_grad():
        wanted = theirs[0](ids).logits
        assert_close(model(ids), wanted, atol=1e-4, rtol=0)
        caches = [Cache(48) for _ in model.blocks]
        parts = [model(part, caches) for part in (ids[:, :30], *ids[:, 30:].split(1, dim=1))]
    assert_close(torch.cat(parts, dim=1), wanted, atol=1e-4, rtol=0)


def test_it_writes_what_transformers_writes(hub, theirs):
    model, tokenizer = open_gpt2(hub)
    ids = torch.tensor([tokenizer.encode("My dear,")])
    caches = [Cache(48) for _ in model.blocks]
    ours = generate(model, ids, 30, torch.Generator(), 0.0, caches=caches)
    wanted = theirs[0].generate(ids, max_new_tokens=30, do_sample=False, pad_token_id=0)
    assert ours.tolist()[0][: wanted.shape[1]] == wanted.tolist()[0]  # theirs stops at an END
    assert wanted.shape[1] == ids.shape[1] + 30


def test_the_folder_is_found_where_its_files_are(hub, monkeypatch, tmp_path):
    monkeypatch.setenv("ATTENTION_DATA", str(hub.parent))
    assert gpt2_folder() == hub
    monkeypatch.setenv("COURSE_STORED", "1")  # a stored output doesn't depend on it
    assert gpt2_folder() is None
    monkeypatch.delenv("COURSE_STORED")
    monkeypatch.setenv("ATTENTION_DATA", str(tmp_path))
    assert gpt2_folder() is None
    (tmp_path / "gpt2").mkdir()
    for name in FILES[1:]:
        (tmp_path / "gpt2" / name).touch()
    assert gpt2_folder() is None  # one is missing


def test_the_cell_of_the_page_writes_with_it_or_says_what_to_download(hub, monkeypatch, capsys):
    [cell] = [cell for cell in cells_of("13_a_small_gpt.ipynb") if cell.id == "gpt2-writes"]
    for folder, says in ((hub.parent, "Your journey starts with one"), (hub, "GPT-2 isn't here.")):
        monkeypatch.setenv("ATTENTION_DATA", str(folder))
        exec(cell.source, {"torch": torch, "seed": 1337})
        printed = capsys.readouterr().out
        assert printed.startswith(says) and len(printed) > len(says) + 50
    assert all(name in printed for name in FILES)
    assert cell.outputs[0].text == printed


def test_a_model_computed_otherwise_is_a_sentence(hub, tmp_path):
    about = json.loads((hub / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(about | {"activation_function": "relu"}))
    with pytest.raises(ValueError, match="expected activation_function 'gelu_new' .* got 'relu'"):
        open_gpt2(tmp_path)


def test_the_ids_after_the_bytes_are_those_of_the_merges():
    vocab = {as_letters(bytes([byte])): byte for byte in range(256)}
    assert GPT2Tokenizer(vocab | {"Ġt": 256}, ["Ġ t"]).encode(" t") == [256]
