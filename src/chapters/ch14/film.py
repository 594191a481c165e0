"""How heads come about, frame by frame: the first steps of the story model, and a training to watch.

`python -m chapters.ch14.film` stores the film of the story model. It is the training of
`chapters.ch13.train_stories`, with its seed, and takes about five minutes of one CPU.
"""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import torch

from attention.bpe_tokenizer import BPETokenizer
from attention.fitting import muon, warm_up_and_cosine
from attention.gpt import GPT
from attention.stories import judge, write_stories
from attention.training import evaluating, minimize
from chapters.ch13.story_model import (
    START,
    exact_floor,
    mean_loss,
    padded,
    share_answered,
    story_loss,
    told_by,
)
from chapters.ch13.train_stories import BATCH_SIZE, LEARNING_RATE, N_STEPS, start
from chapters.ch14.patterns import induction_score, previous_token_score
from chapters.ch14.story_heads import looks, share_fitting
from chapters.ch14.tasks import Task, accuracy, task_loss

STORED = Path(__file__).parent / "film.json"
N_FRAMES, EVERY = 41, 10  # steps from a frame to the next
JUDGED = 40  # stories of the rules, and as many of the model
TOLD = (
    "Once there was a kite Mira flew and a lamp Omar lit. They lived by the lake with a dog called "
    "Pip. Soon the kite Mira flew bored her, so she"
)
SHADES = "0123456789abcdefghijklmnopqrstuvwxyz"  # of the root of a weight, from 0 to 1


def frame(model: GPT, tokenizer: BPETokenizer, stories: list[str]) -> dict:
    """What the model can do at this step, and what its heads look at."""
    ids = torch.tensor([tokenizer.encode(START + TOLD)])
    _, maps = model.forward_with_weights(ids)
    found = {kind: weights.flatten().tolist() for kind, weights in looks(model, tokenizer, stories).items()}
    found["one back"] = previous_token_score(maps)[:, 0].flatten().tolist()
    told = [judge(text) for text in told_by(model, tokenizer, JUDGED, torch.Generator().manual_seed(14))]
    numbers = {
        "excess": mean_loss(model, padded(tokenizer, stories)) - exact_floor(tokenizer, stories),
        "answered": share_answered(model, tokenizer, stories),
        "fits": share_fitting(model, tokenizer, stories),
        "looks": found,
        "well formed": sum(one.well_formed for one in told) / JUDGED,
        "no slip": sum(one.well_formed and not one.slips for one in told) / JUDGED,
    }
    return json.loads(json.dumps(numbers), parse_float=lambda x: round(float(x), 3)) | {
        "maps": [packed(weights) for weights in maps[:, 0].flatten(0, 1)]
    }


def packed(weights: torch.Tensor) -> str:
    """The cells of a causal map, row by row, a sign for the square root of each."""
    shade = (weights.sqrt() * (len(SHADES) - 1)).round().int()
    return "".join(SHADES[n] for t, row in enumerate(shade.tolist()) for n in row[: t + 1])


def frames(n_frames: int = N_FRAMES) -> Iterator[dict]:
    """A frame before the first step, and one after every so many."""
    model, tokenizer, ids, generator = start()
    steps = minimize(
        partial(story_loss, model, ids, BATCH_SIZE, generator),
        model.parameters(),
        muon(model, LEARNING_RATE, times=4.0),
        N_STEPS,
        schedule=lambda step: warm_up_and_cosine(step, N_STEPS, N_STEPS // 50),
        clip=1.0,
    )
    stories = write_stories(JUDGED, seed=14)
    for n in range(n_frames):
        yield {"step": n * EVERY, **frame(model, tokenizer, stories)}
        model.train()
        for _ in range(EVERY if n + 1 < n_frames else 0):
            next(steps)


def camera(
    film: list[dict], task: Task, shown: Task, watch: Callable[[dict], object]
) -> Callable[[GPT, int], None]:
    """What `fit_task` calls after each step: it appends a frame to the film every EVERY steps.

    Each frame has the loss of a model of two layers with one head each on repeated strings, the share of
    right answers, the score of each head, and both maps of one string. `watch` is given each new frame.
    """

    def take(model: GPT, step: int) -> None:
        if step % EVERY == 0:
            film.append({"step": step, **grown(model, task, shown)})
            watch(film[-1])

    return take


def grown(model: GPT, task: Task, shown: Task) -> dict:
    """What two heads, one after the other, can do by now, and where they look."""
    period = task.x.shape[1] // 2  # after the start, the string comes twice, without its last id
    with evaluating(model):
        _, maps = model.forward_with_weights(task.x)  # (2, B, 1, T, T)
        _, own = model.forward_with_weights(shown.x[:1])
        loss = task_loss(model, task).item()
    return {
        "loss": loss,
        "right": accuracy(model, [task]),
        "previous": previous_token_score(maps[0]).mean().item(),
        "induction": induction_score(maps[1], period, first=1).mean().item(),
        "maps": [packed(weights) for weights in own[:, 0, 0]],
    }


def main() -> None:
    """Store the film."""
    film = []
    for each in frames():
        print(each["step"], each["excess"], each["answered"], flush=True)
        film.append(each)
        STORED.write_text(json.dumps(film, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
