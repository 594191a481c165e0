"""The story checkpoint trained on another small text, next to models that start from random weights.

`python -m chapters.ch13.finetune` trains both starts, the checkpoint and random weights, on every text.
It writes each run into `finetuned.json` as soon as it is done, so you can stop the command and start it
again. With names of texts, it trains only on these. All runs take about 20 minutes of one CPU.

Each start has the learning rate that suits it best on its text (see `chapters.rates`), by the lowest loss on
the validation part, which also chooses the step. Five seeds are then judged on the test part.
"""

import json
import math
import re
import sys
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
from chapters.ch13.story_model import load_texts, mean_loss, padded, told_by, train_on_texts
from chapters.rates import best_rates, next_run
from course.files import write_text

STORED = Path(__file__).with_name("finetuned.json")
STARTS = ("checkpoint", "from scratch")
SIZES = {"train": 100, "validation": 50, "test": 100}  # stories, or pieces of the play
SEEDS, RATES = (1, 2, 3, 4, 5), (5e-3, 1e-2, 2e-2)
N_STEPS, EVERY, BATCH_SIZE, N_TOLD = 100, 20, 8, 50
OTHERS = (
    *("Aya", "Bea", "Carmen", "Elif", "Greta", "Ruth", "Vera", "Yuki"),
    *("Arne", "Bruno", "Finn", "Hugo", "Ivan", "Marek", "Paul", "Yusuf"),
)
CHANGED = {  # kinds of stories that the checkpoint never saw: a word of its stories -> what is there instead
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

    Positions are rotary, so texts may be longer than those of the checkpoint.
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


def bits_per_byte(model: GPT, tokenizer: BPETokenizer, some: Sequence[str]) -> float:
    """The model's loss on these texts, in a unit that can be compared between tokenizers."""
    nats = mean_loss(model, padded(tokenizer, some))
    return nats * tokens_per_byte(tokenizer, some) / math.log(2)


def exact_bits(stories: Sequence[str], kind: str) -> float:
    """The floor of changed stories, in bits per byte: a swap of words, one for one, changes no probability."""
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
    """The curve of a short training from each start that has a rate; `on_eval` is given all so far."""
    curves: Curves = {}
    for start, rate in rates.items():
        model, tokenizer = begin(start, parts, seed)

        def note(curve: Curve, start: str = start) -> None:
            on_eval(curves | {start: [dict(curve)]})

        every = max(1, n_steps // 4)
        curves[start] = [train(model, tokenizer, parts, rate, seed, n_steps, every, note)]
    return curves


def run(text: str, start: str, rate: float, seed: int) -> Run:
    """One training: its validation losses, its loss on the test part, and what it can still do or write."""
    parts = texts(text)
    model, tokenizer = begin(start, parts, seed)
    curve = train(model, tokenizer, parts, rate, seed)
    found: Run = {"choosing": min(curve.values()), "test": bits_per_byte(model, tokenizer, parts["test"])}
    if start == "checkpoint":
        found["old"] = bits_per_byte(model, tokenizer, write_stories(SIZES["test"], 14))
    if text in CHANGED:
        told = told_by(model, tokenizer, N_TOLD, torch.Generator().manual_seed(seed))
        read = [judge(changed(story, text, back=True)) for story in told]
        found["well formed"] = sum(one.well_formed for one in read) / N_TOLD
        found["no slip"] = sum(one.well_formed and not one.slips for one in read) / N_TOLD
    found = {name: round(number, 4) for name, number in found.items()}
    return found | {"validation": [round(loss, 4) for loss in curve.values()]}


def stored() -> Runs:
    """The runs so far."""
    return json.loads(STORED.read_text()) if STORED.exists() else {}


def losses(runs: Mapping[str, Mapping[str, Run]]) -> dict[str, dict[str, float]]:
    """The loss that chooses, {rate: {seed: loss}}."""
    return {rate: {seed: one["choosing"] for seed, one in own.items()} for rate, own in runs.items()}


def best_rate(found: Runs, text: str, start: str) -> str:
    """The rate with the lowest mean loss of all seeds."""
    return best_rates(losses(found[text][start]), *SEEDS)[0]


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


def ensure(text: str, start: str) -> None:
    """Make all runs of this start that aren't stored yet, until its best rate has all seeds."""
    while wanted := next_run(losses(stored().get(text, {}).get(start, {})), RATES, SEEDS):
        rate, seed = wanted
        one = run(text, start, float(rate), seed)
        found = stored()
        own = found.setdefault(text, {}).setdefault(start, {}).setdefault(rate, {})
        own[str(seed)] = one
        write_text(json.dumps(found) + "\n", STORED)
        print(text, start, rate, seed, one, flush=True)


def main(names: Sequence[str] = TEXTS) -> None:
    """Make all runs that aren't stored yet."""
    for text in names:
        for start in STARTS:
            ensure(text, start)


if __name__ == "__main__":
    torch.set_num_threads(1)  # so that the runs don't depend on how many CPUs there are
    main(sys.argv[1:] or TEXTS)
