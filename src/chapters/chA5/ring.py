"""Ring attention: several processes share a text, and keys and values go round.

Every process holds the queries of its part, attends to the keys that it has at the moment, and sends
these keys to the next process. The results for the parts are merged as in `blockwise` (Liu et al.,
2023). Use it with torchrun and `torch.distributed.init_process_group("gloo")`.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
import torch.distributed as dist
from jaxtyping import Float
from torch import Tensor

from chapters.ch15.blockwise import attend_in_blocks, block_gradients, block_scores, merge


def _causal(queries: Tensor, keys: Tensor) -> Tensor:
    return keys <= queries


@contextmanager
def _waiting_for(what: str) -> Iterator[None]:
    """If no answer comes, raise an error that says which process waited, and for what."""
    try:
        yield
    except RuntimeError as error:
        raise RuntimeError(
            f"process {dist.get_rank()} of {dist.get_world_size()}: expected {what}, got no answer "
            f"from one of them; perhaps it has died: read its message, and start all processes again"
        ) from error


def send_recv(*tensors: Tensor) -> list[Tensor]:
    """Send these tensors to the next process; return those of the previous one, of the same shapes.

    Raises RuntimeError, with the ranks, if a neighbour is gone.
    """
    rank, size = dist.get_rank(), dist.get_world_size()
    if size == 1:
        return list(tensors)
    before, after = (rank - 1) % size, (rank + 1) % size
    ours = torch.cat([tensor.flatten() for tensor in tensors])  # one message for all tensors
    theirs = torch.empty_like(ours)
    with _waiting_for(f"keys from process {before}, and process {after} to take ours"):
        for message in (dist.isend(ours, after), dist.irecv(theirs, before)):
            message.wait()
    parts = theirs.split([tensor.numel() for tensor in tensors])
    return [part.view_as(tensor) for part, tensor in zip(parts, tensors, strict=True)]


def check_parts(q: Tensor, k: Tensor, v: Tensor) -> None:
    """Raise ValueError unless the parts have the same shape in all processes."""
    ours = [tuple(x.shape) for x in (q, k, v)]
    all_of_them = [None] * dist.get_world_size()
    with _waiting_for("the shapes of all processes' parts"):
        dist.all_gather_object(all_of_them, ours)
    for rank, theirs in enumerate(all_of_them):
        if theirs != ours:
            raise ValueError(
                f"q, k, v: expected the same shapes in every process, got {ours} in process "
                f"{dist.get_rank()} and {theirs} in process {rank}; cut the text into equal parts, "
                f"or pad it"
            )


class _Ring(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, causal, block_size):
        rank, size = dist.get_rank(), dist.get_world_size()
        rule, keys, values = _causal if causal else None, k, v
        known = attend_in_blocks(q, k, v, block_size, rule)  # our own part: the diagonal
        for step in range(1, size):
            keys, values = send_recv(keys, values)
            if not causal or step <= rank:  # these keys are of process rank - step
                known = merge(known, attend_in_blocks(q, keys, values, block_size))
        ctx.save_for_backward(q, k, v, *known)
        ctx.causal = causal
        return known[0]

    @staticmethod
    def backward(ctx, d_out):
        q, k, v, out, log_sum = ctx.saved_tensors
        rank, size = dist.get_rank(), dist.get_world_size()
        d_q, d_k, d_v = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
        for step in range(size):
            if not ctx.causal or step <= rank:
                scores = block_scores(q, k, _causal if ctx.causal and step == 0 else None)
                added = block_gradients(q, k, v, scores, log_sum, out, d_out)
                d_q, d_k, d_v = (x + y for x, y in zip((d_q, d_k, d_v), added, strict=True))
            k, v, d_k, d_v = send_recv(k, v, d_k, d_v)  # gradients travel with their keys, and home
        return d_q, d_k, d_v, None, None


def ring_attention(
    q: Float[Tensor, "*B T D"],
    k: Float[Tensor, "*B T D"],
    v: Float[Tensor, "*B T Dv"],
    causal: bool = True,
    block_size: int = 64,
) -> Float[Tensor, "*B T Dv"]:
    """Attention of this process's part of the text to all parts; process 0 has the first, and so on.

    Every process of the group has to call it, and its backward pass, at the same time.
    """
    if not dist.is_initialized():
        raise RuntimeError(
            "ring_attention: expected a process group, got none; start the program by torchrun, and "
            'call torch.distributed.init_process_group("gloo") first'
        )
    check_parts(q, k, v)
    return _Ring.apply(q, k, v, causal, block_size)
