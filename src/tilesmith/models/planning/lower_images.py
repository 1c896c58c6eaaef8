"""Pooling and elementwise work on images -> launches, and images as operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import torch
from torch.fx import Node

from tilesmith.kernels.convolution import Windowed
from tilesmith.kernels.elementwise import Elementwise
from tilesmith.kernels.epilogue import Epilogue, Result
from tilesmith.kernels.expression import Expr, Input, apply
from tilesmith.kernels.operands import Operand
from tilesmith.models.decompositions.interpolate import repeats_evenly
from tilesmith.models.planning.epilogue import Finish
from tilesmith.models.planning.fusion import Group, describe, shape_of
from tilesmith.models.planning.images import CHANNELS_LAST, fresh_image, is_image, pixels
from tilesmith.models.planning.iteration_space import Placed, Space, fits
from tilesmith.models.planning.lowering import Lowering, NoKernel, inline, size_numbers
from tilesmith.models.planning.views import TILE, View, fresh, padded
from tilesmith.runtime import Layout

aten = torch.ops.aten


def pair(value: Any) -> tuple[int, int]:
    return (int(value[0]), int(value[-1])) if isinstance(value, Sequence) else (int(value), int(value))


# ---- images as operands ----


def image_of(lowering: Lowering, node: Node, dtype: str = "") -> View:
    """A tensor as images in rows: brought up, read as it is, or copied if it lies otherwise.

    Products ask for a dtype; others take the one the tensor has.
    """
    wanted = dtype or lowering.storage_type(node)
    if node not in lowering.device:
        return lowering.uploaded(node, f"image {wanted}", lambda: fresh_image(shape_of(node), wanted))
    view = lowering.device[node]
    if is_image(view) and (not dtype or view.storage.dtype == dtype):
        return replace(view, storage=lowering.in_rows(view.storage))
    result = fresh_image(shape_of(node), wanted)
    lowering.gather_into(view.permute(CHANNELS_LAST), _matrix(result), "rows")
    return result


def _matrix(image: View) -> View:
    batch, channels, height, width = image.shape
    flat = image.permute(CHANNELS_LAST).reshape((batch * height * width, channels))
    assert flat is not None
    return flat


def placed_image(lowering: Lowering, node: Node) -> Placed:
    """Images as (batch, pixel, channel), from rows or from tiles."""
    if node in lowering.device:
        flat = pixels(lowering.device[node])
        for access in ("rows", "block"):
            if flat is not None and fits(Placed(access, flat)):
                return Placed(access, flat)
    flat = pixels(image_of(lowering, node))
    if flat is None or not fits(Placed("rows", flat)):
        result = fresh_image(shape_of(node), lowering.storage_type(node))
        lowering.gather_into(lowering.device[node].permute(CHANNELS_LAST), _matrix(result), "rows")
        flat = pixels(result)
        assert flat is not None
    return Placed("rows", flat)


def _operand(lowering: Lowering, node: Node, shape: Sequence[int]) -> Placed:
    """A further tensor of work on images: other images, a value per channel, or one value."""
    batch, channels, height, width = shape
    own = (1,) * (4 - len(shape_of(node))) + shape_of(node)
    target = (batch, height * width, channels)
    if own == tuple(shape) and len(shape_of(node)) == 4:
        return placed_image(lowering, node)
    if prod(own) == 1:
        scalar = lowering.placed(node, (1,) * max(2, len(shape_of(node))), "scalar").view
        return Placed("scalar", replace(scalar, axes=scalar.axes[-2:]).expand(target))
    if own[1:] == (channels, 1, 1) and own[0] in (1, batch):
        return Placed("row", _per_channel(lowering, node, own[0], channels).expand(target))
    raise NoKernel(f"an image is combined with a tensor of shape {list(own)}")


def _per_channel(lowering: Lowering, node: Node, batch: int, channels: int) -> View:
    """A value per channel, for all images or for each, as (batch, 1, channel) in rows."""
    line = (batch, 1, channels)
    if node not in lowering.device:
        held = lowering.uploaded(
            node,
            "channels",
            lambda: shaped(fresh(line, lowering.storage_type(node), Layout.ROW_MAJOR), shape_of(node)),
        )
        return shaped(held, line)
    view = lowering.device[node].reshape(line)
    if view is not None and (view.axes[-1].row, view.axes[-1].col) == (0, 1):
        return replace(view, storage=lowering.in_rows(view.storage))
    return lowering.gathered(node, line, "row")


def shaped(view: View, shape: Sequence[int]) -> View:
    result = view.reshape(shape)
    assert result is not None
    return result


def finish_image(
    lowering: Lowering, group: Group, known: Mapping[Node, Expr], extra: Mapping[str, Node]
) -> Finish:
    """The epilogue of a group that makes images; `extra` are vectors of a value per channel."""
    shape = shape_of(group.output)
    inlined = inline(group.after, known, lowering.constants, "e")
    target = (shape[0], shape[2] * shape[3], shape[1])
    reads = {
        name: Placed("row", _per_channel(lowering, node, 1, shape[1]).expand(target))
        for name, node in extra.items()
    }
    reads |= {name: _operand(lowering, node, shape) for name, node in inlined.reads.items()}
    image = lowering.room_for(group.output) or fresh_image(shape, lowering.storage_type(group.output))
    operands = tuple(Operand(name, one.access, one.view.storage.dtype) for name, one in reads.items())
    kept = image.storage.dtype
    result = Result(inlined.stored(group.output, kept), Operand("y", "rows", kept))
    flat = pixels(image)
    assert flat is not None
    return Finish(Epilogue((result,), operands), {**reads, "y": Placed("rows", flat)}, image)


def image_space(lowering: Lowering, done: Finish, further: Mapping[str, Placed] | None = None) -> Space:
    """All pixels of all images as one matrix."""
    batch, channels, height, width = done.out.shape
    room = lowering.space((batch, height * width, channels), {**done.operands, **(further or {})})
    if room.batches != (1, 1):
        raise NoKernel("a value for each image and channel")
    return room


# ---- windows ----


def window_numbers(
    source: View,
    out: Sequence[int],
    taps: tuple[int, int] = (1, 1),
    stride: tuple[int, int] = (1, 1),
    padding: tuple[int, int] = (0, 0),
    dilation: tuple[int, int] = (1, 1),
    zoom: tuple[int, int] = (1, 1),
) -> dict[str, int]:
    """How a kernel finds the pixels under a window; `zoom` makes the image larger, by repetition or zeros."""
    batch, _, height, width = source.axes
    sizes = {"height": height.size * zoom[0], "width": width.size * zoom[1]}
    # Of one pixel, line or image a view does not say how far the next would be: right behind.
    step = width.row if width.size > 1 else 1
    pitch = height.row if height.size > 1 else step * width.size
    sizes |= {"area": batch.row if batch.size > 1 else pitch * height.size, "pitch": pitch, "step": step}
    sizes |= {"out_width": out[3], "out_area": out[2] * out[3], "taps": taps[0] * taps[1], "taps_w": taps[1]}
    pairs = {"stride": stride, "pad": padding, "dil": dilation, "zoom": zoom}
    return sizes | {f"{name}_{way}": both["hw".index(way)] for name, both in pairs.items() for way in "hw"}


def launch_window(
    lowering: Lowering,
    group: Group,
    template: Any,
    image: View,
    numbers: Mapping[str, int],
    done: Finish,
    further: Mapping[str, View] | None = None,
) -> None:
    """Launch a kernel that reads an image under a window."""
    room = image_space(lowering, done)
    sizes = {"m": room.rows, "n": room.cols}
    place = {**still("x", *(further or {})), "x_row": image.row, "x_col": image.col // TILE}
    storages = {"x": image.storage, **{name: view.storage for name, view in (further or {}).items()}}
    storages |= {name: one.view.storage for name, one in done.operands.items()}
    lowering.launch(
        template, storages, {**sizes, **numbers, **room.numbers, **place}, describe(group), done.out
    )


def still(*names: str) -> dict[str, int]:
    return {f"{name}_{key}": 0 for name in names for key in ("row", "row1", "row2", "col", "col1", "col2")}


# ---- pooling ----


def lower_pool(lowering: Lowering, group: Group) -> View:
    node = group.anchors[0]
    x, *rest = node.args
    assert isinstance(x, Node)
    if len(shape_of(x)) != 4:
        raise NoKernel("a pool of something else than a batch of images")
    if node.target is aten.adaptive_avg_pool2d.default:
        taps, stride, padding, dilation = _adaptive(shape_of(x), shape_of(node))
    else:
        taps = pair(rest[0])
        stride = pair(rest[1]) if len(rest) > 1 and rest[1] else taps
        padding = pair(rest[2]) if len(rest) > 2 else (0, 0)
        dilation = pair(rest[3]) if node.target is aten.max_pool2d.default and len(rest) > 3 else (1, 1)
    largest = node.target is aten.max_pool2d.default
    if node.target is aten.avg_pool2d.default and windows_differ(node):
        raise NoKernel("an average of windows that count less than all their pixels")
    known = Input("acc0") if largest else apply("mul", Input("acc0"), 1.0 / (taps[0] * taps[1]))
    done = finish_image(lowering, group, {node: known}, {})
    image = image_of(lowering, x)
    template = Windowed("max" if largest else "sum", done.epilogue, _block(done), image.storage.dtype)
    numbers = window_numbers(image, done.out.shape, taps, stride, padding, dilation)
    launch_window(lowering, group, template, image, numbers, done)
    return done.out


def _block(done: Finish) -> tuple[int, int]:
    """Blocks that end where the channels do: others may lie behind them."""
    return TILE, 64 if padded(done.out.shape[1]) % 64 == 0 else TILE


def windows_differ(node: Node) -> bool:
    """a window may count less than all its pixels"""
    args: Sequence[Any] = node.args
    if args[0].meta["val"].dim() != 4:
        return False
    usual: list[Any] = [(), (0,), False, True, None]
    taps, _, padding, ceil, include, divisor = [*args[1:], *usual[len(args) - 2 :]]
    if divisor == prod(pair(taps)):
        return False
    return bool(ceil or divisor or (max(padding) and not include))


def _adaptive(shape: Sequence[int], out: Sequence[int]) -> tuple[Any, Any, Any, Any]:
    if shape[2] % out[2] or shape[3] % out[3]:
        raise NoKernel("a pool whose windows differ in size")
    taps = (shape[2] // out[2], shape[3] // out[3])
    return taps, taps, (0, 0), (1, 1)


def lower_upsample(lowering: Lowering, group: Group) -> View:
    """Nearest neighbours: a window of one pixel over the image with every pixel repeated."""
    node = group.anchors[0]
    x = node.args[0]
    assert isinstance(x, Node)
    *_, height, width = shape_of(x)
    *_, tall, wide = shape_of(node)
    rest: list[Any] = list(node.args[2:])
    factors = (rest[0] or []) if node.target is aten.upsample_nearest2d.vec and rest else rest
    if not repeats_evenly((height, width), (tall, wide), factors):
        raise NoKernel("pixels are repeated a different number of times")
    done = finish_image(lowering, group, {node: Input("acc0")}, {})
    image = image_of(lowering, x)
    numbers = window_numbers(image, done.out.shape, zoom=(tall // height, wide // width))
    template = Windowed("sum", done.epilogue, _block(done), image.storage.dtype)
    launch_window(lowering, group, template, image, numbers, done)
    return done.out


# ---- elementwise ----


def lower_image_elementwise(lowering: Lowering, group: Group) -> View:
    """Elementwise work on images."""
    done = finish_image(lowering, group, {}, {})
    batch, channels, height, width = done.out.shape
    room = lowering.space((batch, height * width, channels), done.operands)
    template = Elementwise(done.epilogue, (TILE, 64))
    storages = {name: one.view.storage for name, one in done.operands.items()}
    lowering.launch(template, storages, {**size_numbers(room), **room.numbers}, describe(group), done.out)
    return done.out


def works_on_images(lowering: Lowering, group: Group) -> bool:
    """Whether an elementwise group works on images of more than a pixel."""
    shape = shape_of(group.output)
    if len(shape) != 4 or shape[2] * shape[3] == 1:
        return False
    members = set(group.after)
    sources = {source for node in group.after for source in node.all_input_nodes} - members
    views = (lowering.device[source] for source in sources if source in lowering.device)
    if not any(view.shape == shape and is_image(view) for view in views):
        return False
    return all(_is_for_images(shape_of(source), shape) for source in sources)


def _is_for_images(own: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether a tensor is images, a value per channel, or one value."""
    full = (1,) * (4 - len(own)) + own
    return own == shape or prod(own) == 1 or (full[1:] == (shape[1], 1, 1) and full[0] in (1, shape[0]))
