"""Group norm of images -> a launch."""

from __future__ import annotations

from math import lcm
from typing import Any

import torch
from torch.fx import Node

from tilesmith.graph.groups import Group, describe, shape_of
from tilesmith.graph.images import Grid
from tilesmith.graph.lower_images import finish_image, image_of
from tilesmith.graph.lowering import Lowering, NoKernel
from tilesmith.graph.views import TILE, View, fresh, padded
from tilesmith.kernels.expression import Expr, Input, apply
from tilesmith.kernels.group_norm import GroupNorm

_WIDEST = 320


def lower_group_norm(lowering: Lowering, group: Group) -> View:
    """One kernel: statistics of each group of channels over the pixels of each image, then the norm."""
    node = group.anchors[0]
    x, groups, weight, bias, epsilon = _arguments(node)
    if len(shape_of(node)) != 4:
        raise NoKernel("a group norm of something else than images")
    image, found = image_of(lowering, x, lowering.gap)
    if found.batch > 1 and found.area % TILE:
        raise NoKernel("a group norm of several images that share a tile")
    columns = _columns(found, groups)
    known: Expr = Input("acc0")
    extra: dict[str, Node] = {}
    for name, operator, tensor in (("weight", "mul", weight), ("bias", "add", bias)):
        if tensor is not None:
            known, extra[name] = apply(operator, known, Input(name)), tensor
    done = finish_image(lowering, group, {node: known}, extra, found)
    same = _same(lowering, found, groups, columns)
    template = GroupNorm(done.epilogue, columns, epsilon, lowering.dtype)
    room = lowering.space((found.rows, found.channels), done.operands)
    still = {
        f"{one}_{key}": 0 for one in ("x", "same") for key in ("row", "row1", "row2", "col", "col1", "col2")
    }
    numbers = {"n": found.channels, "images": found.batch, "area": found.area, **room.numbers, **still}
    storages = {"x": image.storage, "same": same.storage}
    storages |= {name: one.view.storage for name, one in done.operands.items()}
    lowering.launch(template, storages, numbers, describe(group), done.out)
    return done.out


def _arguments(node: Node) -> tuple[Any, int, Any, Any, float]:
    args: list[Any] = [*node.args, None, None, None]
    x, groups, weight, bias, epsilon = args[:5]
    return x, int(groups), weight, bias, 1e-5 if epsilon is None else float(epsilon)


def _columns(image: Grid, groups: int) -> int:
    """How many columns hold whole groups and whole tiles."""
    wide = lcm(image.channels // groups, TILE)
    columns = wide if image.channels % wide == 0 else padded(image.channels)
    if columns > _WIDEST:
        raise NoKernel(f"{image.channels} channels in {groups} groups share tiles too widely")
    return columns


def _same(lowering: Lowering, image: Grid, groups: int, columns: int) -> View:
    """For two channels of a block: a part of one if they are of the same group, else zero."""
    each = image.channels // groups
    numbers = torch.arange(columns) // each
    inside = torch.arange(columns) < max(image.channels, columns if image.channels % columns == 0 else 0)
    alike = (numbers[:, None] == numbers[None]) & inside[:, None] & inside[None]
    value = alike.float() / (each * image.height * image.width)
    name = f"same {each} {columns} {image.channels} {image.height * image.width}"
    return lowering.constant(name, value, lambda: fresh((columns, columns), "float32"))
