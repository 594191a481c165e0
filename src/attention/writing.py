"""A trained GPT writes on: text in, text out, character by character."""

from collections.abc import Iterator

import torch

from attention.gpt import GPT
from attention.sampling import generate
from attention.tokenizers import CharTokenizer


def stream(
    model: GPT,
    tokenizer: CharTokenizer,
    prompt: str,
    n_new: int,
    generator: torch.Generator,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Iterator[str]:
    """The characters that the model writes after the prompt, each as soon as it is drawn.

    A text that grows longer than the model's block is read from its last characters on. Raises
    ValueError for a prompt that is empty, longer than the block, or has unknown characters.
    """
    block_size = model.config.block_size
    if not 1 <= len(prompt) <= block_size:
        raise ValueError(
            f"prompt: expected 1 to {block_size} characters (the model's block), got {len(prompt)}; "
            + (f"keep the last ones, prompt[-{block_size}:]" if prompt else "a line break will do")
        )
    ids = torch.tensor([tokenizer.encode(prompt)])  # (1, T)

    def written(ids: torch.Tensor) -> Iterator[str]:
        for _ in range(n_new):
            ids = generate(
                model, ids, 1, generator, temperature, block_size, top_k=top_k, top_p=top_p
            )
            yield tokenizer.decode(ids[0, -1:])

    return written(ids)


def write(
    model: GPT,
    tokenizer: CharTokenizer,
    prompt: str,
    n_new: int,
    generator: torch.Generator,
    **how,
) -> str:
    """The prompt and what the model writes after it; `how` is a temperature, top_k or top_p."""
    return prompt + "".join(stream(model, tokenizer, prompt, n_new, generator, **how))
