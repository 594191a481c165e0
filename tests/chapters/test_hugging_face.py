"""The same weights give the same logits in Hugging Face's GPT-2, whichever way they are moved."""

from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from attention.gpt import GPT, Config
from chapters.ch13.hugging_face import GPT2, from_hugging_face, to_hugging_face
from tests.attention.draws import seeded

CONFIG = Config(13, 17, n_layer=3, n_head=5, n_embd=35, **GPT2)
IDS = torch.randint(13, (2, 11), generator=seeded(0))


@pytest.fixture(scope="module")
def theirs(transformers):
    """A tiny GPT-2 whose configuration is made here; nothing is downloaded."""
    torch.manual_seed(1)
    config = transformers.GPT2Config(
        vocab_size=13, n_positions=17, n_layer=3, n_head=5, n_embd=35, tie_word_embeddings=True,
        activation_function="gelu_new", resid_pdrop=0, embd_pdrop=0, attn_pdrop=0,
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    return with_numbers_everywhere(transformers.GPT2LMHeadModel(config))


def with_numbers_everywhere(model):
    """In float64, with no weight 0 or 1 that would hide a swap."""
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return model.double().eval()


def test_ours_in_their_layout_has_our_logits(theirs):
    torch.manual_seed(0)
    ours = with_numbers_everywhere(GPT(CONFIG))
    theirs.load_state_dict(to_hugging_face(ours.state_dict(), CONFIG))
    assert_close(theirs(IDS).logits, ours(IDS))


def test_theirs_in_our_layout_has_their_logits(theirs):
    with_numbers_everywhere(theirs)
    ours = GPT(CONFIG).double().eval()
    ours.load_state_dict(from_hugging_face(theirs.state_dict(), CONFIG))
    assert_close(ours(IDS), theirs(IDS).logits)


@pytest.mark.usefixtures("as_a_user")
def test_what_is_no_gpt2_is_a_sentence():
    for config, said in (
        (replace(CONFIG, positions="rotary"), "positions='rotary'"),
        (replace(CONFIG, n_kv_head=1), "n_kv_head=1"),
        (replace(CONFIG, bias=False, tied=False), "bias=False, tied=False"),
    ):
        for move in (to_hugging_face, from_hugging_face):
            with pytest.raises(ValueError, match=f"expected one like GPT-2's.*got {said}"):
                move({}, config)
    with pytest.raises(
        ValueError, match="such as token_embedding.weight, got transformer.wte.weight"
    ):
        to_hugging_face({"transformer.wte.weight": torch.zeros(1)}, CONFIG)
    with pytest.raises(
        ValueError, match="such as transformer.wte.weight, got token_embedding.weight"
    ):
        from_hugging_face({"token_embedding.weight": torch.zeros(1)}, CONFIG)
