"""Chapter 13, and the front page: the story model writes on, and shows what its heads look at."""

from collections.abc import Sequence

import torch

from attention.checkpoint import STORIES, load_checkpoint
from chapters.ch13.story_model import START
from chapters.ch13.writer_figure import writer_figure
from course.draw.live import Live

BEGINNING = (
    "Once there was a kite Mira flew and a lamp Omar lit. They lived by the lake with a dog "
    "called Pip. Soon the kite"
)
NAMES = ["Mira", "Zoe", "Tom"]  # names that a reader can give to the first child
SHOWN = 5  # how many next tokens are shown, the most probable, as in writer.js


def story_writer(
    text: str = BEGINNING,
    names: Sequence[str] = NAMES,
    *,
    switches: bool = False,
    sampling: bool = False,
) -> Live:
    """Show the story model at work: its text, its next tokens, all its heads, and what they look at.

    With `switches`, you can switch off heads, and the model writes only when you ask it to. With
    `sampling`, you can change temperature and top-p, and each change writes the story again.
    """
    model, tokenizer, _ = load_checkpoint(STORIES)
    ids = tokenizer.encode(START + text)
    logits, maps = model.forward_with_weights(torch.tensor([ids]))
    tokens = ["start", *(tokenizer.decode([i]) for i in ids[1:])]
    chances, likely = logits[0, -1].softmax(dim=-1).topk(SHOWN)
    best = [tokenizer.decode([i]).strip() for i in likely]
    guesses = list(zip(best, chances.tolist(), strict=True))
    more = {"off": [[False] * maps.shape[2] for _ in maps]} if switches else {}
    more |= {"temperature": 1.0, "top_p": 1.0} if sampling else {}
    return Live(
        "writer",
        writer_figure(tokens, maps[:, 0], guesses),
        STORIES.read_bytes(),
        text=text, start=START, seed=0, block=None, head=None,
        swap={"asks": "Change the name:", "words": list(names)}, **more,
    )
