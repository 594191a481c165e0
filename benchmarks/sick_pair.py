"""Train the pair of models of chapter 16: `python -m benchmarks.sick_pair`.

Both have the short size of chapter 13 and see the same batches, with five seeds. One has correct attention,
the mask of the other has `float == ("-inf")`. `pair.json` holds their losses during training, on the first
2,000 characters of the play's validation part, measured as usual and with only the past. It also holds a
text that each of them writes. It takes a minute of one CPU.
"""

from itertools import product

import torch
from torch import Tensor

from attention.corpus import load_corpus
from attention.fitting import Evaluation
from attention.generation import write
from attention.gpt import GPT, CausalSelfAttention, make_block
from attention.heads import attention_scores
from attention.masks import causal_mask
from attention.multi_head import merge_heads
from attention.tokenizers import CharTokenizer
from attention.training import evaluating
from benchmarks.play_choices import PLAIN, fit_blocks, parts, past_only, turned_into
from benchmarks.stored_runs import add, load
from chapters.ch16.runs import STORED

SEEDS = (1, 2, 3, 4, 5)
SIZES = dict(n_steps=300, batch_size=8, learning_rate=2e-3, warm_up=30, eval_every=60)
HELD_BACK = (
    2000  # characters of the validation part; with only the past, each needs a pass of its own
)
PROMPT, N_NEW = "\n", 160


class Compares(CausalSelfAttention):
    """Attention whose mask fills in `float == ("-inf")`, which is False, so 0."""

    def forward(self, x: Tensor, cache=None) -> Tensor:
        q, k, v = self.project(x)
        forbidden = ~causal_mask(x.shape[1])
        scores = attention_scores(q, k).masked_fill(forbidden, float == ("-inf"))  # noqa: E721
        return self.out(merge_heads(scores.softmax(dim=-1) @ v))


MAKERS = {"right": make_block, "float==('-inf')": turned_into(attention=Compares)}


def train(
    name: str, seed: int, ids: tuple[Tensor, Tensor], on_eval=lambda evaluation: None, **sizes
) -> GPT:
    """Train one model of the pair; the seed determines the first weights and the batches of both."""
    torch.manual_seed(seed)
    model = GPT(PLAIN, MAKERS[name])
    how = SIZES | sizes
    fit_blocks(model, *ids, seed, on_eval=lambda evaluation: on_eval(model, evaluation), **how)
    return model


def losses(
    name: str,
    seed: int,
    ids: tuple[Tensor, Tensor],
    held_back: int = HELD_BACK,
    n_new: int = N_NEW,
    **sizes,
) -> dict:
    """Train a model; return the evaluated steps, both losses at each, and a text that it writes."""
    told: dict[str, list] = {"step": [], "usual": [], "alone": []}
    ids = ids[0], ids[1][:held_back]

    def on_eval(model: GPT, evaluation: Evaluation) -> None:
        told["step"].append(evaluation.step)
        told["usual"].append(round(evaluation.validation, 4))
        told["alone"].append(round(past_only(model, ids[1], PLAIN.block_size), 4))
        model.train()

    model = train(name, seed, ids, on_eval, **sizes)
    tokenizer, draw = CharTokenizer(load_corpus()), torch.Generator().manual_seed(seed)
    with evaluating(model):
        text = write(model, tokenizer, PROMPT, n_new, draw)
    return told | {"text": text[len(PROMPT) :]}


def main() -> None:
    """Run everything that isn't stored yet, and store it run by run."""
    for seed, name in product(SEEDS, MAKERS):
        if str(seed) not in load(STORED).get(name, {}):
            add(STORED, name, str(seed), run=losses(name, seed, parts()))


if __name__ == "__main__":
    main()
