"""Chapter 14: all heads of a trained model, updated as you type, and films of how heads develop."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

from attention.checkpoint import CHECKPOINT, load_checkpoint
from attention.gpt import GPT
from chapters.ch14.figures import film_figure, growth_figure
from chapters.ch14.film import EVERY, STORED
from chapters.ch14.patterns import uniform_weights
from course.draw.explorer import MOST, Explorer, slider
from course.draw.live import Live
from course.draw.picture import Picture, cells, headline, picture, place, sheet

TEXT = "Mind the eel. He is not cargo"  # a line of the play
PARAMETERS, MAPS, CONTEXT = 1_000_000, 48, 256  # the largest model that a page has time and room for


def model_explorer(path: Path | str = CHECKPOINT, text: str = TEXT) -> Live:
    """Show every head of every block of the model in a checkpoint, updated with each key you type.

    Raises ValueError for a file that `load_checkpoint` refuses, and for a model that is too large
    for a page.
    """
    model, tokenizer, _ = load_checkpoint(path)
    _check(model, tokenizer.vocab_size, path)
    known = "".join(character for character in text if character in tokenizer.vocab)
    ids = tokenizer.encode(known)[-model.config.block_size :]
    if not ids:
        raise ValueError(
            f"text: expected a character that the model knows, got {text!r}; "
            f"it knows {''.join(tokenizer.vocab)!r}"
        )
    logits, maps = model.forward_with_weights(torch.tensor([ids]))
    signs = [_sign(tokenizer.vocab[i]) for i in ids]
    vocab = [_sign(character) for character in tokenizer.vocab]
    sentence = maps_sentence(maps[:, 0], ids, signs, logits[0, -1].softmax(dim=-1), vocab)
    return Live(
        "maps", _still(maps[:, 0], sentence), Path(path).read_bytes(),
        text=text, block=0, head=0, name=Path(path).name,
    )


def film_explorer() -> Explorer:
    """Show what the story model learns when, with a slider through the stored film of its first steps."""
    return _by_step(json.loads(STORED.read_text()), film_figure)


def growth_explorer(film: Sequence[Mapping]) -> Explorer:
    """Show how the two heads developed, with a slider through the film that a `camera` took."""
    return _by_step(film, growth_figure)


def _by_step(film: Sequence[Mapping], draw: Callable[[Sequence[Mapping], int], Picture]) -> Explorer:
    steps = [frame["step"] for frame in film]
    return Explorer(
        cache(lambda step: draw(film, steps.index(step))),
        {"step": steps[:: -(-len(steps) // MOST)]},
        step=slider("step", 0, steps[-1], steps[0], EVERY),
    )


def _check(model: GPT, n_characters: int, path: Path | str) -> None:
    config = model.config
    if n_characters != config.vocab_size:
        raise ValueError(
            f"{path}: expected an alphabet of {config.vocab_size} characters, one for each logit, "
            f"got {n_characters}; save the model with the tokenizer that it was trained with"
        )
    for name, found, most in (
        ("parameters", sum(p.numel() for p in model.parameters()), PARAMETERS),
        ("heads in all its blocks", config.n_layer * config.n_head, MAPS),
        ("characters of context (block_size)", config.block_size, CONTEXT),
    ):
        if found > most:
            raise ValueError(
                f"{path}: expected a model of at most {most:,} {name}, because the page runs it at "
                f"each key press, got {found:,}; model.forward_with_weights gives the maps of any model"
            )


# ---------------------------------------------------------------- what a head does on average


def head_scores(weights: Tensor, ids: Sequence[int]) -> tuple[float, float, float]:
    """How much of a head's weight, (T, T), goes to the previous character, to the characters that
    followed earlier copies of the same character, and to the first column.

    Each is a mean over the positions that have such keys, and nan if no position has any. The second is
    the prefix matching score of Olsson et al. (2022), here on any text.
    """
    T = len(ids)
    before = [weights[t, t - 1] for t in range(1, T)]
    first = [weights[t, 0] for t in range(1, T)]
    followed = [[s for s in range(1, t) if ids[s - 1] == ids[t]] for t in range(T)]
    after = [weights[t, columns].sum() for t, columns in enumerate(followed) if columns]
    return tuple(
        float(torch.stack(found).mean()) if found else math.nan for found in (before, after, first)
    )


def maps_sentence(
    maps: Tensor,
    ids: Sequence[int],
    signs: Sequence[str],
    chances: Tensor,
    vocab: Sequence[str],
    block: int = 0,
    head: int = 0,
) -> str:
    """The explorer's sentence about one of the maps, (L, H, T, T), and about the guess."""
    weights, T = maps[block, head], len(ids)
    found, even = head_scores(weights, ids), head_scores(uniform_weights(T), ids)
    names = ("previous-token score", "induction score", "share of the first column")
    means = ", ".join(
        f"{name} {_said(mine)} (equal weights: {_said(other)})"
        for name, mine, other in zip(names, found, even, strict=True)
    )
    most, best = int(weights[-1].argmax()), int(chances.argmax())
    where = f"'{signs[most]}', {T - 1 - most} back" if most < T - 1 else "itself"
    return (
        f"{T} character{'s' if T > 1 else ''} read. Block {block}, head {head}: {means}. "
        f"From the last character, '{signs[-1]}', it looks most at {where}, with weight "
        f"{weights[-1, most]:.2f}. The model's most probable next character is '{vocab[best]}', "
        f"with {100 * chances[best]:.1f} %."
    )


def _said(score: float) -> str:
    return "\u2013" if math.isnan(score) else f"{score:.2f}"


def _sign(character: str) -> str:
    return {" ": "\u2423", "\n": "\u21b5"}.get(character, character)


def _still(maps: Tensor, sentence: str) -> Picture:
    """All maps, (L, H, T, T), on one scale from 0 to 1: a row of them for each block."""
    n_layer, n_head, T, _ = maps.shape
    size = min(1.6, 7 / n_head) - 0.15  # inches
    high = n_layer * (size + 0.3)
    figure, panels = sheet(high + 0.35, n_layer * n_head)
    left = (7.8 - n_head * (size + 0.15)) / 2
    for n, axes in enumerate(panels):
        block, head = divmod(n, n_head)
        x, y = left + head * (size + 0.15), high - (block + 1) * (size + 0.3) + 0.05
        place(axes, x, y, size, size)
        axes.set_axis_on()
        cells(axes, maps[block, head], digits=None)
        axes.set(xticks=[], yticks=[], xlim=(-0.5, T - 0.5), ylim=(T - 0.5, -0.5))
        axes.set_title(f"{block}.{head}", fontsize=9, weight="normal")
    headline(figure, "Every head of the model on one text: block.head")
    return picture(figure, sentence)
