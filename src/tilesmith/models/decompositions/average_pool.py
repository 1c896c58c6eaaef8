"""Averages over windows and norms of groups of channels that no kernel does as they are."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm, prod
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from tilesmith.models.decompositions.registry import decomposition, value_of
from tilesmith.models.planning.lower_group_norm import CORES_SHARE, WIDEST, shared_columns
from tilesmith.models.planning.lower_images import pair, windows_differ
from tilesmith.models.planning.views import TILE, padded

aten = torch.ops.aten


def groups_are_wide(node: Node) -> bool:
    """more channels than the kernel holds at a time"""
    args: Any = node.args
    shape, groups = value_of(args[0]).shape, args[1]
    channels, module = shape[1], node.graph.owning_module
    if module is not None and module.meta.get(CORES_SHARE) and shared_columns(shape, groups):
        return False
    wide = lcm(channels // groups, TILE)
    return bool((wide if channels % wide == 0 else padded(channels)) > WIDEST)


@decomposition(aten.avg_pool2d.default, when=windows_differ)
def avg_pool2d(
    x: Tensor,
    taps: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    ceil: bool = False,
    include: bool = True,
    divisor: int | None = None,
) -> Tensor:
    """The sum over each window, and a factor for it.

    >>> avg_pool2d(torch.ones(1, 1, 2, 2), [2, 2], [1, 1], [1, 1], False, False).unique().tolist()
    [1.0]
    """
    area = prod(pair(taps))
    windows = (list(taps), list(stride), list(padding), ceil)
    ones = torch.ones(1, 1, *x.shape[2:], dtype=x.dtype)
    counted: Tensor = aten.avg_pool2d(ones, *windows, include, divisor)
    factor: Tensor = counted / aten.avg_pool2d(ones, *windows, True, area)
    summed: Tensor = aten.avg_pool2d(x, *windows, True, area)
    return summed * factor.expand(summed.shape).contiguous()


@decomposition(aten.group_norm.default, when=groups_are_wide)
def group_norm(
    x: Tensor,
    groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    epsilon: float = 1e-5,
    _: bool = True,
) -> Tensor:
    """A layer norm of each group as one row, by one kernel, which keeps the statistics as float32.

    >>> group_norm(torch.tensor([[[[1.0]], [[3.0]]]]), 1, epsilon=0.0).flatten().tolist()
    [-1.0, 1.0]
    """
    rows = x.reshape(x.shape[0], groups, -1)
    result: Tensor = torch.ops.tilesmith.layer_norm(rows, [rows.shape[-1]], None, None, epsilon)
    result = result.reshape(x.shape)
    along = [1, -1] + [1] * (x.dim() - 2)
    result = result if weight is None else result * weight.reshape(along)
    return result if bias is None else result + bias.reshape(along)
