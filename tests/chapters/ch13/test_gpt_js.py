"""The GPT that runs in a page, against the one in torch: logits and the weights of every head."""

import base64
import random
from contextlib import ExitStack

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from attention.checkpoint import CHECKPOINT, STORIES, load_checkpoint, save_checkpoint
from attention.corpus import load_corpus
from attention.gpt import GPT, POSITIONS, Config
from attention.tokenizers import CharTokenizer
from chapters.ch14.interventions import ablated
from course.draw.parts import parts
from tests.browser import watched

pytestmark = pytest.mark.browser

OPEN = """file => {
    const mind = courseLive.gpt.read(Uint8Array.from(atob(file), (c) => c.charCodeAt(0)));
    window.read = { mind, look: courseLive.gpt.reader(mind) };
}"""
LOOK = """([text, off]) => {
    const { ids, unknown, known } = courseLive.gpt.encode(read.mind, text);
    const { logits, maps } = read.look(ids, off);
    const numbers = new Float64Array([...logits, ...maps.flat(2)].flatMap((row) => [...row]));
    const bytes = Array.from(new Uint8Array(numbers.buffer), (byte) => String.fromCharCode(byte));
    return { ids, unknown, known, numbers: btoa(bytes.join("")) };
}"""


@pytest.fixture(scope="module")
def page(chrome):
    page, errors, outside = watched(chrome)
    for path in parts(["gpt"]):
        if path.suffix == ".js":
            page.add_script_tag(path=path)
    yield page
    assert not errors and not outside


def agrees(page, model, tokenizer, text, rtol=0.0):
    """What the page computes of a text, and that torch computes the same."""
    seen = page.evaluate(LOOK, [text, []])
    known = "".join(c for c in text if c in tokenizer.vocab)
    ids = tokenizer.encode(known)[-model.config.block_size :]
    assert seen["ids"] == ids and seen["known"] == len(known)
    assert seen["unknown"] == list(dict.fromkeys(c for c in text if c not in tokenizer.vocab))
    if not ids:
        assert seen["numbers"] == ""
        return seen
    return computed(seen, model, ids, rtol)


def computed(seen, model, ids, rtol=0.0):
    """That the numbers of a page are those of torch."""
    numbers = torch.frombuffer(bytearray(base64.b64decode(seen["numbers"])), dtype=torch.float64)
    logits, maps = model.forward_with_weights(torch.tensor([ids]))
    past = torch.ones(len(ids), len(ids)).tril().bool()  # the page has no cells of the future
    there = torch.cat([logits[0].flatten(), *(head[past] for head in maps[:, 0].flatten(0, 1))])
    torch.testing.assert_close(numbers, there.double(), atol=1e-4, rtol=rtol)
    return seen


def texts(vocab, block_size, many):
    """So many: of every length, of the play and of any characters, known or not, and edited."""
    luck, play = random.Random(14), load_corpus("play")
    assert vocab[0] == "\n"
    made = ["", "a", "\n", "é", "12", "the king and the ki", "x" * block_size, "ab" * block_size]
    made += [play[9 * n : 10 * n] for n in range(1, block_size + 1, 400 // many)]
    while len(made) < many - 10:
        length = luck.randint(1, block_size)
        made.append("".join(luck.choices(vocab, k=length)))
        made.append(
            "".join(luck.choices([*vocab, "0", "é", "😀"], k=luck.randint(1, 2 * block_size)))
        )
        before = luck.choice(made)  # the page begins where a text differs from the last
        place = luck.randint(0, len(before))
        made += [before, before[:place] + luck.choice(vocab) + before[place:], before[:place]]
    return [*made, *(play[99 : 99 + block_size + n] for n in range(many - len(made)))]


@pytest.mark.parametrize("many", [40, pytest.param(200, marks=pytest.mark.weekly)])
def test_any_text_has_torchs_logits_and_maps(page, many):
    model, tokenizer, _ = load_checkpoint(CHECKPOINT)
    page.evaluate(OPEN, base64.b64encode(CHECKPOINT.read_bytes()).decode())
    made = texts(tokenizer.vocab, model.config.block_size, many)
    lengths = {len(agrees(page, model, tokenizer, text)["ids"]) for text in made}
    assert len(made) == many and {0, 1, 128} < lengths and len(lengths) > 0.4 * many


WORDS = "Once there was a kite Mira flew and a lamp Omar lit. They lived by the lake with a dog called Pip."


def test_a_model_of_words_reads_as_torch_does(page, trained):
    model, tokenizer = trained
    page.evaluate(OPEN, base64.b64encode(STORIES.read_bytes()).decode())
    assert page.evaluate("read.mind.vocab") == [tokenizer.decode([i]) for i in range(491)]
    for text in (WORDS, f"\n{WORDS} Soon  the", "Hé, zebra's 12 kites?\n\n", WORDS * 6, " a"):
        seen, ids = page.evaluate(LOOK, [text, []]), tokenizer.encode(text)
        assert seen["known"] == len(ids)
        computed(seen, model, ids[-model.config.block_size :])
        assert seen["ids"] == ids[-model.config.block_size :]
    assert page.evaluate(LOOK, ["Once a zebra sang", []])["unknown"] == [" zebra", " sang"]


def test_a_head_that_is_off_gives_nothing(page, trained):
    model, tokenizer = trained
    page.evaluate(OPEN, base64.b64encode(STORIES.read_bytes()).decode())
    ids = tokenizer.encode(WORDS)
    for off in ([[0, 1]], [], [[1], [0, 0], [0, 1]], [[0, 1]]):
        with ExitStack() as heads:
            for layer, row in enumerate(off):
                for head in (h for h, is_off in enumerate(row) if is_off):
                    heads.enter_context(ablated(model, layer, head))
            computed(page.evaluate(LOOK, [WORDS, off]), model, ids)


CONFIGS = {
    **{name: {"positions": name} for name in POSITIONS},
    "gpt-2": dict(positions="learned", norm="layer", activation="gelu", bias=True, tied=True, qk_norm=False),
    "shared keys": dict(n_kv_head=2, qk_norm=False, activation="relu"),
    "alibi, six heads": dict(positions="alibi", n_head=6, n_kv_head=3, n_embd=30),
    "no norm, odd": dict(norm="none", positions="none", n_head=1, n_embd=7, bias=True),
}  # fmt: skip


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("wide", (False, True))
def test_every_choice_of_a_config(page, tmp_path, name, wide):
    tokenizer = CharTokenizer("The wizard sees a king.")
    sizes = {"n_layer": 2, "n_head": 4, "n_embd": 24}
    model = GPT(Config(tokenizer.vocab_size, 11, **sizes | CONFIGS[name]))
    with torch.no_grad():
        for p in model.parameters():  # untrained, its blocks add nothing
            p += 0.3 * torch.randn_like(p)
    path = tmp_path / "mine.safetensors"
    save_checkpoint(model, tokenizer, path)
    if wide:  # 32 bits a number, as other programs write them
        with safe_open(path, framework="pt") as file:
            about = file.metadata()
        names = set(model.state_dict()) - ({"lm_head.weight"} if model.config.tied else set())
        save_file({name: model.state_dict()[name].clone() for name in names}, path, about)
    model, tokenizer, _ = load_checkpoint(path)
    page.evaluate(OPEN, base64.b64encode(path.read_bytes()).decode())
    for text in ("T", "Thesees a k", "The wizard sees a king.", "The wizzard", ""):
        agrees(page, model, tokenizer, text, rtol=1e-5)  # without norms, some numbers are large
