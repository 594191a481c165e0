"""The story checkpoint trained on another small text, next to models that start from random weights.

`python -m benchmarks.finetune` trains both starts, the checkpoint and random weights, on every text, and
stores the runs in `finetuned.json`. Each start uses the learning rate that suits it best on its text (see
`chapters.rates`), by the lowest loss on the validation part, which also decides the step. Five seeds are
then judged on the test part.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import torch

from attention.bpe_tokenizer import BPETokenizer
from attention.checkpoint import STORIES, load_checkpoint
from attention.checks import choose
from attention.gpt import GPT
from attention.stories import BOYS, FINDS, GIRLS, TOYS, judge, write_stories
from chapters.ch13.story_model import load_texts, mean_loss, padded, train_on_texts
from chapters.rates import best_rates, by_seed

STORED = Path(__file__).with_name("finetuned.json")
STARTS = ("checkpoint", "from scratch")
SIZES = {"train": 100, "validation": 50, "test": 100}  # stories, or pieces of the play
SEEDS = (1, 2, 3, 4, 5)
N_STEPS, EVERY, BATCH_SIZE = 100, 20, 8
OTHERS = (
    *("Aya", "Bea", "Carmen", "Elif", "Greta", "Ruth", "Vera", "Yuki"),
    *("Arne", "Bruno", "Finn", "Hugo", "Ivan", "Marek", "Paul", "Yusuf"),
)
CHANGED = {  # kinds of stories that the checkpoint has never seen: {word of its stories: new word}
    "deeds": dict(zip([*TOYS.values(), *FINDS.values()], [*FINDS.values(), *TOYS.values()], strict=True)),
    "names": dict(zip(GIRLS + BOYS, OTHERS, strict=True)),
}
TEXTS = (*CHANGED, "play")
Curve = dict[int, float]  # {steps: bits per byte on the validation part}
Curves = dict[str, list[Curve]]  # {start: [the curve of each seed]}
Run = dict[str, float | list[float]]
Runs = dict[str, dict[str, dict[str, dict[str, Run]]]]  # {text: {start: {rate: {seed: run}}}}


def changed(text: str, kind: str, back: bool = False) -> str:
    """A story with the words of this kind changed, or changed back.

    >>> changed("Mira gave it to Tom.", "names"), changed("the ball Mira kicked", "deeds")
    ('Greta gave it to Yusuf.', 'the ball Mira rang')
    """
    words = {new: old for old, new in CHANGED[kind].items()} if back else CHANGED[kind]
    return re.sub(rf"\b({'|'.join(words)})\b", lambda found: words[found[0]], text)


def texts(name: str) -> dict[str, list[str]]:
    """Three parts of a small text: stories with other deeds or names, or pieces of a corpus."""
    n = sum(SIZES.values())
    is_changed = name in CHANGED
    some = iter([changed(s, name) for s in write_stories(n, 13)] if is_changed else load_texts(name))
    return {part: list(islice(some, size)) for part, size in SIZES.items()}


def begin(start: str, parts: Mapping[str, Sequence[str]], seed: int) -> tuple[GPT, BPETokenizer]:
    """A model before its first step on these texts, and the checkpoint's tokenizer.

    Positions are rotary, so texts can be longer than those of the checkpoint.
    """
    model, tokenizer, _ = load_checkpoint(STORIES)
    longest = max(padded(tokenizer, some).shape[1] for some in parts.values())
    torch.manual_seed(seed)
    fresh = GPT(replace(model.config, block_size=longest))
    if choose("start", start, STARTS) == "checkpoint":
        fresh.load_state_dict(model.state_dict())
    return fresh, tokenizer


def tokens_per_byte(tokenizer: BPETokenizer, some: Sequence[str]) -> float:
    """How many tokens the tokenizer needs for a byte of these texts."""
    return sum(len(tokenizer.encode(text)) for text in some) / sum(len(text.encode()) for text in some)


def exact_bits(stories: Sequence[str], kind: str) -> float:
    """The floor of changed stories, in bits per byte. Exchanging words one for one changes no probability."""
    nats = -sum(judge(changed(story, kind, back=True)).log_probability for story in stories)
    return nats / sum(len(story.encode()) for story in stories) / math.log(2)


def train(
    model: GPT,
    tokenizer: BPETokenizer,
    parts: Mapping[str, Sequence[str]],
    rate: float,
    seed: int,
    n_steps: int = N_STEPS,
    every: int = EVERY,
    on_eval: Callable[[Curve], None] = lambda curve: None,
) -> Curve:
    """Train with `fit`, which keeps the best weights, and return the validation loss by steps.

    `on_eval` is given the curve so far.
    """
    ids, held_out = (padded(tokenizer, parts[part]) for part in ("train", "validation"))
    unit = tokens_per_byte(tokenizer, parts["validation"]) / math.log(2)
    curve = {0: unit * mean_loss(model, held_out)}

    def note(evaluation):
        curve[evaluation.step] = unit * evaluation.validation
        on_eval(curve)

    generator = torch.Generator().manual_seed(seed)
    how = dict(learning_rate=rate, eval_every=every, on_eval=note)
    train_on_texts(model, ids, held_out, n_steps, generator, BATCH_SIZE, **how)
    return curve


def short_runs(
    parts: Mapping[str, Sequence[str]],
    rates: Mapping[str, float],
    seed: int,
    n_steps: int,
    on_eval: Callable[[Curves], object] = lambda curves: None,
) -> Curves:
    """The curve of a short training from each start that has a rate; `on_eval` is given all curves so far."""
    curves: Curves = {}
    for start, rate in rates.items():
        model, tokenizer = begin(start, parts, seed)

        def note(curve: Curve, start: str = start) -> None:
            on_eval(curves | {start: [dict(curve)]})

        every = max(1, n_steps // 4)
        curves[start] = [train(model, tokenizer, parts, rate, seed, n_steps, every, note)]
    return curves


def stored() -> Runs:
    """All stored runs."""
    return json.loads(STORED.read_text())


def best_rate(found: Runs, text: str, start: str) -> str:
    """The rate with the lowest mean loss over all seeds."""
    return best_rates(by_seed(found[text][start], "choosing"), *SEEDS)[0]


def judged(found: Runs, text: str) -> dict[str, list[Run]]:
    """The runs of each start at its best rate, seed by seed."""
    return {
        start: [found[text][start][best_rate(found, text, start)][str(seed)] for seed in SEEDS]
        for start in STARTS
    }


def curves(found: Runs, text: str) -> Curves:
    """The validation losses of each start at its best rate."""
    steps = range(0, N_STEPS + 1, EVERY)
    return {
        start: [dict(zip(steps, run["validation"], strict=True)) for run in runs]
        for start, runs in judged(found, text).items()
    }
