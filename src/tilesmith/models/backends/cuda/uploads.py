"""Inputs that are parts of one tensor, such as the layers of a cache: copied to their matrices at once.

A copy of its own for each part takes the GPU longer to start than to do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

from tilesmith.models.backends.cuda.values import fill
from tilesmith.models.backends.transfers import TYPES, seen
from tilesmith.models.planning.steps import Upload
from tilesmith.models.planning.views import Storage

aten = torch.ops.aten
Selects = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Part:
    """An upload of what is selected from an input: which dimensions, and where."""

    upload: Upload
    selects: Selects


def parts_of_inputs(
    uploads: Sequence[Upload], nodes: Mapping[str, Node], apart: frozenset[Storage]
) -> list[tuple[str, list[Part]]]:
    """Inputs, each with uploads of parts of it that lie alike; none to a storage that is to stay apart."""
    found: dict[Any, list[Part]] = {}
    for upload in uploads:
        view, storage = upload.view, upload.view.storage
        plain = not upload.additive and upload.below is None and storage not in apart
        source, selects = _selected(nodes[upload.node]) if upload.node in nodes else (None, ())
        if plain and source is not None and selects:
            alike = (source.name, storage.rows, storage.cols, storage.dtype, view.axes, view.row, view.col)
            found.setdefault(alike, []).append(Part(upload, selects))
    return [(alike[0], parts) for alike, parts in found.items() if len(parts) > 1]


def _selected(node: Node) -> tuple[Node | None, Selects]:
    """The input that a node selects from, and what, the first selection first."""
    selects: list[tuple[int, int]] = []
    while node.op == "call_function" and node.target is aten.select.int:
        source, dim, index = node.args
        assert isinstance(source, Node)
        selects.insert(0, (int(str(dim)), int(str(index))))
        node = source
    return (node if node.op == "placeholder" else None), tuple(selects)


def room_for(parts: Sequence[Part], device: torch.device) -> torch.Tensor:
    """Matrices for all parts, one after the other."""
    storage = parts[0].upload.view.storage
    shape = (len(parts), storage.rows, storage.cols)
    return torch.zeros(shape, dtype=TYPES[storage.dtype], device=device)


def fill_together(matrices: torch.Tensor, parts: Sequence[Part], given: torch.Tensor) -> None:
    """Write the parts of a tensor into their matrices: in one copy, where they lie at equal distances."""
    values = [_select(given, part.selects) for part in parts]
    first, offsets = values[0], [value.storage_offset() for value in values]
    apart = offsets[1] - offsets[0]
    evenly = offsets == [offsets[0] + number * apart for number in range(len(parts))]
    target = seen(matrices[0], parts[0].upload.view)
    if not evenly or apart < 0 or first.dtype != matrices.dtype or first.shape != target.shape:
        for part, matrix, value in zip(parts, matrices, values, strict=True):
            fill(matrix, part.upload, value)
        return
    source = first.detach().as_strided((len(parts), *first.shape), (apart, *first.stride()))
    whole = matrices.as_strided(source.shape, (matrices.stride(0), *target.stride()), target.storage_offset())
    _wide(whole).copy_(_wide(source))


def _select(value: torch.Tensor, selects: Selects) -> torch.Tensor:
    for dim, index in selects:
        value = value.select(dim, index)
    return value


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    """The same memory in units of eight bytes, where it divides into them: fewer loads and stores."""
    units = 8 // tensor.element_size()
    places = (tensor.storage_offset(), tensor.shape[-1], *tensor.stride()[:-1])
    fits = tensor.stride(-1) == 1 and not tensor.data_ptr() % 8 and not any(one % units for one in places)
    return tensor.view(torch.int64) if units > 1 and fits else tensor
