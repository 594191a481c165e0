"""Chapter 13: every part of a GPT, with its numbers for a text, from the text to the next token."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention.checkpoint import STORIES, load_checkpoint
from attention.gpt import GPT
from chapters.ch13.story_model import START
from chapters.ch13.whole_figure import FRAME, LINES, NOTES, PARTS, TABS, Part, whole_figure
from chapters.ch13.writer import BEGINNING, SHOWN
from course.draw.live import Live


def whole_gpt(text: str = BEGINNING) -> Live:
    """Show the story model as a picture: press a part, and it shows its numbers for the text."""
    model, tokenizer, _ = load_checkpoint(STORIES)
    ids = tokenizer.encode(START + text)
    found = tensors(model, torch.tensor(ids))
    chances, likely = found["logits"][-1].softmax(dim=-1).topk(SHOWN)
    guesses = [tokenizer.decode([i]).strip() for i in likely]
    streams = [found["vectors"], *(found[f"out {n}"] for n in range(model.config.n_layer))]
    last = tokenizer.decode(ids[-1:]).strip()
    still = whole_figure(
        last, torch.stack(streams), dict(zip(guesses, chances.tolist(), strict=True)),
        model.config.vocab_size,
    )
    return Live(
        "whole", still, STORIES.read_bytes(), text=text, start=START, part="vectors", block=0, head=0,
        parts=[part._asdict() for part in PARTS],
        tabs=[Part("", f"{n}", "", "", *tab)._asdict() for n, tab in enumerate(TABS)],
        frame=FRAME, lines=LINES, notes=NOTES,
    )


@torch.no_grad()
def tensors(model: GPT, ids: Int[Tensor, " T"]) -> dict[str, Float[Tensor, "... n"]]:
    """All that the model computes up to its logits, by the names in gpt.js: "hidden 2" is in block 2."""
    x = model.embed(ids[None])
    found = {"vectors": x}
    for n, block in enumerate(model.blocks):
        normal = block.norm_1(x)
        names = (f"{name} {n}" for name in ("queries", "keys", "values"))
        found |= zip(names, block.attention.project(normal), strict=True)  # (1, H, T, D)
        mix, weights = block.attention.forward_with_weights(normal)
        x = x + mix
        hidden = block.mlp.activation(block.mlp.hidden(block.norm_2(x)))
        mlp = block.mlp.out(hidden)
        found |= {f"mix {n}": mix, f"weights {n}": weights, f"heard {n}": x, f"hidden {n}": hidden}
        x = x + mlp
        found |= {f"mlp {n}": mlp, f"out {n}": x}
    normal = model.final_norm(x)
    found |= {"norm": normal, "logits": model.lm_head(normal)}
    return {name: tensor[0] for name, tensor in found.items()}
