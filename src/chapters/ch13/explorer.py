"""Chapter 13: a trained model writes, with the temperature and the top-p that you choose."""

import html
from collections.abc import Iterator
from functools import cache
from itertools import islice

import torch

from attention.generation import stream
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
    texts: dict[tuple, str] = {}

    def written(temperature: float, top_p: float, seed: int) -> Iterator[str]:
        if (state := (temperature, top_p, seed)) in texts:
            yield texts[state]
            return
        generator, text = torch.Generator().manual_seed(seed), ""
        how = dict(temperature=temperature, top_p=top_p)
        for sign in stream(model, tokenizer, prompt, n_new, generator, **how):
            text += sign
            yield text
        texts[state] = text

    def on_the_way(**state) -> Iterator[str]:
        for text in islice(written(**state), AT_ONCE - 1, None, AT_ONCE):
            yield f"<pre>{html.escape(prompt + text)}</pre>"

    @cache
    def render(temperature: float, top_p: float, seed: int) -> Picture:
        *_, text = written(temperature, top_p, seed)
        how = f"temperature {temperature:.1f}, top-p {top_p:.1f}, seed {seed}"
        return text_figure(prompt, text, sureness(model, tokenizer, prompt, text), how)

    return Explorer(
        render,
        {"temperature": [0.0, 0.5, 0.8, 1.0, 1.5]},
        on_the_way,
        temperature=float_slider("temperature", 0, 2, 1.0, 0.1),
        top_p=float_slider("top-p", 0.1, 1, 1.0, 0.1),
        seed=slider("seed", 0, 20, 3),
    )


def sureness(model: GPT, tokenizer: CharTokenizer, prompt: str, text: str) -> list[float]:
    """For each character of the text, the probability that the model gave its token at temperature 1."""
    told, new = tokenizer.encode(prompt), tokenizer.encode(text)
    ids, size = torch.tensor([told + new]), model.config.block_size
    with evaluating(model):
        ends = range(size + 1, ids.shape[1])  # from here on, the window slides
        slid = [model(ids[:, end - size : end])[0, -1:] for end in ends]
        logits = torch.cat([model(ids[:, :size])[0], *slid])  # row i is the guess of id i + 1
    chances = next_probabilities(logits[len(told) - 1 :])
    return [
        p.item()
        for row, id in zip(chances, new, strict=False)
        for p in [row[id]] * len(tokenizer.decode([id]))
    ]
