"""A KV cache of fixed size: the first positions, and a window of the last."""

import torch
from jaxtyping import Float
from torch import Tensor

from attention.cache import Cache


class WindowCache(Cache):
    """A cache that never fills: it keeps the first `sinks` positions and the last `window`.

    Nothing is lost if the masks of the model are such windows. The sinks are the first positions, to which
    many models attend when they have nothing to attend to (Xiao et al., 2023). Rotary keys keep the
    angle of their position in the text; ALiBi counts the positions that are kept.
    """

    def __init__(self, window: int, sinks: int = 0):
        if window < 1 or sinks < 0:
            raise ValueError(
                f"window, sinks: expected 1 or more positions and 0 or more, got {window} and {sinks}"
            )
        super().__init__(window + sinks)
        self.sinks = sinks

    def append(
        self, k: Float[Tensor, "B Hkv T D"], v: Float[Tensor, "B Hkv T D"]
    ) -> tuple[Float[Tensor, "B Hkv S D"], Float[Tensor, "B Hkv S D"]]:
        """Keep these keys and values, and drop the oldest that isn't a sink if there are too many."""
        n_new = k.shape[2]
        if n_new > 1 and self.seen + n_new > self.capacity:
            raise ValueError(
                f"window: expected up to {max(1, self.capacity - self.seen)} new positions at once, "
                f"got {n_new}, since each of them has a different window; pass the first "
                f"{self.capacity} together and the others one by one"
            )
        if self.k is not None and self.v is not None:
            k, v = torch.cat([self.k, k], dim=2), torch.cat([self.v, v], dim=2)
        if k.shape[2] > self.capacity:
            k, v = (
                torch.cat([part[:, :, : self.sinks], part[:, :, self.sinks + 1 :]], dim=2)
                for part in (k, v)
            )
        self.k, self.v, self.seen = k, v, self.seen + n_new
        return k, v
