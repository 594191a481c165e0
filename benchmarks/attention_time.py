"""Peak memory of MultiHeadAttention, and its time compared with F.scaled_dot_product_attention.

Run: python benchmarks/attention_time.py
The peer is PyTorch's function, called directly with the same projections. The aim is that the fused module
takes at most 1.05 times as long as the peer at every length. The explicit way (`forward_with_weights`)
shows what it costs to compute the weights.
"""

import multiprocessing
import re
import statistics
import time
from pathlib import Path

import torch
import torch.nn.functional as F

from attention.multi_head import MultiHeadAttention

WIDTH, HEADS = 256, 8
LENGTHS = [64, 128, 256, 512, 1024, 2048, 4096]


def ways(length):
    """Return the peer, the fused module and the explicit way, each as a function of x."""
    torch.manual_seed(0)
    module = MultiHeadAttention(WIDTH, HEADS, length).eval()
    module.requires_grad_(False)

    def direct(x):
        B, T, C = x.shape
        q, k, v = module.qkv(x).view(B, T, 3, HEADS, C // HEADS).permute(2, 0, 3, 1, 4)
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return module.out(out.transpose(1, 2).reshape(B, T, C))

    return {
        "direct": direct,
        "fused": module,
        "explicit": lambda x: module.forward_with_weights(x)[0],
    }


def times(length, repeats):
    """Return the median CPU seconds of each way; they take turns, so that all see the same machine."""
    forwards, x = ways(length), torch.randn(1, length, WIDTH)
    inner = max(1, 2048 // length)
    seconds = {name: [] for name in forwards}
    for turn in range(repeats + 2):
        for name, forward in forwards.items():
            start = time.process_time()
            for _ in range(inner):
                forward(x)
            if turn >= 2:
                seconds[name].append(time.process_time() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}


def peak(name, length, answer):
    """Put into `answer` the MiB that one forward pass adds to the peak of a fresh process."""
    torch.set_num_threads(1)
    x = torch.randn(1, length, WIDTH)
    ways(64)[name](x[:, :64])
    forward = ways(length)[name]
    before = high_water()
    forward(x)
    answer.put(high_water() - before)


def high_water():
    """Return this process's peak memory in MiB (on Linux; getrusage would include the parent's)."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024


def peaks(length):
    """Return the MiB that each way needs, each measured in its own process."""
    context, found = multiprocessing.get_context("spawn"), {}
    for name in ("direct", "fused", "explicit"):
        answer = context.Queue()
        process = context.Process(target=peak, args=(name, length, answer))
        process.start()
        found[name] = answer.get()
        process.join()
    return found


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(f"width {WIDTH}, {HEADS} heads, one sequence, one thread; time as a multiple of direct")
    print(
        f"{'T':>5} {'fused':>7} {'explicit':>9}   {'MiB direct':>10} {'fused':>7} {'explicit':>9}"
    )
    for length in LENGTHS:
        t, m = times(length, repeats=60 if length <= 1024 else 15), peaks(length)
        print(
            f"{length:>5} {t['fused'] / t['direct']:>7.2f} {t['explicit'] / t['direct']:>9.2f}   "
            f"{m['direct']:>10.0f} {m['fused']:>7.0f} {m['explicit']:>9.0f}"
        )
