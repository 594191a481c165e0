"""The same weights give the same logits in Hugging Face's GPT-2, whichever way they are moved."""

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
