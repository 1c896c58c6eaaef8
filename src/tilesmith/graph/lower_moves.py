"""Operators that put tensors together or repeat them -> copies into one new tensor."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from tilesmith.graph.groups import Group, args_of, shape_of
from tilesmith.graph.images import grid, grid_of
from tilesmith.graph.iteration import Placed, fits
from tilesmith.graph.lower_images import CHANNELS_LAST, image_of
from tilesmith.graph.lowering import Lowering, NoKernel, size_numbers
from tilesmith.graph.views import TILE, Axis, View, fresh, padded
from tilesmith.kernels.elementwise import Elementwise
from tilesmith.kernels.epilogue import Epilogue, Result
from tilesmith.kernels.expression import Input
from tilesmith.kernels.operands import Operand

aten = torch.ops.aten


def lower_cat(lowering: Lowering, group: Group) -> View:
    """Each part is copied to its place. Where places are whole tiles the result lies in tiles."""
    node = group.anchors[0]
    args = args_of(node)
    parts = [part for part in args[0] if shape_of(part) != (0,)]
    shape = shape_of(node)
    dim = int(args[1] if len(args) > 1 else 0) % len(shape)
    if len(shape) == 4 and dim == 1 and any(_is_image(lowering, part) for part in parts):
        return _joined_images(lowering, shape, parts)
    out = (
        fresh(shape, lowering.storage_type(node)) if len(shape) > 1 else fresh(shape, lowering.dtype, "rows")
    )
    places = list(_places(out, parts, dim))
    whole = len(shape) > 1 and all(_stores_whole(out, place, dim) for place in places)
    if not whole:
        out = fresh(shape, lowering.storage_type(node), "rows")
        places = list(_places(out, parts, dim))
    for part, place in zip(parts, places, strict=True):
        if whole:
            copy_block(lowering, lowering.placed(part, shape_of(part), "block"), place)
        else:
            source = lowering.in_memory(part)
            lowering.gather_into(source, place if len(shape) > 1 else place.expand((1, *place.shape)), "row")
    return out


def _places(out: View, parts: list[Node], dim: int) -> Any:
    start = 0
    for part in parts:
        size = shape_of(part)[dim]
        yield out.slice(dim, start, start + size)
        start += size


def _stores_whole(out: View, place: View, dim: int) -> bool:
    """Whether blocks of a part start at tiles, and end at one or with the tensor."""
    fills = dim < len(out.axes) - 2 or place.axes[dim].size % TILE == 0
    return fits(Placed("block", place)) and fills


def copy_block(lowering: Lowering, source: Placed, place: View, kind: Any = "block") -> None:
    """Copy a tensor to a view of the same shape."""
    dtypes = source.view.storage.dtype, place.storage.dtype
    epilogue = Epilogue(
        (Result(Input("x"), Operand("y", kind, dtypes[1])),), (Operand("x", source.kind, dtypes[0]),)
    )
    room = lowering.space(place.shape, {"x": source, "y": Placed(kind, place)})
    columns = next(size for size in (128, 64, TILE) if padded(room.cols) % size == 0)
    storages = {"x": source.view.storage, "y": place.storage}
    numbers = {**size_numbers(room), **room.numbers}
    lowering.launch(Elementwise(epilogue, (TILE, columns)), storages, numbers, ("copy",), place)


def _is_image(lowering: Lowering, node: Node) -> bool:
    view = lowering.device.get(node)
    return view is not None and grid_of(view) is not None


def _joined_images(lowering: Lowering, shape: tuple[int, ...], parts: list[Node]) -> View:
    """Channels side by side. What a copy writes beyond its columns, the next one overwrites."""
    out = grid(shape, lowering.gap)
    made = out.view(lowering.dtype, zeroed=out.has_gaps)
    start = 0
    for part in parts:
        view, found = image_of(lowering, part, 0)
        size = found.channels
        if (found.pitch, found.area) == (out.pitch, out.area):
            place = View(made.storage, (Axis(out.rows, 1, 0), Axis(size, 0, 1)), 0, start)
            copy_block(lowering, Placed("rows", found.matrix(view)), place, "rows")
        else:
            place = made.slice(1, start, start + size)
            lowering.gather_into(view.permute(CHANNELS_LAST), place.permute(CHANNELS_LAST), "rows")
        start += size
    return made


def lower_upsample(lowering: Lowering, group: Group) -> View:
    """Nearest neighbours: every pixel is repeated, which strides of zero say."""
    node = group.anchors[0]
    x = node.args[0]
    assert isinstance(x, Node)
    batch, channels, height, width = shape_of(x)
    _, _, tall, wide = shape_of(node)
    if tall % height or wide % width:
        raise NoKernel("pixels are repeated a different number of times")
    view, _ = image_of(lowering, x, 0)
    n, c, h, w = view.axes
    axes = (n, h, Axis(tall // height, 0, 0), w, Axis(wide // width, 0, 0), c)
    out = grid((batch, channels, tall, wide), lowering.gap)
    made = out.view(lowering.dtype, zeroed=out.has_gaps)
    lowering.gather_into(View(view.storage, axes, view.row, view.col), made.permute(CHANNELS_LAST), "rows")
    return made
