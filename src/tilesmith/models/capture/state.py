"""What a captured model has as constants, and whether any of it changed since."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

# Of larger tensors not every element is looked at, but some of every row.
_LOOKED_AT = 1 << 22


def fingerprint(tensor: torch.Tensor) -> tuple[Any, ...]:
    """What tells a tensor from the same one written to: writes through `.data` count no version.

    >>> weight = torch.zeros(4, 4)
    >>> before = fingerprint(weight)
    >>> weight.data[1] = 2.0
    >>> fingerprint(weight) == before
    False
    """
    flatten = getattr(tensor, "__tensor_flatten__", None)
    if flatten is not None:  # several tensors that act as one, as torchao's quantised ones
        names, rest = flatten()
        return type(tensor), str(rest), *(fingerprint(getattr(tensor, name)) for name in names)
    version = 0 if tensor.is_inference() else tensor._version
    return tensor.data_ptr(), version, tensor.dtype, tuple(tensor.shape), _checksum(tensor)


def _checksum(tensor: torch.Tensor) -> int:
    """A sum over the bits of a tensor in which every row counts differently."""
    kind = _BITS.get(tensor.element_size())
    if kind is None or tensor.numel() == 0 or tensor.layout != torch.strided or tensor.is_complex():
        return 0
    plain = tensor.detach()
    rows = plain.reshape(1, -1) if plain.dim() < 2 else plain.reshape(-1, plain.shape[-1])
    seen = rows[:, :: max(1, rows.numel() // _LOOKED_AT)].contiguous().view(kind)
    along = torch.arange(1, seen.shape[1] + 1) if len(seen) == 1 else None
    sums = (seen * along).sum(1) if along is not None else seen.sum(1, dtype=torch.int64)
    return int((sums * torch.arange(1, len(sums) + 1)).sum())


_BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def attributes(modules: Iterable[torch.nn.Module]) -> tuple[Any, ...]:
    """Attributes of modules that are neither parameter, buffer nor module: capture made constants of them.

    >>> layer = torch.nn.Dropout(0.5)
    >>> before = attributes([layer])
    >>> layer.p = 0.1
    >>> attributes([layer]) == before
    False
    """
    return tuple(
        (name, _described(value))
        for module in modules
        for name, value in vars(module).items()
        if not name.startswith("_") and name != "training"
    )


def _described(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return fingerprint(value) if type(value) is torch.Tensor else id(value)
    if isinstance(value, list | tuple):
        return (type(value), *map(_described, value))
    if isinstance(value, dict):
        return tuple((key, _described(one)) for key, one in value.items())
    plain = value is None or isinstance(value, bool | int | float | str | torch.dtype)
    return (type(value), value) if plain else id(value)
