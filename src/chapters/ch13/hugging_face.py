"""Weights in Hugging Face's layout of GPT-2, and back: the same numbers under other names.

GPT-2 is a `Config` with learned positions, layer norms, GELU, biases and one table for input and
output tokens (Radford et al., 2019). Its file stores the weight of each Linear in a block as
(in, out), the transpose of `nn.Linear`'s.
"""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

from safetensors.torch import load_file
from torch import Tensor

from attention.gpt import GPT, Config
from chapters.ch13.gpt2_tokenizer import GPT2Tokenizer, read_tokenizer

GPT2 = {
    "positions": "learned",
    "norm": "layer",
    "activation": "gelu",
    "qk_norm": False,
    "bias": True,
    "tied": True,
}
NAMES = {  # {our name: theirs}, in the order in which they are replaced
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


ASSUMED = {  # the values in config.json that `GPT` can compute
    "activation_function": "gelu_new",
    "layer_norm_epsilon": 1e-5,
    "scale_attn_weights": True,
    "scale_attn_by_inverse_layer_idx": False,
}
FILES = ("config.json", "model.safetensors", "vocab.json", "merges.txt")
HOW_TO_GET_GPT2 = f"""\
GPT-2 isn't here. To let it write, download {", ".join(FILES)}
of the model openai-community/gpt2 from huggingface.co (548 MB in all). Put them into a folder
called gpt2, set the environment variable ATTENTION_DATA to the folder that contains gpt2, and
start JupyterLab again."""


def to_hugging_face(state: Mapping[str, Tensor], config: Config) -> dict[str, Tensor]:
    """The state of one of our GPTs as `GPT2LMHeadModel.load_state_dict` takes it."""
    return _renamed(state, config, NAMES)


def from_hugging_face(state: Mapping[str, Tensor], config: Config) -> dict[str, Tensor]:
    """The state of a GPT-2 as `GPT(config).load_state_dict` takes it.

    It takes the names of a `GPT2LMHeadModel` or those of the file on the hub. That file lacks "transformer."
    and the head, because the token table serves as one, and it can contain the causal masks.
    """
    found = {
        re.sub(r"^(?=(?:wte|wpe|h|ln_f)\.)", "transformer.", name): tensor
        for name, tensor in state.items()
        if not re.search(r"\.attn\.(?:masked_)?bias$", name)
    }
    if "transformer.wte.weight" in found:
        found.setdefault("lm_head.weight", found["transformer.wte.weight"])
    return _renamed(found, config, {theirs: ours for ours, theirs in NAMES.items()})


def gpt2_folder() -> Path | None:
    """The folder `gpt2` in the one that `ATTENTION_DATA` names, or None if it lacks a file of GPT-2.

    While outputs are stored or compared, it is always None, so that they are the same on every machine.
    """
    folder = Path(os.environ.get("ATTENTION_DATA", "")).expanduser() / "gpt2"
    there = all((folder / name).is_file() for name in FILES)
    return folder if there and "COURSE_STORED" not in os.environ else None


def open_gpt2(folder: Path) -> tuple[GPT, GPT2Tokenizer]:
    """The model and its tokenizer, from GPT-2's files as people download them.

    Raises ValueError for a model that isn't computed as GPT-2 is.
    """
    about = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    for name, value in ASSUMED.items():
        if about.get(name, value) != value:
            raise ValueError(
                f"{folder / 'config.json'}: expected {name} {value!r} as in GPT-2, got "
                f"{about[name]!r}; GPT can't compute such a model"
            )
    sizes = ("vocab_size", "n_positions", "n_layer", "n_head", "n_embd")
    config = Config(*(about[name] for name in sizes), **GPT2)
    model = GPT(config)
    state = load_file(folder / "model.safetensors")
    model.load_state_dict(from_hugging_face(state, config))
    return model.eval(), read_tokenizer(folder)


def _renamed(
    state: Mapping[str, Tensor], config: Config, names: Mapping[str, str]
) -> dict[str, Tensor]:
    """The tensors under their new names, with the weights of the blocks' Linears transposed."""
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
