"""Group norm of images -> a launch."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import Any

import torch
from torch.fx import Node

from tilesmith.kernels.expression import Expr, Input, apply
from tilesmith.kernels.group_norm import GroupNorm
from tilesmith.kernels.operands import STRIDES
from tilesmith.models.planning.fusion import Group, describe, shape_of
from tilesmith.models.planning.lower_images import finish_image, placed_image
from tilesmith.models.planning.lowering import Lowering, NoKernel
from tilesmith.models.planning.views import TILE, View, fresh, padded

WIDEST = 320
"""How many columns the kernel of a group norm holds at once."""


def lower_group_norm(lowering: Lowering, group: Group) -> View:
    """One kernel: statistics of each group of channels over the pixels of each image, then the norm."""
    node = group.anchors[0]
    x, groups, weight, bias, epsilon = _arguments(node)
    if len(shape_of(node)) != 4:
        raise NoKernel("a group norm of something else than images")
    image = placed_image(lowering, x)
    shape = image.view.shape
    columns = _columns(shape[2], groups)
    known: Expr = Input("acc0")
    extra: dict[str, Node] = {}
    for name, operator, tensor in (("weight", "mul", weight), ("bias", "add", bias)):
        if tensor is not None:
            known, extra[name] = apply(operator, known, Input(name)), tensor
    done = finish_image(lowering, group, {node: known}, extra)
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
