"""Operators that put tensors together or repeat them -> copies into one new tensor."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

import torch
from torch.fx import Node

from tilesmith.kernels.elementwise import Elementwise
from tilesmith.kernels.epilogue import Epilogue, Result
from tilesmith.kernels.expression import Input
from tilesmith.kernels.operands import Operand
from tilesmith.models.planning.fusion import Group, args_of, shape_of
from tilesmith.models.planning.images import CHANNELS_LAST, is_image, pixels
from tilesmith.models.planning.iteration_space import Placed, fits
from tilesmith.models.planning.lower_images import image_of, placed_image
from tilesmith.models.planning.lowering import Lowering, size_numbers
from tilesmith.models.planning.views import TILE, View, fresh, padded
from tilesmith.runtime import Layout

aten = torch.ops.aten


def lower_cat(lowering: Lowering, group: Group) -> View:
    """Each part is copied to its place. Where places are whole tiles the result lies in tiles.

    The first part that comes from the host, as a cache that a token is added to, is brought there at once.
    """
    node = group.anchors[0]
    args = args_of(node)
    parts = [part for part in args[0] if prod(shape_of(part))]
    shape = shape_of(node)
    dim = int(args[1] if len(args) > 1 else 0) % len(shape)
    if len(shape) == 4 and dim == 1 and any(_is_image(lowering, part) for part in parts):
        return _joined_images(lowering, node, parts)
    out = fresh(shape, lowering.storage_type(node), Layout.TILE if len(shape) > 1 else Layout.ROW_MAJOR)
    places = list(_places(out, parts, dim))
    whole = len(shape) > 1 and all(_stores_whole(out, place, dim) for place in places)
    if not whole:
        out = fresh(shape, lowering.storage_type(node), Layout.ROW_MAJOR)
        places = list(_places(out, parts, dim))
    given = next((one for one in parts if whole and not _is_known(lowering, one)), None)
    if given is not None:  # before the others: what is brought fills the tensor with zeros around it
        place = places[parts.index(given)]
        lowering.uploaded(given, f"in {node.name}", lambda: place)
    for part, place in zip(parts, places, strict=True):
        if part is given and place is places[parts.index(part)]:
            continue
        if whole:
            copy_block(lowering, lowering.placed(part, shape_of(part), "block"), place)
        else:
            source = lowering.in_memory(part)
            lowering.gather_into(source, place if len(shape) > 1 else place.expand((1, *place.shape)), "row")
    return out


def _is_known(lowering: Lowering, node: Node) -> bool:
    """Whether a value is on the device, or the same in every call."""
    return node in lowering.device or node in lowering.constants


def _places(out: View, parts: list[Node], dim: int) -> Any:
    start = 0
    for part in parts:
        size = shape_of(part)[dim]
        yield out.slice(dim, start, start + size)
        start += size


def _stores_whole(out: View, place: View, dim: int) -> bool:
    """Whether blocks of a part start at tiles, and end at one or with the tensor."""
    here, rank = place.axes[dim], len(out.axes)
    along = {rank - 2: place.row, rank - 1: place.col}.get(dim, 0)
    ends = here.size % TILE == 0 or along + here.size == out.axes[dim].size
    return fits(Placed("block", place)) and (dim < rank - 2 or ends)


def copy_block(lowering: Lowering, source: Placed, place: View, access: Any = "block") -> None:
    """Copy a tensor to a view of the same shape."""
    dtypes = source.view.storage.dtype, place.storage.dtype
    epilogue = Epilogue(
        (Result(Input("x"), Operand("y", access, dtypes[1])),), (Operand("x", source.access, dtypes[0]),)
    )
    room = lowering.space(place.shape, {"x": source, "y": Placed(access, place)})
    columns = next(size for size in (128, 64, TILE) if padded(room.cols) % size == 0)
    storages = {"x": source.view.storage, "y": place.storage}
    numbers = {**size_numbers(room), **room.numbers}
    lowering.launch(Elementwise(epilogue, (TILE, columns)), storages, numbers, ("copy",), place)


def _is_image(lowering: Lowering, node: Node) -> bool:
    view = lowering.device.get(node)
    return view is not None and is_image(view)


def _joined_images(lowering: Lowering, node: Node, parts: list[Node]) -> View:
    """Channels side by side; parts that were made in their place need no copy."""
    result = lowering.joined(node)
    for part, place in zip(parts, _places(result, parts, 1), strict=True):
        if lowering.device.get(part) == place:
            continue
        flat = pixels(place)
        assert flat is not None
        if place.col % TILE == 0:
            copy_block(lowering, placed_image(lowering, part), flat, "rows")
        else:
            view = image_of(lowering, part)
            lowering.gather_into(view.permute(CHANNELS_LAST), place.permute(CHANNELS_LAST), "row")
    return result


def places_of(nodes: Iterable[Node]) -> dict[Node, tuple[Node, int]]:
    """Of images that are joined along their channels: by which node, and from which channel on."""
    places: dict[Node, tuple[Node, int]] = {}
    for node in nodes:
        if node.target is not aten.cat.default or len(shape_of(node)) != 4:
            continue
        args, start = args_of(node), 0
        if (args[1] if len(args) > 1 else 0) not in (1, -3):
            continue
        for part in args[0]:
            if start % TILE == 0:
                places.setdefault(part, (node, start))
            start += shape_of(part)[1]
    return places
