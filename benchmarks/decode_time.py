"""Tokens per second that a GPT writes with and without a cache, by the length of the prompt.

Run: python benchmarks/decode_time.py
CPU time of one sequence on one thread; both ways take turns and write the same ids. The ratio grows with
the length, because without a cache the model reads all tokens again for each new one.
"""

import statistics
import time

import torch

from attention.cache import Cache
from attention.generation import generate
from attention.gpt import GPT, Config

LENGTHS = [64, 128, 256, 512, 1024]
N_NEW, ROUNDS = 16, 7


def a_model():
    """Return a GPT of three blocks of width 96, with random weights, since its text doesn't matter."""
    torch.manual_seed(0)
    model = GPT(Config(vocab_size=65, block_size=2048)).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.1)
    return model


def with_caches(model, ids, n_new, generator):
    caches = [Cache(ids.shape[1] + n_new) for _ in model.blocks]
    return generate(model, ids, n_new, generator, caches=caches)


def seconds(way, model, ids):
    """Return the CPU seconds for `N_NEW` tokens after a first one, for which the prompt is read."""
    start = time.process_time()
    way(model, ids, 1, torch.Generator().manual_seed(0))
    prompt = time.process_time()
    way(model, ids, 1 + N_NEW, torch.Generator().manual_seed(0))
    return (time.process_time() - prompt) - (prompt - start)


if __name__ == "__main__":
    torch.set_num_threads(1)
    model = a_model()
    print(f"{'length':>6} {'without':>9} {'with':>9}  (tokens a second)  {'ratio':>6}")
    for length in LENGTHS:
        ids = torch.randint(65, (1, length), generator=torch.Generator().manual_seed(length))
        found = {generate: [], with_caches: []}
        for turn in range(ROUNDS + 1):
            for way, times in found.items():
                taken = seconds(way, model, ids)
                if turn:  # the first turn warms up
                    times.append(taken)
        without, cached = (N_NEW / statistics.median(times) for times in found.values())
        print(f"{length:>6} {without:>9.0f} {cached:>9.0f} {'':20} {cached / without:>6.1f}")
