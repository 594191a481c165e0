"""A checkpoint: a model comes back as it was saved, and the course's own says what it always said."""

import hashlib
from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from attention.checkpoint import CHECKPOINT, load_checkpoint, save_checkpoint
from attention.gpt import Config
from attention.tokenizers import CharTokenizer
from tests.attention.draws import draw_model

pytestmark = pytest.mark.usefixtures("as_a_user")
PLAIN = Config(13, 17, n_layer=2, n_head=6, n_embd=36)
GPT2 = replace(PLAIN, norm="layer", activation="gelu", bias=True, tied=True, qk_norm=False)


TOKENIZER = CharTokenizer("abcdefghijklm")


@pytest.fixture(params=[PLAIN, GPT2], ids=["ours", "GPT-2"])
def saved(request, tmp_path):
    model = draw_model(request.param).half().float()  # as it is stored
    save_checkpoint(model, TOKENIZER, tmp_path / "model.safetensors", loss="1.5")
    return model, tmp_path / "model.safetensors"


def test_a_model_comes_back_as_it_was_saved(saved):
    model, path = saved
    loaded, tokenizer, facts = load_checkpoint(path)
    assert loaded.config == model.config and not loaded.training
    assert tokenizer.vocab == TOKENIZER.vocab and facts == {"loss": "1.5"}
    ids = torch.arange(11)[None]
    assert torch.equal(loaded(ids), model(ids))
    if loaded.config.tied:
        assert loaded.lm_head.weight is loaded.token_embedding.weight


def test_a_file_that_was_cut_off_is_a_sentence(saved):
    _, path = saved
    whole = path.read_bytes()
    for length in (0, 5, 200, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match="expected a whole safetensors file"):
            load_checkpoint(path)


def test_a_foreign_file_is_a_sentence(tmp_path):
    from safetensors.torch import save_file

    path = tmp_path / "model.safetensors"
    torch.save({"weight": torch.zeros(2)}, path)  # a pickle is not read
    with pytest.raises(ValueError, match="expected a whole safetensors file"):
        load_checkpoint(path)
    for metadata in (None, {"config": "{"}, {"config": '{"width": 3}', "alphabet": "ab"}):
        save_file({"weight": torch.zeros(2)}, path, metadata)
        with pytest.raises(ValueError, match="expected a checkpoint of this course"):
            load_checkpoint(path)


def test_a_model_of_another_shape_is_a_sentence(tmp_path):
    path = tmp_path / "model.safetensors"
    model = draw_model(PLAIN)
    model.config = replace(PLAIN, n_embd=48)
    save_checkpoint(model, TOKENIZER, path)
    with pytest.raises(ValueError, match="fit its configuration, but: size mismatch for token"):
        load_checkpoint(path)


SAID = {  # of this text, by the model as it was trained
    "logsumexp": [7.3698, 8.5297, 7.9788, 5.5087, 8.5211, 8.2065, 10.9134, 7.2969, 5.5531, 7.1542],
    "last": [3.5517, 7.4769, 2.8456, -4.9664, -5.9937, 4.9650, 5.5593, 2.2585],
    "weights": [[0.0056, 0.0147, 0.0022, 0.0029], [0.0053, 0.0082, 0.0208, 0.0124], [0.0535, 0.0170, 0.0216, 0.0221]],
}  # fmt: skip


def test_the_courses_own_model_says_what_it_always_said():
    """Its numbers, whatever they are called, and what it computes from them."""
    model, tokenizer, facts = load_checkpoint(CHECKPOINT)
    numbers = b"".join(p.detach().half().numpy().tobytes() for p in model.parameters())
    assert hashlib.sha256(numbers).hexdigest().startswith("057f891d496f810e7728")
    assert facts == {"corpus": "play", "test": "1.3680", "validation": "1.4148"}
    logits, weights = model.forward_with_weights(
        torch.tensor([tokenizer.encode("The king and the wizard")])
    )
    close = dict(atol=1e-4, rtol=0)
    assert_close(logits[0, :10].logsumexp(-1), torch.tensor(SAID["logsumexp"]), **close)
    assert_close(logits[0, -1, :8], torch.tensor(SAID["last"]), **close)
    assert_close(weights[:, 0, :, -1, 0], torch.tensor(SAID["weights"]), **close)
