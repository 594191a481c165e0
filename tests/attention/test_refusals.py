"""A choice of `attention` that is given by a name refuses one that isn't there, and says which are."""

import importlib
import inspect
import pkgutil

import pytest
import torch
from torch import nn

import attention
from attention.corpus import load_corpus
from attention.gpt import MLP, Block, CausalSelfAttention, Config
from chapters.ch12.depth import WiredBlock, residual_wiring
from chapters.ch14.attention_only import AttentionOnly

ONE = nn.Identity()
NORMS = "norm: expected one of layer, none, rms, got 'rmss'; did you mean 'rms'?"
PLACES = "place: expected one of after, before, none, got 'behind'; write one of these"
POSITIONS = (
    "positions: expected one of alibi, learned, none, rotary, sinusoidal, got 'rotry'; "
    "did you mean 'rotary'?"
)
ACTIVATIONS = "activation: expected one of gelu, relu, relu2, got 'tanh'; write one of these"
REFUSED = {  # function or class and parameter: a call with a name that isn't there, what it says
    (CausalSelfAttention, "positions"): (
        lambda: CausalSelfAttention(36, 6, positions="rotry"),
        POSITIONS,
    ),
    (Config, "positions"): (lambda: Config(5, 8, positions="rotry"), POSITIONS),
    (Config, "norm"): (lambda: Config(5, 8, norm="rmss"), NORMS),
    (Config, "activation"): (lambda: Config(5, 8, activation="tanh"), ACTIVATIONS),
    (MLP, "activation"): (lambda: MLP(12, "tanh"), ACTIVATIONS),
    (Block, "norm"): (lambda: Block(ONE, ONE, 12, "rmss"), NORMS),
    (AttentionOnly, "norm"): (lambda: AttentionOnly(ONE, 12, "rmss"), NORMS),
    (WiredBlock, "place"): (lambda: WiredBlock(ONE, ONE, 12, place="behind"), PLACES),
    (residual_wiring, "place"): (
        lambda: residual_wiring(torch.ones(1, 2, 3), ONE, ONE, place="behind"),
        PLACES,
    ),
}
OTHERS = {  # a name that is no choice among a few
    (load_corpus, "name"),  # is a path, if it is none of the two
    (importlib.import_module("attention.tokenizers").checked_ids, "name"),  # is for the message
}


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
    ours = {key for key in REFUSED if key[0].__module__.startswith("attention.")}
    assert set(chosen_by_name()) == ours | OTHERS


@pytest.mark.parametrize(
    ("call", "says"), REFUSED.values(), ids=[f"{part.__name__}-{name}" for part, name in REFUSED]
)
def test_a_name_that_is_not_there_is_refused(call, says):
    with pytest.raises(ValueError) as refused:
        call()
    assert str(refused.value) == says
