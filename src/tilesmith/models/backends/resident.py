"""Tensors that stay on the device from call to call: graphs read and write them where they lie."""

from __future__ import annotations

import torch

from tilesmith.errors import IndexOutOfBoundsError, InternalFault
from tilesmith.models.backends.transfers import from_matrix, to_matrix
from tilesmith.models.planning.steps import Launch
from tilesmith.models.planning.views import TILE, View
from tilesmith.runtime import DRAM_MEMORY_CONFIG, Device, Tensor


class Resident:
    """A tensor of a model's state. Until a graph first takes it, it is on the host.

    >>> Resident(torch.ones(2, 3)).read().sum()
    tensor(6.)
    """

    def __init__(self, value: torch.Tensor) -> None:
        self.shape, self.dtype = tuple(value.shape), value.dtype
        self._value: torch.Tensor | None = value
        self._tensor: Tensor | None = None
        self._view: View | None = None

    def placed(self, device: Device, view: View) -> Tensor:
        """The tensor on the device; every graph has it in the same form."""
        if self._tensor is not None and self._tensor.device is not device:
            self._tensor, self._view = None, None  # the device it was on is closed
        if self._tensor is None:
            storage = view.storage
            shape = (storage.rows, storage.cols)
            self._tensor = device.empty(shape, storage.format, storage.layout, DRAM_MEMORY_CONFIG)
            self._view = view
            self.write(torch.zeros(self.shape) if self._value is None else self._value)
            self._value = None
        known = self._view
        if known is None or (known.axes, known.storage.format) != (view.axes, view.storage.format):
            raise InternalFault("two graphs have the same state in different forms")
        return self._tensor

    def read(self) -> torch.Tensor:
        """Its value, on the host."""
        if self._tensor is None or self._view is None:
            assert self._value is not None
            return self._value
        return from_matrix(self._tensor.to_numpy(), self._view, self.dtype)

    def write(self, value: torch.Tensor) -> None:
        """Give it another value."""
        if self._tensor is None or self._view is None:
            self._value = value
        else:
            self._tensor.copy_from_numpy(to_matrix(value, self._view))


def tile_written(step: Launch, positions: torch.Tensor) -> int:
    """The tile of rows that a step writes first, by the positions of its rows.

    Several rows are copied in whole tiles, so that they must begin with one.
    """
    first = int(positions[0])
    if bool((positions != torch.arange(first, first + len(positions))).any()):
        raise InternalFault("rows of a cache that do not follow each other were to be written at once")
    if first < 0 or (len(positions) > 1 and first % TILE):
        raise IndexOutOfBoundsError(
            f"{len(positions)} rows were to be written to a cache from row {first} on",
            where=" + ".join(step.ops),
            remedy=f"write one row at a time, or begin at a multiple of {TILE}",
        )
    return first // TILE


def row_in_tile(positions: torch.Tensor, rows: int) -> torch.Tensor:
    """A one where a row belongs, among zeros."""
    place = torch.arange(rows) == int(positions[0]) % rows
    return place.to(torch.float32)[:, None]
