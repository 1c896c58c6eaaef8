"""Convolutions -> launches: as products of pixels, of patches, or channel by channel."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import torch
from torch.fx import Node

from tilesmith.kernels.convolution import Convolution, Windowed
from tilesmith.kernels.elementwise import Elementwise
from tilesmith.kernels.epilogue import Epilogue, Result
from tilesmith.kernels.expression import Expr, Input, apply
from tilesmith.kernels.linear import Linear
from tilesmith.kernels.operands import Operand
from tilesmith.models.planning.epilogue import Finish
from tilesmith.models.planning.fold_strides import (
    as_image,
    can_fold,
    folded_image,
    folded_padding,
    folded_weight,
)
from tilesmith.models.planning.fusion import Group, describe, shape_of
from tilesmith.models.planning.images import fresh_image, pixels
from tilesmith.models.planning.iteration_space import Placed
from tilesmith.models.planning.lower_images import (
    finish_image,
    image_of,
    image_space,
    launch_window,
    pair,
    placed_image,
    shaped,
    still,
    window_numbers,
)
from tilesmith.models.planning.lower_quantized import HELD, QUANTISED, check_quantised, weight_type
from tilesmith.models.planning.lower_winograd import fits_winograd, lower_winograd
from tilesmith.models.planning.lowering import Lowering, NoKernel, size_numbers
from tilesmith.models.planning.op_tables import INTEGER_PRODUCTS
from tilesmith.models.planning.steps import Launch
from tilesmith.models.planning.views import TILE, Axis, View, fresh, new_storage, padded
from tilesmith.models.planning.winograd_choice import tile_size
from tilesmith.runtime import Layout

aten = torch.ops.aten


@dataclass(frozen=True)
class Conv:
    """The arguments of a convolution of images."""

    x: Node
    weight: Node
    bias: Node | None
    stride: tuple[int, int]
    padding: tuple[int, int]
    dilation: tuple[int, int]
    transposed: bool
    groups: int
    is_quantised: bool = False

    @property
    def taps(self) -> tuple[int, int]:
        height, width = shape_of(self.weight)[2:]
        return height, width

    @property
    def is_depthwise(self) -> bool:
        filters, depth, *_ = shape_of(self.weight)
        return self.groups > 1 and depth == 1 and filters == self.groups and not self.transposed

    @property
    def is_pointwise(self) -> bool:
        return self.stride == (1, 1) and self.is_of_single_pixels

    @property
    def is_of_single_pixels(self) -> bool:
        """Whether each pixel of the result comes from one pixel of the image, at any stride."""
        geometry = (*self.taps, *self.padding)
        return geometry == (1, 1, 0, 0) and self.groups == 1 and not self.transposed


def _arguments(node: Node) -> Conv:
    args: list[Any] = list(node.args)
    transposed, quantised = False, node.target in INTEGER_PRODUCTS
    if quantised:
        args.insert(2, None)
    if node.target is aten.convolution.default:
        x, weight, bias, stride, padding, dilation, transposed, _, groups = args
    else:
        x, weight, *rest = args
        usual: list[Any] = [None, 1, 0, 1, 1]
        bias, stride, padding, dilation, groups = [*rest, *usual[len(rest) :]]
    if len(shape_of(weight)) != 4:
        raise NoKernel("a convolution that is not over two dimensions")
    if padding == "same":
        taps = shape_of(weight)[2:]
        padding = [(size - 1) * step // 2 for size, step in zip(taps, pair(dilation), strict=True)]
    around = (0, 0) if padding == "valid" else pair(padding)
    return Conv(
        x, weight, bias, pair(stride), around, pair(dilation), bool(transposed), int(groups), quantised
    )


def lower_convolution(lowering: Lowering, group: Group) -> View:
    """Plan a convolution and the elementwise work after it."""
    node = group.anchors[0]
    conv = _arguments(node)
    known: dict[Node, Expr] = {node: Input("acc0")}
    extra: dict[str, Node] = {}
    if conv.bias is not None:
        known[node], extra["bias"] = apply("add", Input("acc0"), Input("bias")), conv.bias
    if conv.is_quantised:
        check_quantised(lowering, prod(shape_of(conv.weight)[1:]) * conv.groups)
    done = finish_image(lowering, group, known, extra)
    if conv.is_pointwise:
        return _lower_pointwise(lowering, group, conv, done, placed_image(lowering, conv.x))
    if conv.is_of_single_pixels and lowering.folds and conv.x in lowering.device and not conv.is_quantised:
        return _lower_pointwise(lowering, group, conv, done, _every_second(lowering, conv, done))
    if _folds(lowering, conv, done):
        return _lower_folded(lowering, group, conv, done)
    stored = HELD if conv.is_quantised else lowering.dtype
    image = image_of(lowering, conv.x, stored)
    size = _winograd(lowering, conv, image, done)
    if size:
        return lower_winograd(lowering, group, size, image, conv.weight, conv.padding, done)
    wide = 64 if done.out.shape[1] > TILE else TILE
    if conv.is_depthwise and _is_diagonal(lowering, conv):
        held = _diagonal_weight(lowering, conv.weight)
        template: Any = Windowed("diagonal", done.epilogue, (TILE, TILE), stored)
    elif conv.is_depthwise:
        held = _depthwise_weight(lowering, conv.weight, stored)
        template = Windowed("depthwise", done.epilogue, (TILE, wide), stored)
    else:
        held = _weight(lowering, conv)
        deep = padded(shape_of(conv.x)[1])
        block = (64, wide, 64 if deep % 64 == 0 else TILE)
        dtype = QUANTISED if conv.is_quantised else stored
        template = Convolution(done.epilogue, block, dtype, sparse=conv.transposed)
    numbers = _numbers(conv, image, done)
    launch_window(lowering, group, template, image, numbers, done, {"w": held})
    return done.out


def _folds(lowering: Lowering, conv: Conv, done: Finish) -> bool:
    """Whether the image is on its way to the device, and its stride can become channels there."""
    plain = conv.groups == 1 and not conv.transposed and not conv.is_quantised and conv.dilation == (1, 1)
    if not lowering.folds or not plain or conv.x in lowering.device or conv.weight not in lowering.constants:
        return False
    return can_fold(shape_of(conv.x), done.out.shape, conv.taps, conv.stride, conv.padding)


def _lower_folded(lowering: Lowering, group: Group, conv: Conv, done: Finish) -> View:
    fold, shape = conv.stride[0], shape_of(conv.x)
    room = lowering.uploaded(conv.x, f"fold {fold}", lambda: folded_image(shape, fold, lowering.dtype))
    image = as_image(room)
    weight = folded_weight(lowering.constants[conv.weight], fold, conv.padding)
    name = f"{conv.weight.name} folded by {fold}"
    held = lowering.constant(name, weight, lambda: _taps(tuple(weight.shape), lowering.dtype))
    template = Convolution(
        done.epilogue, (64, 64 if done.out.shape[1] > TILE else TILE, TILE), lowering.dtype
    )
    padding = folded_padding(conv.padding, fold)
    numbers = window_numbers(image, done.out.shape, (weight.shape[2], weight.shape[3]), padding=padding)
    depth = {"depth": padded(weight.shape[1])}
    launch_window(lowering, group, template, image, numbers | depth, done, {"w": held})
    return done.out


def _winograd(lowering: Lowering, conv: Conv, image: View, done: Finish) -> int:
    """The size of the tiles of Winograd's form, if it is asked for and there is one; else 0."""
    plain = conv.groups == 1 and not conv.transposed and not conv.is_quantised
    if not plain or not fits_winograd(conv.taps, conv.stride, conv.dilation):
        return 0
    if conv.weight not in lowering.constants:
        return 0
    channels, (batch, filters, height, width) = shape_of(conv.x)[1], done.out.shape
    held = lowering.folds and _is_tiled(lowering, conv, image)
    return tile_size(lowering.convolution, batch, height, width, channels, filters, held)


def _is_tiled(lowering: Lowering, conv: Conv, image: View) -> bool:
    """Whether the image will lie in tiles: no kernel touches it that needs its rows."""
    touching = (
        step.template
        for step in lowering.steps
        if isinstance(step, Launch) and image.storage in step.storages.values()
    )
    kernels = all(isinstance(one, Linear | Convolution | Windowed | Elementwise) for one in touching)
    return kernels and not any("group_norm" in str(user.target) for user in conv.x.users)


def _numbers(conv: Conv, image: View, done: Finish) -> dict[str, int]:
    """A transposed convolution is one of the image with zeros between the pixels, its taps turned around."""
    out, deep = done.out.shape, {} if conv.is_depthwise else {"depth": padded(shape_of(conv.x)[1])}
    if not conv.transposed:
        return window_numbers(image, out, conv.taps, conv.stride, conv.padding, conv.dilation) | deep
    around = [
        step * (taps - 1) - size
        for step, taps, size in zip(conv.dilation, conv.taps, conv.padding, strict=True)
    ]
    return window_numbers(image, out, conv.taps, (1, 1), pair(around), conv.dilation, conv.stride) | deep


def _every_second(lowering: Lowering, conv: Conv, done: Finish) -> Placed:
    """The pixels that a stride leaves, side by side: each is copied once, not for every block of filters."""
    image = image_of(lowering, conv.x)
    batch, _, height, width = done.out.shape
    left = fresh_image((batch, shape_of(conv.x)[1], height, width), image.storage.dtype)
    flat = pixels(left)
    assert flat is not None
    kept = Epilogue((Result(Input("acc0"), Operand("y", "rows", left.storage.dtype)),))
    template = Windowed("sum", kept, (TILE, 64), image.storage.dtype)
    numbers = window_numbers(image, left.shape, stride=conv.stride)
    placed = Placed("rows", flat)
    launch_window(lowering, Group([conv.x]), template, image, numbers, Finish(kept, {"y": placed}, left))
    return placed


def _lower_pointwise(lowering: Lowering, group: Group, conv: Conv, done: Finish, source: Placed) -> View:
    """A window of one pixel is a product of the pixels."""
    filters, depth, *_ = shape_of(conv.weight)
    stored = weight_type(lowering, conv.weight) if conv.is_quantised else lowering.dtype
    if conv.is_quantised and source.view.storage.dtype != HELD:
        raise NoKernel("quantised values that are stored as something else")
    room = image_space(lowering, done, {"x": source})
    lowering.to_host(conv.weight)
    shape = shape_of(conv.weight)
    if lowering.folds:
        # Filters side by side: one tile of pixels meets several of them before the next is unpacked.
        held = lowering.uploaded(conv.weight, "taps", lambda: _taps(shape, stored))
    else:
        held = lowering.uploaded(
            conv.weight, "filters", lambda: shaped(fresh((filters, depth), stored), shape)
        )
    template = Linear(
        done.epilogue,
        transposed=not lowering.folds,
        block=(64, 64 if filters > TILE else TILE, 64 if padded(depth) % 64 == 0 else TILE),
        dtype=QUANTISED if conv.is_quantised else source.view.storage.dtype,
        x_access=source.access,
        weight_dtype=QUANTISED if conv.is_quantised else stored,
    )
    storages = {"x": source.view.storage, "w0": held.storage}
    storages |= {name: one.view.storage for name, one in done.operands.items()}
    numbers = {**size_numbers(room), "k": padded(depth), **room.numbers, **still("w0")}
    lowering.launch(template, storages, numbers, describe(group), done.out)
    return done.out


# ---- weights ----


def _weight(lowering: Lowering, conv: Conv) -> View:
    """A row per tap and channel, the channels of each tap padded; a column per filter."""
    stored = weight_type(lowering, conv.weight) if conv.is_quantised else lowering.dtype
    if conv.groups == 1 and not conv.transposed:
        shape = shape_of(conv.weight)
        lowering.to_host(conv.weight)
        return lowering.uploaded(conv.weight, "taps", lambda: _taps(shape, stored))
    if conv.weight not in lowering.constants:
        described = "a transposed convolution" if conv.transposed else "a convolution in groups"
        raise NoKernel(f"{described} with a weight that is an input")
    value = _spread(lowering.constants[conv.weight], conv.groups)
    if conv.transposed:
        value = value.transpose(0, 1).flip(2, 3)
    name = f"{conv.weight.name} in {conv.groups}{' turned' if conv.transposed else ''}"
    return lowering.constant(name, value, lambda: _taps(tuple(value.shape), stored))


def _taps(shape: tuple[int, ...], dtype: str) -> View:
    filters, depth, height, width = shape
    deep = padded(depth)
    storage = new_storage(height * width * deep, padded(filters), Layout.TILE, dtype)
    axes = (Axis(filters, 0, 1), Axis(depth, 1, 0), Axis(height, width * deep, 0), Axis(width, deep, 0))
    return View(storage, axes)


def _spread(weight: torch.Tensor, groups: int) -> torch.Tensor:
    """The weight of one group that does what several do: zeros between channels of different groups."""
    outer, inner, *taps = weight.shape
    each = outer // groups
    whole = weight.new_zeros(outer, inner * groups, *taps)
    for group in range(groups):
        rows, columns = slice(group * each, (group + 1) * each), slice(group * inner, (group + 1) * inner)
        whole[rows, columns] = weight[rows]
    return whole


def _depthwise_weight(lowering: Lowering, node: Node, dtype: str) -> View:
    filters, _, height, width = shape_of(node)

    def make() -> View:
        storage = new_storage(height * width, filters, Layout.ROW_MAJOR, dtype)
        return View(storage, (Axis(filters, 0, 1), Axis(1, 0, 0), Axis(height, width, 0), Axis(width, 1, 0)))

    lowering.to_host(node)
    return lowering.uploaded(node, "taps", make)


def _is_diagonal(lowering: Lowering, conv: Conv) -> bool:
    """Whether the matrix unit does it: with the blocks of a chip, and no more bits than it multiplies."""
    exact = lowering.dtype == "bfloat16" and not conv.is_quantised
    return lowering.folds and exact and conv.weight in lowering.constants


def _diagonal_weight(lowering: Lowering, node: Node) -> View:
    """A tile per tap and 32 channels, with their weights on its diagonal."""
    weight = lowering.constants[node].flatten(1)
    filters, taps = weight.shape
    diagonals = weight.new_zeros(taps, TILE, padded(filters))
    places = torch.arange(filters)
    diagonals[:, places % TILE, places] = weight.T
    value = diagonals.reshape(taps * TILE, padded(filters))
    return lowering.constant(f"{node.name} on diagonals", value, lambda: fresh(tuple(value.shape)))
