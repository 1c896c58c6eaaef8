"""The tensors of caches that stay on the device while a text is generated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.fx import GraphModule

from tilesmith.models.backends.resident import Resident
from tilesmith.models.capture.fx import Captured
from tilesmith.models.passes.fuse_cache_updates import IN_PLACE, RESIDENT
from tilesmith.models.planning.views import TILE


class DeviceState:
    """For each tensor of a cache one on the device. Those of a text that is done serve the next."""

    def __init__(self) -> None:
        self._caches: list[Any] = []
        self._taken: dict[int, tuple[torch.Tensor, Resident]] = {}
        self._free: dict[tuple[Any, ...], list[Resident]] = defaultdict(list)

    def add(self, cache: Any) -> None:
        """Keep the tensors of a cache on the device."""
        self._caches.append(cache)

    def holds(self, cache: Any) -> bool:
        return any(cache is known for known in self._caches)

    def resident(self, tensor: torch.Tensor) -> Any:
        """What stands for a tensor of a cache: whole numbers and scalars stay on the host."""
        if not tensor.is_floating_point() or tensor.dim() < 3:
            return tensor
        if id(tensor) not in self._taken:
            free = self._free[_size(tensor)]
            if free:
                free[0].write(tensor)
            self._taken[id(tensor)] = (tensor, free.pop(0) if free else Resident(tensor))
        return self._taken[id(tensor)][1]

    def release(self, read: bool) -> None:
        """A text is done; with `read` its caches get what is on the device."""
        for tensor, resident in self._taken.values():
            if read:
                tensor.copy_(resident.read())
            self._free[_size(tensor)].append(resident)
        self._taken.clear()
        self._caches.clear()


def mark_residents(module: GraphModule, captured: Captured, inputs: Sequence[Any], in_place: bool) -> None:
    """Say at the inputs of a graph which stay on the device, and which output is the new value of each."""
    changed = {
        name: place for place, name in enumerate(captured.changed_inputs, len(captured.changed_buffers))
    }
    placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]
    for node, value in zip(placeholders, inputs, strict=True):
        if isinstance(value, Resident):
            node.meta[RESIDENT] = changed.get(node.name, -1)
            node.meta[IN_PLACE] = in_place


def writes_in_place(cache: Any, kwargs: Mapping[str, Any]) -> bool:
    """Whether rows can be written where they belong: one row, or several from the begin of a tile on."""
    names = ("input_ids", "decoder_input_ids", "inputs_embeds", "decoder_inputs_embeds")
    lengths = [kwargs[name].shape[1] for name in names if kwargs.get(name) is not None]
    if max(lengths, default=1) == 1:
        return True
    try:
        return int(cache.get_seq_length()) % TILE == 0
    except ValueError:  # a cache without keys and values
        return True


def _size(tensor: torch.Tensor) -> tuple[Any, ...]:
    return tuple(tensor.shape), tensor.dtype
