"""Muon: a step of a matrix that is equally long in every direction (Jordan et al., 2024)."""

from collections import defaultdict

import torch
from jaxtyping import Float
from torch import Tensor


def orthogonalised(g: Float[Tensor, "*B M N"], n_steps: int = 5) -> Float[Tensor, "*B M N"]:
    """A matrix with the singular vectors of `g` and singular values from 0.68 to 1.13.

    (Those that are less than a hundredth of the norm of `g` may become smaller or larger.)

    Each step of Newton and Schulz puts a polynomial on all singular values at once, by products
    alone: s -> 3.4445 s - 4.775 s^3 + 2.0315 s^5.
    """
    tall = g.shape[-2] > g.shape[-1]
    x = g.mT if tall else g
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(n_steps):
        gram = x @ x.mT
        x = 3.4445 * x + (-4.775 * gram + 2.0315 * gram @ gram) @ x
    return x.mT if tall else x


class Muon(torch.optim.Optimizer):
    """Steps along the orthogonalised momentum of each matrix; those of one shape are processed together.

    `torch.optim.Muon` computes this in bfloat16; here it is done in the precision of the gradient.
    """

    def __init__(self, params, lr: float, momentum: float = 0.95):
        super().__init__(params, dict(lr=lr, momentum=momentum))

    @torch.no_grad()
    def step(self) -> None:
        """Move every matrix that has a gradient by lr times its orthogonalised momentum."""
        for group in self.param_groups:
            alike = defaultdict(list)
            for p in group["params"]:
                if p.grad is not None:
                    alike[p.shape].append(p)
            for same in alike.values():
                ahead = []
                for p in same:
                    kept = self.state[p].setdefault("momentum", torch.zeros_like(p))
                    kept.lerp_(p.grad, 1 - group["momentum"])
                    ahead.append(p.grad.lerp(kept, group["momentum"]))  # Nesterov's look ahead
                moves = orthogonalised(torch.stack(ahead))
                longer = max(1, same[0].shape[0] / same[0].shape[1]) ** 0.5
                for p, move in zip(same, moves, strict=True):
                    p.sub_(group["lr"] * longer * move)
