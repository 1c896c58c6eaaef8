"""Group norm of images -> a launch, or two where the cores of a chip share images."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import Any

import torch
from torch.fx import Node

from tilesmith.kernels.expression import Expr, Input, apply
from tilesmith.kernels.group_norm import GroupNorm
from tilesmith.kernels.operands import STRIDES
from tilesmith.kernels.shared_group_norm import GroupSums, SharedGroupNorm
from tilesmith.models.planning.epilogue import Finish
from tilesmith.models.planning.fusion import Group, describe, shape_of
from tilesmith.models.planning.iteration_space import Placed
from tilesmith.models.planning.lower_images import finish_image, placed_image, still
from tilesmith.models.planning.lowering import Lowering, NoKernel
from tilesmith.models.planning.views import TILE, View, fresh, new_storage, padded
from tilesmith.runtime import Layout

WIDEST = 320
"""How many columns the kernel of a group norm holds at once."""
WIDEST_SHARED = 512
"""The same where cores share images: they hold no matrix of columns by columns."""
CORES_SHARE = "cores share images"
"""In the meta of a graph: it is for a chip, and all sizes are known."""


def lower_group_norm(lowering: Lowering, group: Group) -> View:
    """One kernel: statistics of each group of channels over the pixels of each image, then the norm."""
    node = group.anchors[0]
    x, groups, weight, bias, epsilon = _arguments(node)
    if len(shape_of(node)) != 4:
        raise NoKernel("a group norm of something else than images")
    image = placed_image(lowering, x)
    shape = image.view.shape
    known: Expr = Input("acc0")
    extra: dict[str, Node] = {}
    for name, operator, tensor in (("weight", "mul", weight), ("bias", "add", bias)):
        if tensor is not None:
            known, extra[name] = apply(operator, known, Input(name)), tensor
    done = finish_image(lowering, group, {node: known}, extra)
    if lowering.folds and shared_columns(shape_of(x), groups):
        _share(lowering, describe(group), done, image, groups, epsilon)
        return done.out
    columns = _columns(shape[2], groups)
    same = _same(lowering, shape, groups, columns)
    times = shape[1] / min(shape[1], TILE)
    template = GroupNorm(done.epilogue, columns, epsilon, image.view.storage.dtype, image.access, times)
    room = lowering.space(shape, {"x": image, **done.operands}, join_rows=False)
    still = {f"same_{key}": 0 for key in STRIDES}
    numbers = {"n": shape[2], "images": shape[0], "area": shape[1], **room.numbers, **still}
    storages = {"x": image.view.storage, "same": same.storage}
    storages |= {name: one.view.storage for name, one in done.operands.items()}
    lowering.launch(template, storages, numbers, describe(group), done.out)
    return done.out


def _arguments(node: Node) -> tuple[Any, int, Any, Any, float]:
    args: list[Any] = [*node.args, None, None, None]
    x, groups, weight, bias, epsilon = args[:5]
    return x, int(groups), weight, bias, 1e-5 if epsilon is None else float(epsilon)


def _columns(channels: int, groups: int) -> int:
    """How many columns hold whole groups and whole tiles."""
    wide = lcm(channels // groups, TILE)
    columns = wide if channels % wide == 0 else padded(channels)
    if columns > WIDEST:
        raise NoKernel(f"{channels} channels in {groups} groups share tiles too widely")
    return columns


def _same(lowering: Lowering, shape: Sequence[int], groups: int, columns: int) -> View:
    """For two channels of a block: a part of one if they are of the same group, else zero."""
    _, area, channels = shape
    each = channels // groups
    numbers = torch.arange(columns) // each
    inside = torch.arange(columns) < max(channels, columns if channels % columns == 0 else 0)
    alike = (numbers[:, None] == numbers[None]) & inside[:, None] & inside[None]
    value = alike.float() / (each * area)
    name = f"same {each} {columns} {channels} {area}"
    return lowering.constant(name, value, lambda: fresh((columns, columns), "float32"))


# ---- shared by cores ----


def shared_columns(shape: Sequence[int], groups: int) -> int:
    """How many columns cores take that share an image, in whole tiles and groups; 0 if they cannot.

    >>> shared_columns((2, 960, 64, 64), 32), shared_columns((2, 960, 7, 7), 32)
    (480, 0)
    """
    if len(shape) != 4:
        return 0
    _, channels, height, width = shape
    columns = lcm(channels // groups, TILE)
    fits = channels % columns == 0 and columns <= WIDEST_SHARED and height * width % TILE == 0
    return columns if fits else 0


def _share(
    lowering: Lowering, ops: tuple[str, ...], done: Finish, image: Placed, groups: int, epsilon: float
) -> None:
    """Sums of parts of each image, then the norm of each part."""
    images, area, channels = image.view.shape
    columns, each = shared_columns(done.out.shape, groups), channels // groups
    into = _into(lowering, columns, each)
    sizes = (columns, padded(columns // each), each, image.view.storage.dtype, image.access)
    totals, squares = (new_storage(images * TILE, channels, Layout.ROW_MAJOR, "float32") for _ in range(2))
    parts = _parts(area // TILE, lowering.cores // (channels // columns * images))
    room = lowering.space(image.view.shape, {"x": image, **done.operands}, join_rows=False)
    numbers = {"n": channels, "images": images, "parts": parts, "steps": area // TILE // parts}
    numbers |= {**still("into", "back", "totals", "squares"), **room.numbers}
    held = {"x": image.view.storage, "into": into.storage, "back": _back(lowering, columns, each).storage}
    held |= {"totals": totals, "squares": squares}
    rows = {"totals_row1": TILE, "totals_row2": 1, "squares_row1": TILE, "squares_row2": 1}
    of_x = {name: value for name, value in numbers.items() if name.rpartition("_")[0] not in done.operands}
    lowering.launch(GroupSums(*sizes), held, {**of_x, **rows}, ops[:1], totals, squares)
    template = SharedGroupNorm(*sizes, done.epilogue, epsilon, area)
    rows = {f"{name}_row2": TILE for name in ("totals", "squares")}
    storages = {**held, **{name: one.view.storage for name, one in done.operands.items()}}
    lowering.launch(template, storages, {**numbers, **rows}, ops, done.out)


def _parts(steps: int, cores: int) -> int:
    """How many cores share an image: as many as there are, of a tile of rows at most, with equal parts.

    >>> _parts(128, 16), _parts(7, 16), _parts(98, 64)
    (16, 7, 14)
    """
    return max(part for part in range(1, min(steps, TILE, max(cores, 1)) + 1) if steps % part == 0)


def _into(lowering: Lowering, columns: int, each: int) -> View:
    """A one where a channel, a row, is of a group, a column."""
    value = torch.zeros(columns, padded(columns // each))
    value[torch.arange(columns), torch.arange(columns) // each] = 1
    name = f"channels to groups {each} {columns}"
    return lowering.constant(name, value, lambda: fresh(tuple(value.shape), "float32"))


def _back(lowering: Lowering, columns: int, each: int) -> View:
    value = torch.zeros(padded(columns // each), columns)
    value[torch.arange(columns) // each, torch.arange(columns)] = 1
    name = f"groups to channels {each} {columns}"
    return lowering.constant(name, value, lambda: fresh(tuple(value.shape), "float32"))
