"""A KV cache: the keys and values of earlier tokens, so that no token is read twice."""

import torch
from jaxtyping import Float
from torch import Tensor


class Cache:
    """The keys and values of one layer, of up to `capacity` positions.

    `seen` is the number of positions so far, which is the position of the next token.
    """

    def __init__(self, capacity: int):
        if capacity < 1:
            raise ValueError(f"capacity: expected 1 or more positions, got {capacity}")
        self.capacity, self.seen = capacity, 0
        self.k: Tensor | None = None  # (B, Hkv, capacity, D), made when the first keys come
        self.v: Tensor | None = None

    def append(
        self, k: Float[Tensor, "B Hkv T D"], v: Float[Tensor, "B Hkv T D"]
    ) -> tuple[Float[Tensor, "B Hkv S D"], Float[Tensor, "B Hkv S D"]]:
        """Keep these keys and values; return all S that are kept now, the oldest first."""
        end = self.seen + k.shape[2]
        if end > self.capacity:
            raise ValueError(
                f"cache: expected at most {self.capacity} positions (its capacity), got "
                f"{self.seen} kept and {k.shape[2]} new; make a larger one, or start a new "
                f"one with the last tokens"
            )
        if self.k is None or self.v is None:
            B, H, _, D = k.shape
            self.k, self.v = (
                k.new_empty(B, H, self.capacity, D),
                v.new_empty(B, H, self.capacity, D),
            )
        if k.shape[0] != self.k.shape[0]:
            raise ValueError(
                f"k, v: expected the {self.k.shape[0]} sequences that the cache holds, got "
                f"{k.shape[0]}; a cache belongs to one batch"
            )
        self.k[:, :, self.seen : end], self.v[:, :, self.seen : end] = k, v
        self.seen = end
        return self.k[:, :, :end], self.v[:, :, :end]


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
