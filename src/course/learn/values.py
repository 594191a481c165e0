"""Compare two values, or copy one, whatever a learner's function returned.

Nothing here calls a method of an object that it doesn't know. So an object that a learner returns
can't decide how it is compared, raise an error, or run for ever.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

RTOL, ATOL = 5e-5, 1e-6  # logsumexp near 1000 is off by 3e-5 in float32, other formulas by less
LARGE, MANY_ITEMS = 10**7, 20_000  # a tensor or container of more is not copied
TENSORS = (Tensor, nn.Parameter)
FLOATS = (float, np.float64)
OURS = ("attention.", "chapters.", "course.")
PLAIN = (bool, int, float, complex, str, bytes, type(None), torch.dtype, torch.Size)


def is_a(value: Any, cls: type) -> bool:
    """isinstance by the real type, whatever class an object claims to have."""
    return issubclass(type(value), cls)


def exactly(value: Any, *classes: type) -> bool:
    return any(type(value) is cls for cls in classes)  # never ==, which a metaclass can define


def kept(value: Any) -> Any:
    """A copy that later calls of the function can't change, or the value itself if that fails."""
    try:
        return _kept(value, [MANY_ITEMS])
    except Exception:  # too much, too deep, or PyTorch can't copy it
        return value


def _kept(value: Any, room: list[int]) -> Any:
    if exactly(value, *TENSORS):
        return value.detach().clone() if value.numel() < LARGE else value
    if exactly(value, list, tuple, dict, set):
        room[0] -= len(value)
        if room[0] < 0:
            raise ValueError("too many items to copy")
    if exactly(value, list, tuple):
        return type(value)(_kept(item, room) for item in value)
    if exactly(value, dict) and _plain(value):
        return {key: _kept(item, room) for key, item in value.items()}
    return set(value) if exactly(value, set) and _plain(value) else value


def same(a: Any, b: Any, rtol: float = RTOL) -> bool:
    """Whether two values agree: types and shapes are equal, and numbers are equal within rounding,
    or exactly if rtol is 0."""
    try:
        return _same(a, b, rtol)
    except Exception:  # too deep, or of a kind that PyTorch can't compare: not the answer
        return False


def _same(a: Any, b: Any, rtol: float) -> bool:
    if exactly(a, *TENSORS) and exactly(b, *TENSORS):
        plain = not odd(a) and not odd(b)
        alike = plain and a.shape == b.shape and a.dtype == b.dtype
        return alike and _close(a.detach(), b.detach(), rtol)
    if exactly(a, *FLOATS) and exactly(b, *FLOATS):
        return _close(*(torch.tensor(float(x), dtype=torch.float64) for x in (a, b)), rtol)
    if is_a(a, nn.Module) and type(a) is type(b):
        return _same(_contents(a), _contents(b), rtol)
    if exactly(a, tuple, torch.Size) and exactly(b, tuple, torch.Size):
        return len(a) == len(b) and all(
            _same(*both, rtol) for both in zip(a, b, strict=True)
        )  # a torch.Size counts as a tuple
    if type(a) is not type(b):
        return False
    if a is b:
        return True
    if exactly(a, list):
        return len(a) == len(b) and all(_same(*both, rtol) for both in zip(a, b, strict=True))
    if exactly(a, dict):
        keys = _plain(a) and _plain(b) and a.keys() == b.keys()
        return keys and all(_same(a[key], b[key], rtol) for key in a)
    if exactly(a, set):
        return _plain(a) and _plain(b) and a == b
    if exactly(a, *PLAIN):
        return a == b
    ours = type(a).__module__.startswith(OURS)  # compare our own objects by their attributes
    return ours and _same(*(object.__getattribute__(x, "__dict__") for x in (a, b)), rtol)


def _contents(module: nn.Module) -> dict[str, Any]:
    """A module's parameters and buffers, saved or not, which of them learn, and each part's mode."""
    learn = {f"{name}.requires_grad": p.requires_grad for name, p in module.named_parameters()}
    modes = {f"{name}.training": part.training for name, part in module.named_modules()}
    return {**dict(module.named_parameters()), **dict(module.named_buffers()), **learn, **modes}


def _plain(keys: dict | set) -> bool:
    """Whether all keys are of built-in types, so that looking one up runs no learner's code."""
    return all(exactly(key, *PLAIN) for key in keys)


def plain_keys(value: dict) -> set:
    """The keys of built-in types, which can be looked up safely."""
    return {key for key in value if exactly(key, *PLAIN)}


def _close(a: Tensor, b: Tensor, rtol: float) -> bool:
    return torch.equal(a, b) or not _far(a, b, rtol).any()  # torch.equal is quicker


def _far(a: Tensor, b: Tensor, rtol: float = RTOL) -> Tensor:
    """True where two tensors of one shape and type differ by more than rounding."""
    if not b.is_floating_point():
        return a != b
    finite = b[b.isfinite()]
    largest = float(finite.abs().max()) if finite.numel() else 0.0
    atol = ATOL * max(1.0, largest) if rtol else 0.0
    return ~torch.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)


def first_difference(a: Tensor, b: Tensor) -> tuple[int, ...]:
    """The index of the first number in which two tensors of one shape and type differ."""
    return tuple(_far(a.detach(), b).nonzero()[0].tolist())


def odd(tensor: Tensor) -> str:
    """What keeps a tensor from being a plain array of numbers on the CPU, or ''."""
    if tensor.is_nested:
        return "nested"
    if tensor.layout != torch.strided:
        return "sparse"
    if tensor.device.type != "cpu":
        return f"{tensor.device.type} device's"
    return "quantized" if tensor.is_quantized else ""
