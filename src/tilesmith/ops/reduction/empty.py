"""Reductions of tensors without elements, and others whose result is known: filled, not computed."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from tilesmith.ops.checks import fatal
from tilesmith.ops.creation.host import from_values
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout

_OF_NOTHING = {"sum": 0.0, "prod": 1.0}


def of_nothing(
    name: str, tensor: Tensor, axes: Collection[int], keepdim: bool, memory_config: MemoryConfig | None
) -> Tensor | None:
    """What a reduction of no elements is; None for a tensor that has some."""
    shape = tensor.spec.shape
    if math.prod(shape) != 0:
        return None
    for axis in axes if name in ("max", "min") else ():
        fatal(shape[axis] != 0, f"Expected reduction dim {axis} to have non-zero size")
    value = _OF_NOTHING.get(name, math.nan)
    return filled(tensor, axes, keepdim, value, memory_config, tensor.layout)


def filled(
    tensor: Tensor,
    axes: Collection[int],
    keepdim: bool,
    value: float,
    memory_config: MemoryConfig | None,
    layout: Layout = Layout.TILE,
) -> Tensor:
    """One value in the shape of a reduction along axes."""
    sizes = enumerate(tensor.spec.shape)
    kept = [1 if axis in axes else size for axis, size in sizes if keepdim or axis not in axes]
    values = np.full(kept, value, np.float32)
    return from_values(values, tensor.dtype, layout, tensor.device(), memory_config)
