"""Weights in Hugging Face's layout of GPT-2, and back: the same numbers under other names.

GPT-2 is a `Config` with learned positions, layer norms, GELU, biases and one table for input and
output tokens (Radford et al., 2019). Its file stores the weight of each Linear in a block as
(in, out), the transpose of `nn.Linear`'s.
"""

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
NAMES = {  # in the order in which they are exchanged
    "token_embedding": "transformer.wte",
    "position_embedding": "transformer.wpe",
    "final_norm": "transformer.ln_f",
    "blocks": "transformer.h",
    "norm_": "ln_",
    "attention.qkv": "attn.c_attn",
    "attention.out": "attn.c_proj",
    "mlp.hidden": "mlp.c_fc",
    "mlp.out": "mlp.c_proj",
}


def to_hugging_face(state: Mapping[str, Tensor], config: Config) -> dict[str, Tensor]:
    """The state of one of our GPTs as `GPT2LMHeadModel.load_state_dict` takes it."""
    return _renamed(state, config, NAMES)


def from_hugging_face(state: Mapping[str, Tensor], config: Config) -> dict[str, Tensor]:
    """The state of a `GPT2LMHeadModel` as `GPT(config).load_state_dict` takes it."""
    return _renamed(state, config, {theirs: ours for ours, theirs in NAMES.items()})


def _renamed(
    state: Mapping[str, Tensor], config: Config, names: Mapping[str, str]
) -> dict[str, Tensor]:
    """The tensors under their new names, the weights of the blocks' Linears transposed."""
    off = [f"{name}={found!r}" for name, v in GPT2.items() if (found := getattr(config, name)) != v]
    if config.n_kv_head not in (None, config.n_head):
        off.append(f"n_kv_head={config.n_kv_head}")
    if off:
        raise ValueError(
            f"config: expected one like GPT-2's, Config(..., **GPT2), got {', '.join(off)}; only a "
            f"model with GPT-2's parts can exchange weights with it"
        )
    found = {}
    for name, tensor in state.items():
        new = name
        for ours, theirs in names.items():
            new = new.replace(ours, theirs)
        if new == name and name != "lm_head.weight":
            raise ValueError(
                f"state: expected the names of a GPT-2, such as {next(iter(names))}.weight, got "
                f"{name}; to_hugging_face takes ours, from_hugging_face theirs"
            )
        linear = ("attn." in name + new or "mlp." in name + new) and name.endswith("weight")
        found[new] = tensor.T.contiguous() if linear else tensor
    return found
