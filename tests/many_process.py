"""One of several processes, as torchrun starts them for test_ring: compares its part, or dies."""

import os
import sys
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.nn.functional as F

from attention import ring

T, D, DV = 4, 5, 7  # of each part


def main(what: str) -> None:
    dist.init_process_group("gloo", timeout=timedelta(seconds=60))
    rank, size = dist.get_rank(), dist.get_world_size()
    draw = torch.Generator().manual_seed(0)
    shapes = [(2, 3, size * T, D)] * 2 + [(2, 3, size * T, DV)] * 2  # q, k, v, d_out
    q, k, v, d_out = (torch.randn(*shape, generator=draw, dtype=torch.float64) for shape in shapes)
    part = slice(rank * T, (rank + 1) * T)
    if what == "uneven" and rank == 1:
        part = slice(rank * T, (rank + 1) * T - 1)
    if what == "dies" and rank == 1:
        hand_on = ring.hand_on

        def one_more(*tensors):
            ring.hand_on = lambda *tensors: os._exit(7)
            return hand_on(*tensors)

        ring.hand_on = one_more
    for causal in (True, False):
        whole = [x.clone().requires_grad_() for x in (q, k, v)]
        theirs = F.scaled_dot_product_attention(*whole, is_causal=causal)
        theirs.backward(d_out)
        ours = [x[..., part, :].clone().requires_grad_() for x in (q, k, v)]
        out = ring.ring_attention(*ours, causal=causal, block_size=3)
        out.backward(d_out[..., part, :])
        torch.testing.assert_close(out, theirs[..., part, :])
        for mine, wanted in zip(ours, whole, strict=True):
            torch.testing.assert_close(mine.grad, wanted.grad[..., part, :])
        print(f"process {rank} of {size}, causal {causal}: equal")
    dist.destroy_process_group()


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except (RuntimeError, ValueError) as error:
        sys.exit(str(error))
