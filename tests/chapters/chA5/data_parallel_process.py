"""What a process does in test_data_parallel besides its part: it hands in less, or dies on the way."""

import os
import signal
import sys

import torch
import torch.distributed as dist

from chapters.chA5 import data_parallel, ring


def uneven() -> None:
    """Process 1 has a key less than the others."""
    x = torch.zeros(1, 4 - (dist.get_rank() == 1), 5)
    ring.ring_attention(x, x, x)


def die(n_sends: int) -> None:
    """Process 1 dies when it has sent its keys so many times."""
    send_recv = ring.send_recv

    def one_less(*tensors):
        nonlocal n_sends
        if dist.get_rank() == 1 and not n_sends:
            os._exit(7)
        n_sends -= 1
        return send_recv(*tensors)

    ring.send_recv = one_less
    x = torch.ones(1, 4, 5, requires_grad=True)
    ring.ring_attention(x, x, x).sum().backward()


def sent(*given: torch.Tensor) -> tuple[int, int]:
    """How many bytes we send in the forward of a ring, and in both passes."""
    isend, bytes_ = dist.isend, []

    def counted(tensor, to):
        bytes_.append(tensor.nbytes)
        return isend(tensor, to)

    dist.isend = counted
    attend, forward = data_parallel.ring_attention, []

    def attended(*parts, **how):
        out = attend(*parts, **how)
        forward.append(sum(bytes_))
        return out

    data_parallel.ring_attention = attended
    data_parallel.ring_part(*given)
    return *forward, sum(bytes_)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # torchrun's, to all when one has died
    data_parallel.join_group()
    data_parallel.compare()
    try:
        die(n_sends=1)
    except RuntimeError as error:
        sys.exit(str(error))
