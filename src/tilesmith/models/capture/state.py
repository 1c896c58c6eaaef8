"""What a captured model has as constants, and whether any of it changed since."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from operator import is_, itemgetter
from typing import Any

import torch

from tilesmith.models.capture.dict_watch import touched
from tilesmith.models.capture.tensor_watch import TensorWatch

# Of larger tensors not every element is looked at, but some of every row.
_LOOKED_AT = 1 << 26


def fingerprint(tensor: torch.Tensor) -> tuple[Any, ...]:
    """What tells a tensor from the same one written to: writes through `.data` count no version.

    Such writes to a tensor on a GPU are not seen: it is not read here.

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
    if tensor.is_cuda:  # reading it would wait for the GPU
        return tensor.data_ptr(), version, tensor.dtype, tuple(tensor.shape), 0
    return tensor.data_ptr(), version, tensor.dtype, tuple(tensor.shape), _checksum(tensor)


def _checksum(tensor: torch.Tensor) -> int:
    """A sum over the bits of a tensor in which every row counts differently."""
    dtype = _BITS.get(tensor.element_size())
    if dtype is None or tensor.numel() == 0 or tensor.layout != torch.strided or tensor.is_complex():
        return 0
    plain = tensor.detach()
    rows = plain.reshape(1, -1) if plain.dim() < 2 else plain.reshape(-1, plain.shape[-1])
    seen = _widest(rows[:, :: max(1, rows.numel() // _LOOKED_AT)].contiguous(), dtype)
    along = torch.arange(1, seen.shape[1] + 1, device=seen.device) if len(seen) == 1 else None
    sums = (seen * along).sum(1) if along is not None else seen.sum(1, dtype=torch.int64)
    return int((sums * torch.arange(1, len(sums) + 1, device=sums.device)).sum())


def _widest(rows: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The bits of rows as int64 where they divide so: torch adds these 18 times as fast as int32."""
    whole = rows.shape[1] * rows.element_size() % 8 == 0 and rows.data_ptr() % 8 == 0
    return rows.view(torch.int64 if whole else dtype)


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


class Watch:
    """Tells quickly whether a model may have changed since: its tensors, attributes and modules.

    It looks at identities and counts of writes, so that a model of hundreds of modules takes microseconds.

    >>> layer = torch.nn.Linear(2, 2)
    >>> watch = Watch(layer)
    >>> watch.unchanged()
    True
    >>> layer.weight.detach().zero_().shape, watch.unchanged()
    (torch.Size([2, 2]), False)
    """

    def __init__(self, model: torch.nn.Module, apart: Iterable[torch.Tensor] = ()) -> None:
        modules = list(model.modules())
        skipped = {id(one) for one in apart}
        self._attributes = [vars(module) for module in modules]
        self._sizes = list(map(len, self._attributes))
        names = [[name for name in vars(one) if not name.startswith("_")] for one in modules]
        self._getters = [itemgetter(*own, "training") for own in names]
        self._values = self._now()
        tables = (table for one in modules for table in (one._parameters, one._buffers, one._modules))
        self._tables: list[dict[str, Any]] = list(tables)
        self._entries = list(chain.from_iterable(map(dict.values, self._tables)))
        every = (*model.parameters(), *model.buffers())
        self._tensors = TensorWatch(
            [one for one in every if id(one) not in skipped and not one.is_inference()]
        )
        self._touched = touched((*self._attributes, *self._tables))
        lists = (value for values in self._values for value in values if isinstance(value, list | dict))
        self._lists = [(value, _described(value)) for value in lists]

    def unchanged(self) -> bool:
        try:
            same = self._tensors.unchanged() and (not self._lists or self._same_lists())
            return same and self._same_tables()
        except (
            KeyError,
            RuntimeError,
        ):  # an attribute is gone, or is a tensor that another took the place of
            return False

    def _same_tables(self) -> bool:
        """Whether modules have what they had; looked at only if one was written to, where Python tells."""
        if self._touched is None:
            return self._same_sizes_and_values()
        told, same = self._touched.flag, True
        if told.up:
            told.up = same = False
            try:
                same = self._same_sizes_and_values()
            finally:
                told.up = not same or told.up
        return same

    def _same_sizes_and_values(self) -> bool:
        sizes = list(map(len, self._attributes)) == self._sizes
        return sizes and self._now() == self._values and self._same_entries()

    def _now(self) -> list[Any]:
        return [get(table) for get, table in zip(self._getters, self._attributes, strict=True)]

    def _same_entries(self) -> bool:
        now = chain.from_iterable(map(dict.values, self._tables))
        return all(map(is_, now, self._entries)) and sum(map(len, self._tables)) == len(self._entries)

    def _same_lists(self) -> bool:
        return all(_described(value) == before for value, before in self._lists)
