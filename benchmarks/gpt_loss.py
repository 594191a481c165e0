"""The loss that two minutes of CPU buy: this course's GPT beside nanoGPT's code, and what mattered.

Run: python benchmarks/gpt_loss.py NANOGPT [TEXT] [--only NAME ...] [--seeds 3] [--jobs 1]
NANOGPT is a checkout of github.com/karpathy/nanoGPT, whose model.py is used unchanged. TEXT is tiny
Shakespeare by default, from the folder in ATTENTION_DATA. Each training is a process of its own on two
threads. It ends when it has used 120 seconds of CPU, because wall-clock time means little on a machine
that also does other things. The recipes take turns, seed by seed. The last weights are judged once, on the
last tenth of the text; this isn't included in the time. (Our settings were chosen on this tenth.)
"""

import argparse
import contextlib
import importlib.util
import io
import json
import os
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import torch
from torch import nn

from attention.batches import get_batch, split
from attention.corpus import load_corpus
from attention.fitting import adamw, muon, warm_up_and_cosine
from attention.gpt import GPT, Config, make_block
from attention.tokenizers import CharTokenizer
from attention.training import cross_entropy, evaluate

CPU_SECONDS = 120
N_THREADS = 2
# A thread sleeps while it waits for the other one. A busy wait would count as CPU time, and on a
# machine that does other things it would be nine tenths of it.
THREADS = {"OMP_NUM_THREADS": str(N_THREADS), "OMP_WAIT_POLICY": "PASSIVE"}


@dataclass(frozen=True)
class Recipe:
    """A model and how it is trained."""

    says: str
    sizes: dict = field(default_factory=dict)  # of `Config`, or of nanoGPT's GPTConfig
    batch_size: int = 16
    block_size: int = 64
    learning_rate: float = 1e-2
    optimizers: object = partial(muon, times=4.0)
    lowest: float = 0.0  # share of the rate that is left at the end
    constant: bool = False
    clip: float = 1.0
    zero_start: bool = True
    nanogpt: bool = False


def nano(says: str, n_embd: int, learning_rate: float = 1e-3, **others) -> Recipe:
    """Return a recipe: nanoGPT's code, with the sizes of its README for a computer without a GPU."""
    sizes = dict(n_layer=4, n_head=4, n_embd=n_embd, dropout=0.0, bias=False)
    return Recipe(says, sizes, 12, 64, learning_rate, None, lowest=0.1, nanogpt=True, **others)


OURS = Recipe("this course's GPT", dict(n_layer=3, n_head=4, n_embd=96))


def changed(says: str, **changes) -> Recipe:
    """Return our recipe with these changes; `sizes` changes only the sizes that it names."""
    sizes = OURS.sizes | changes.pop("sizes", {})
    return replace(OURS, says=says, sizes=sizes, **changes)


RECIPES = {
    "nanogpt-128": nano("nanoGPT's code, width 128: its README's run on a CPU", 128),
    "nanogpt": nano("nanoGPT's code, width 64", 64),
    "ours": OURS,
    "adamw": changed("AdamW at 4e-3 for all", optimizers=adamw, learning_rate=4e-3),
    "constant": changed("no schedule: a constant rate", constant=True),
    "learned": changed("learned positions for rotary", sizes=dict(positions="learned")),
    "no-qk-norm": changed("queries and keys not normalised", sizes=dict(qk_norm=False)),
    "gelu": changed("GELU for ReLU²", sizes=dict(activation="gelu")),
    "layer-norm": changed("layer norm for RMS", sizes=dict(norm="layer")),
    "own-start": changed("PyTorch's first weights for zeros", zero_start=False),
    "narrow": changed("width 64", sizes=dict(n_embd=64)),
    "wide": changed("width 128", sizes=dict(n_embd=128)),
    "shallow": changed("2 blocks", sizes=dict(n_layer=2)),
    "deep": changed("4 blocks", sizes=dict(n_layer=4)),
    "batch-8": changed("batches of 8", batch_size=8),
    "batch-32": changed("batches of 32", batch_size=32),
    "nanogpt-rate": nano("nanoGPT's code, width 64, rate 4e-3", 64, 4e-3),
}


def nanogpt_module(folder: str):
    """Return nanoGPT's model.py as a module. Exits if it isn't in the folder."""
    path = Path(folder, "model.py")
    if not path.exists():
        sys.exit(f"{path}: expected nanoGPT's model.py there, a checkout of karpathy/nanoGPT")
    spec = importlib.util.spec_from_file_location("nanogpt_model", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class Logits(nn.Module):
    """nanoGPT's model, called like ours: it returns the logits at every position."""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = model

    def forward(self, ids):
        return self.model(ids, ids)[0]  # with targets it returns the logits of all positions


def make(recipe: Recipe, vocab_size: int, folder: str):
    """Return the recipe's model and its optimizers."""
    common = dict(vocab_size=vocab_size, block_size=recipe.block_size)
    if recipe.nanogpt:
        module = nanogpt_module(folder)
        with contextlib.redirect_stdout(io.StringIO()):
            model = module.GPT(module.GPTConfig(**common, **recipe.sizes))
            steps = model.configure_optimizers(0.1, recipe.learning_rate, (0.9, 0.99), "cpu")
        return Logits(model), [steps]

    def block(config):
        made = make_block(config)
        if not recipe.zero_start:
            for layer in (made.attention.out, made.mlp.out):
                layer.reset_parameters()
        return made

    model = GPT(Config(**common, **recipe.sizes), block)
    return model, recipe.optimizers(model, recipe.learning_rate)


def share_of_rate(recipe: Recipe, spent: float) -> float:
    """Return the factor of the rate after this share of the time: it rises for a twentieth, then falls."""
    up = min(1.0, (spent + 0.002) / 0.05)
    down = 1.0 if recipe.constant else warm_up_and_cosine(int(10_000 * spent), 10_001, 500)
    return up if spent < 0.05 else recipe.lowest + (1 - recipe.lowest) * down


def one_run(recipe: Recipe, seed: int, folder: str, text: str, seconds: float) -> dict:
    """Train for this CPU time; return the held-back loss, and the numbers of steps and parameters."""
    torch.set_num_threads(N_THREADS)
    torch.manual_seed(seed)
    tokenizer = CharTokenizer(text)
    train_ids, held_ids = split(torch.tensor(tokenizer.encode(text)))
    model, optimizers = make(recipe, len(tokenizer.vocab), folder)
    generator = torch.Generator().manual_seed(seed)
    groups = [group for each in optimizers for group in each.param_groups]
    rates = [group["lr"] for group in groups]
    steps, start = 0, time.process_time()
    while (spent := (time.process_time() - start) / seconds) < 1:
        for group, rate in zip(groups, rates, strict=True):
            group["lr"] = rate * share_of_rate(recipe, spent)
        x, y = get_batch(train_ids, recipe.batch_size, recipe.block_size, generator)
        loss = model.model(x, y)[1] if recipe.nanogpt else cross_entropy(model(x), y)
        model.zero_grad(set_to_none=True)
        loss.backward()
        if recipe.clip:
            nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
        for each in optimizers:
            each.step()
        steps += 1
    return {
        "loss": evaluate(model, held_ids, recipe.block_size).mean,
        "steps": steps,
        "parameters": sum(p.numel() for p in model.parameters()),
    }


def child(name: str, seed: int, options: argparse.Namespace) -> dict:
    """Run `one_run` in its own process, whose CPU time is then that of the training; return its result.

    A run that is already in the file of `--store` is returned from there.
    """
    stored = Path(options.store) if options.store else None
    lines = stored.read_text().splitlines() if stored and stored.exists() else []
    for line in map(json.loads, lines):
        if (line["name"], line["seed"], line["seconds"]) == (name, seed, options.seconds):
            return line
    command = [sys.executable, "-P", __file__, options.nanogpt, options.text]
    command += ["--one", name, "--seeds", str(seed), "--seconds", str(options.seconds)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | THREADS)
    if done.returncode:
        sys.exit(f"{name}, seed {seed}:\n{done.stderr}")
    run = {"name": name, "seed": seed, "seconds": options.seconds, **json.loads(done.stdout)}
    print(f"{name}, seed {seed}: {run['loss']:.3f}", file=sys.stderr, flush=True)
    if stored:
        with stored.open("a") as out:
            print(json.dumps(run), file=out)
    return run


def table(names: list[str], found: dict[str, list[dict]]) -> None:
    """Print each recipe's mean loss and spread, and its difference from ours, seed by seed."""
    print(f"{'loss':>6} {'±':>6} {'steps':>6} {'parameters':>10} {'from ours':>15}")
    for name in names:
        losses = [run["loss"] for run in found[name]]
        apart = ""
        if name != "ours" and "ours" in found:
            pairs = zip(found[name], found["ours"], strict=True)
            gaps = [run["loss"] - ours["loss"] for run, ours in pairs]
            apart = f"{statistics.mean(gaps):+.3f} ± {statistics.stdev(gaps):.3f}"
        steps = statistics.mean(run["steps"] for run in found[name])
        print(
            f"{statistics.mean(losses):6.3f} {statistics.stdev(losses):6.3f} {steps:6.0f} "
            f"{found[name][0]['parameters']:10,} {apart:>15}  {RECIPES[name].says}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("nanogpt", help="a checkout of nanoGPT")
    parser.add_argument("text", nargs="?", default="tinyshakespeare")
    parser.add_argument("--only", nargs="+", choices=RECIPES, default=list(RECIPES))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=CPU_SECONDS, help="of CPU, a training")
    parser.add_argument("--jobs", type=int, default=1, help="trainings at once, on two cores each")
    parser.add_argument("--store", help="a file of runs to go on with: another start skips them")
    parser.add_argument("--one", choices=RECIPES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        text = load_corpus(options.text)
        run = one_run(RECIPES[options.one], options.seeds, options.nanogpt, text, options.seconds)
        return print(json.dumps(run))
    if options.seeds < 2:
        parser.error("--seeds: expected 2 or more, since one run has no spread")
    nanogpt_module(options.nanogpt)
    turns = [(name, seed) for seed in range(1, options.seeds + 1) for name in options.only]
    with ThreadPoolExecutor(options.jobs) as pool:
        runs = list(pool.map(lambda turn: child(*turn, options), turns))
    found = {name: [] for name in options.only}
    for (name, _), run in zip(turns, runs, strict=True):
        found[name].append(run)
    table(options.only, found)


if __name__ == "__main__":
    main()
