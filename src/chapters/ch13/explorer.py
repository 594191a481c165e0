"""Chapter 13: a trained model writes, with the temperature and the top-p that you choose."""

import html
from collections.abc import Iterator
from functools import cache
from itertools import islice

import torch
from jaxtyping import Int
from torch import Tensor

from attention.generation import generate
from attention.gpt import GPT
from attention.sampling import next_probabilities
from attention.tokenizers import CharTokenizer
from attention.training import evaluating
from chapters.ch13.figures import text_figure
from course.draw.explorer import Explorer, float_slider, slider
from course.draw.picture import Picture

AT_ONCE = 6  # characters shown together, because showing a text takes longer than drawing one character


def generator_explorer(
    model: GPT, tokenizer: CharTokenizer, prompt: str, n_new: int = 90
) -> Explorer:
    """Text that the model writes after the prompt, shown piece by piece in a live notebook."""
    told = tokenizer.encode(prompt)
    known: dict[tuple, Tensor] = {}

    def written(temperature: float, top_p: float, seed: int) -> Iterator[Tensor]:
        if (state := (temperature, top_p, seed)) in known:
            yield known[state]
            return
        generator, ids = torch.Generator().manual_seed(seed), torch.tensor([told])
        how = dict(temperature=temperature, top_p=top_p, block_size=model.config.block_size)
        for _ in range(n_new):
            ids = generate(model, ids, 1, generator, **how)
            yield ids
        known[state] = ids

    def words(ids: Tensor) -> list[str]:
        return [tokenizer.decode([id]) for id in ids[0, len(told) :].tolist()]

    def on_the_way(**state) -> Iterator[str]:
        for ids in islice(written(**state), AT_ONCE - 1, None, AT_ONCE):
            yield f"<pre>{html.escape(prompt + ''.join(words(ids)))}</pre>"

    @cache
    def render(temperature: float, top_p: float, seed: int) -> Picture:
        *_, ids = written(temperature, top_p, seed)
        each = zip(words(ids), sureness(model, ids, len(told)), strict=True)
        signs = [(sign, share) for word, share in each for sign in word]
        how = f"temperature {temperature:.1f}, top-p {top_p:.1f}, seed {seed}"
        return text_figure(prompt, signs, how)

    return Explorer(
        render,
        {"temperature": [0.0, 0.5, 0.8, 1.0, 1.5]},
        on_the_way,
        temperature=float_slider("temperature", 0, 2, 1.0, 0.1),
        top_p=float_slider("top-p", 0.1, 1, 1.0, 0.1),
        seed=slider("seed", 0, 20, 3),
    )


def sureness(model: GPT, ids: Int[Tensor, "1 T"], n_told: int) -> list[float]:
    """For each id after the first `n_told`, the probability that the model gave it at temperature 1."""
    size = model.config.block_size
    with evaluating(model):
        ends = range(size + 1, ids.shape[1])  # from here on, the window slides
        slid = [model(ids[:, end - size : end])[0, -1:] for end in ends]
        logits = torch.cat([model(ids[:, :size])[0], *slid])  # row i is the guess of id i + 1
    chances = next_probabilities(logits[n_told - 1 : ids.shape[1] - 1])
    return chances.gather(-1, ids[0, n_told:, None])[:, 0].tolist()
