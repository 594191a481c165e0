"""How heads develop, frame by frame: the first steps of the story model, and a training to watch.

`python -m benchmarks.story_film` stores the film of the story model.
"""

from collections.abc import Callable
from pathlib import Path

import torch

from attention.gpt import GPT
from attention.training import evaluating
from chapters.ch14.patterns import induction_score, previous_token_score
from chapters.ch14.tasks import Task, accuracy, task_loss

STORED = Path(__file__).parent / "film.json"
EVERY = 10  # steps from one frame to the next
SHADES = "0123456789abcdefghijklmnopqrstuvwxyz"  # a sign for each shade of a weight's root, from 0 to 1


def packed(weights: torch.Tensor) -> str:
    """The cells of a causal map, row by row, as a text with a sign for the square root of each."""
    shade = (weights.sqrt() * (len(SHADES) - 1)).round().int()
    return "".join(SHADES[n] for t, row in enumerate(shade.tolist()) for n in row[: t + 1])


def camera(
    film: list[dict], task: Task, shown: Task, watch: Callable[[dict], object]
) -> Callable[[GPT, int], None]:
    """A function for `fit_task` to call after each step: every EVERY steps, it appends a frame to the film.

    Each frame has the loss of a model of two layers with one head each on repeated strings, the share of
    right answers, the score of each head, and both maps of one string. `watch` is given each new frame.
    """

    def take(model: GPT, step: int) -> None:
        if step % EVERY == 0:
            film.append({"step": step, **grown(model, task, shown)})
            watch(film[-1])

    return take


def grown(model: GPT, task: Task, shown: Task) -> dict:
    """What two heads, one in each layer, can do by now, and where they look."""
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
