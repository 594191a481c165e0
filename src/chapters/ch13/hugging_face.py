"""Weights in Hugging Face's layout of GPT-2, and back: the same numbers under other names.

GPT-2 is a `Config` with learned positions, layer norms, GELU, biases and one table for the characters
that come in and go out (Radford et al., 2019). Its file stores each Linear's weight as (in, out), the
other way round than `nn.Linear`, and the first axis of ours is the last of theirs.
"""

import re
from collections.abc import Mapping

from torch import Tensor

from attention.gpt import Config

GPT2 = {
    "positions": "learned",
    "norm": "layer",
    "activation": "gelu",
    "qk_norm": False,
    "bias": True,
    "tied": True,
}
NAMES = {
    "token": "transformer.wte",
    "position": "transformer.wpe",
    "blocks.{}.before_attention": "transformer.h.{}.ln_1",
    "blocks.{}.attention.qkv": "transformer.h.{}.attn.c_attn",
    "blocks.{}.attention.out": "transformer.h.{}.attn.c_proj",
    "blocks.{}.before_perceptron": "transformer.h.{}.ln_2",
    "blocks.{}.perceptron.wide": "transformer.h.{}.mlp.c_fc",
    "blocks.{}.perceptron.out": "transformer.h.{}.mlp.c_proj",
    "norm": "transformer.ln_f",
    "logits": "lm_head",
}


def to_hugging_face(state: Mapping[str, Tensor], config: Config) -> dict[str, Tensor]:
    """The state of one of our GPTs as `GPT2LMHeadModel.load_state_dict` takes it."""
    _check(config)
    return _renamed(state, NAMES, ".attention.", ".perceptron.")


def from_hugging_face(state: Mapping[str, Tensor], config: Config) -> dict[str, Tensor]:
    """The state of a `GPT2LMHeadModel` as `GPT(config).load_state_dict` takes it."""
    _check(config)
    return _renamed(state, {theirs: ours for ours, theirs in NAMES.items()}, ".attn.", ".mlp.")


def _renamed(
    state: Mapping[str, Tensor], names: Mapping[str, str], *turned: str
) -> dict[str, Tensor]:
    """The tensors under their new names; the weights of the Linears with these in their names, turned."""
    found = {}
    for name, tensor in state.items():
        stem, kind = name.rsplit(".", 1)
        layer = re.search(r"\.(\d+)\.", name)
        stem = re.sub(r"\.\d+\.", ".{}.", stem)
        if stem not in names:
            raise ValueError(
                f"state: expected the names of a GPT-2, such as {next(iter(names))}.weight, got {name}; "
                f"to_hugging_face takes ours, from_hugging_face theirs"
            )
        turn = kind == "weight" and any(part in name for part in turned)
        new = f"{names[stem].format(layer[1] if layer else '')}.{kind}"
        found[new] = tensor.T.contiguous() if turn else tensor
    return found


def _check(config: Config) -> None:
    off = [
        f"{name}={getattr(config, name)!r}"
        for name, value in GPT2.items()
        if getattr(config, name) != value
    ]
    if config.n_kv_head not in (None, config.n_head):
        off.append(f"n_kv_head={config.n_kv_head}")
    if off:
        raise ValueError(
            f"config: expected one like GPT-2's, Config(..., **GPT2), got {', '.join(off)}; only that "
            f"one has the same parts"
        )
