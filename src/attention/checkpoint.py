"""A trained model in a file: its weights, how it is built, and its tokenizer."""

import json
from dataclasses import asdict
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from attention.bpe import GPT2_PATTERN
from attention.bpe_tokenizer import BPETokenizer
from attention.gpt import GPT, Config
from attention.tokenizers import CharTokenizer

CHECKPOINT = Path(__file__).parent / "data" / "gpt.safetensors"  # the course's own, of chapter 13
STORIES = CHECKPOINT.with_name("stories.safetensors")  # another, which writes stories

Tokenizer = CharTokenizer | BPETokenizer


def save_checkpoint(model: GPT, tokenizer: Tokenizer, path: Path | str, **facts: str) -> None:
    """Write the weights as 16-bit floats, with the configuration, the tokenizer and these facts.

    The file is safetensors: numbers and text, nothing that runs when it is read.
    """
    state = model.state_dict()
    if model.config.tied:
        del state["lm_head.weight"]  # the same table as that of token_embedding
    about = {"config": json.dumps(asdict(model.config)), **_describe(tokenizer)}
    halves = {name: value.to(torch.float16).contiguous() for name, value in state.items()}
    save_file(halves, path, about | facts)


def _describe(tokenizer: Tokenizer) -> dict[str, str]:
    if isinstance(tokenizer, CharTokenizer):
        return {"alphabet": "".join(tokenizer.vocab)}
    if tokenizer.special_tokens or tokenizer.pattern != GPT2_PATTERN:
        raise ValueError(
            "tokenizer: expected one without special tokens that cuts text as GPT-2 does, got "
            f"{tokenizer}; a checkpoint keeps nothing of a BPETokenizer but its merges"
        )
    return {"merges": json.dumps(tokenizer.pairs)}


def load_checkpoint(path: Path | str) -> tuple[GPT, Tokenizer, dict[str, str]]:
    """The model, its tokenizer and the facts that were saved with it.

    Raises ValueError for a file that is cut off, of another kind, or whose weights don't fit its
    configuration.
    """
    try:
        with safe_open(path, framework="pt") as file:
            facts = dict(sorted((file.metadata() or {}).items()))  # they come in any order
            state = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise ValueError(
            f"{path}: expected a whole safetensors file, got one that can't be read ({error}); "
            f"copy it again, or train and save the model again"
        ) from None
    try:
        config = Config(**json.loads(facts.pop("config")))
        if "merges" in facts:
            tokenizer = BPETokenizer(json.loads(facts.pop("merges")))
        else:
            tokenizer = CharTokenizer(facts.pop("alphabet"))
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(
            f"{path}: expected a checkpoint of this course, got safetensors of another kind "
            f"({error}); save_checkpoint writes them"
        ) from None
    model = GPT(config)
    if config.tied and "token_embedding.weight" in state:
        state["lm_head.weight"] = state["token_embedding.weight"]
    try:
        model.load_state_dict(state)
    except RuntimeError as error:
        raise ValueError(
            f"{path}: expected weights that fit its configuration, but: "
            f"{str(error).splitlines()[1].strip()}"  # the first of them; line 0 names the class
        ) from None
    return model.eval(), tokenizer, facts
