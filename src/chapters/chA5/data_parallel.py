"""The work of each of many processes: attention in a ring, and the gradients of its shard of a batch.

Every process is given all the data, takes its part, and returns its result. Try it:
`torchrun --nproc-per-node 2 -m chapters.chA5.data_parallel`.
"""

import torch
import torch.distributed as dist
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from attention.gpt import GPT, Config
from attention.training import cross_entropy
from chapters.chA5.processes import PATIENCE
from chapters.chA5.ring import ring_attention


def shard(x: Tensor, dim: int) -> Tensor:
    """This process's equal part of x along `dim`: process 0 has the first, and so on."""
    size = dist.get_world_size()
    if x.shape[dim] % size:
        raise ValueError(
            f"expected a length that {size} processes can share equally, got {x.shape[dim]}; drop "
            f"the rest, or pad"
        )
    return x.chunk(size, dim)[dist.get_rank()]


def ring_part(
    q: Float[Tensor, "*B T D"],
    k: Float[Tensor, "*B T D"],
    v: Float[Tensor, "*B T Dv"],
    d_out: Float[Tensor, "*B T Dv"],
    causal: bool = True,
    block_size: int = 64,
) -> list[Tensor]:
    """The output for this process's part of the text, and the gradients of its q, k and v."""
    ours = [shard(x, -2).detach().clone().requires_grad_() for x in (q, k, v)]
    out = ring_attention(*ours, causal=causal, block_size=block_size)
    out.backward(shard(d_out, -2))
    return [out.detach(), *(x.grad for x in ours)]


def data_parallel_gradients(
    model: nn.Module, x: Int[Tensor, "B T"], y: Int[Tensor, "B T"]
) -> dict[str, Tensor]:
    """The gradients after PyTorch's data-parallel backward on this process's shard of the batch.

    Each process computes the gradients of its shard. Then they are averaged over all processes (Li et
    al., 2020), so every process has the same. They are the gradients of the full batch, because the
    shards are equal.
    """
    together = DistributedDataParallel(model)
    cross_entropy(together(shard(x, 0)), shard(y, 0)).backward()
    return {name: p.grad for name, p in model.named_parameters()}


def gradients(model: nn.Module, x: Int[Tensor, "B T"], y: Int[Tensor, "B T"]) -> dict[str, Tensor]:
    """The gradients of the full batch's loss, in one process."""
    return dict(
        zip(
            (name for name, _ in model.named_parameters()),
            torch.autograd.grad(cross_entropy(model(x), y), list(model.parameters())),
            strict=True,
        )
    )


def join_group() -> None:
    """Join the group of processes that torchrun has started."""
    if not dist.is_torchelastic_launched():
        raise RuntimeError(
            "expected to be started by torchrun, got a process on its own: "
            "torchrun --nproc-per-node 2 -m chapters.chA5.data_parallel"
        )
    dist.init_process_group("gloo", timeout=PATIENCE)


def compare() -> None:
    """Compute both as one of many processes and in a single one, and print the largest difference."""
    rank, size = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    q, k, v, d_out = (torch.randn(2, 4 * size, 8, dtype=torch.float64) for _ in range(4))
    whole = [x.clone().requires_grad_() for x in (q, k, v)]
    out = nn.functional.scaled_dot_product_attention(*whole, is_causal=True)
    out.backward(d_out)
    wanted = [shard(x, -2) for x in (out, *(x.grad for x in whole))]
    found = ring_part(q, k, v, d_out)
    _say("ring attention", rank, size, [a - b for a, b in zip(found, wanted, strict=True)])
    model = GPT(Config(65, 16, n_layer=2, n_embd=32)).double()
    x, y = torch.randint(65, (2, 2 * size, 16))
    alone, shared = gradients(model, x, y), data_parallel_gradients(model, x, y)
    _say("data-parallel gradients", rank, size, [shared[name] - alone[name] for name in alone])


def _say(what: str, rank: int, size: int, differences: list[Tensor]) -> None:
    largest = max(d.abs().max().item() for d in differences)
    line = f"process {rank} of {size}, {what}: {largest:.0e} from one process's\n"
    print(line, end="", flush=True)  # in one piece, otherwise two processes' lines run into each other


if __name__ == "__main__":
    join_group()
    compare()
    dist.destroy_process_group()
