"""A KV cache: the keys and values of earlier tokens, so that no token is read twice."""

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
