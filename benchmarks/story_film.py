"""Make the film of the story model's first steps, for chapter 14.

`python -m benchmarks.story_film` trains as `benchmarks.train_stories` does, with its seed, and takes about
five minutes of one CPU.
"""

import json
from collections.abc import Iterator
from functools import partial

import torch

from attention.bpe_tokenizer import BPETokenizer
from attention.fitting import muon, warm_up_and_cosine
from attention.gpt import GPT
from attention.stories import write_stories
from attention.training import minimize
from benchmarks.train_stories import BATCH_SIZE, LEARNING_RATE, N_STEPS, shares, start
from chapters.ch13.story_model import (
    START,
    exact_floor,
    mean_loss,
    padded,
    share_answered,
    story_loss,
    told_by,
)
from chapters.ch14.film import EVERY, STORED, packed
from chapters.ch14.patterns import previous_token_score
from chapters.ch14.story_heads import looks, share_fitting

N_FRAMES = 41
JUDGED = 40  # stories by the rules, and as many by the model
TOLD = (
    "Once there was a kite Mira flew and a lamp Omar lit. They lived by the lake with a dog called "
    "Pip. Soon the kite Mira flew bored her, so she"
)


def frame(model: GPT, tokenizer: BPETokenizer, stories: list[str]) -> dict:
    """Return a frame: what the model can do at this step, and what its heads look at."""
    ids = torch.tensor([tokenizer.encode(START + TOLD)])
    _, maps = model.forward_with_weights(ids)
    found = {
        kind: weights.flatten().tolist()
        for kind, weights in looks(model, tokenizer, stories).items()
    }
    found["one back"] = previous_token_score(maps)[:, 0].flatten().tolist()
    told = told_by(model, tokenizer, JUDGED, torch.Generator().manual_seed(14))
    numbers = {
        "excess": mean_loss(model, padded(tokenizer, stories)) - exact_floor(tokenizer, stories),
        "answered": share_answered(model, tokenizer, stories),
        "fits": share_fitting(model, tokenizer, stories),
        "looks": found,
        **shares(told),
    }
    return json.loads(json.dumps(numbers), parse_float=lambda x: round(float(x), 3)) | {
        "maps": [packed(weights) for weights in maps[:, 0].flatten(0, 1)]
    }


def frames(n_frames: int = N_FRAMES) -> Iterator[dict]:
    """Yield a frame before the first step, and one after every EVERY steps."""
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


def main() -> None:
    """Make the film, and store it after each frame."""
    film = []
    for each in frames():
        print(each["step"], each["excess"], each["answered"], flush=True)
        film.append(each)
        STORED.write_text(json.dumps(film, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
