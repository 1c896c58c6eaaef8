"""reshape and its relatives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum

from tilesmith.ops.axes import normal_axis
from tilesmith.ops.checks import fatal
from tilesmith.ops.framework import registered
from tilesmith.ops.host import HostTensor
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.rearrange.api import rearrange
from tilesmith.ops.rearrange.mapping import Segment
from tilesmith.ops.rearrange.views import viewed
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CoreRangeSet


class TileReshapeMapMode(Enum):
    """Whether ttnn keeps the table of a reshape; here there is none."""

    CACHE = 0
    RECREATE = 1


@registered("ttnn.reshape", golden=lambda tensor, shape, *_, **__: tensor.reshape(tuple(shape)))
def reshape(
    input_tensor: Tensor,
    shape: Sequence[int],
    padded_shape: Sequence[int] | None = None,
    *,
    memory_config: MemoryConfig | None = None,
    pad_value: float | None = None,
    reshape_tile_mode: TileReshapeMapMode = TileReshapeMapMode.CACHE,
    sub_core_grids: CoreRangeSet | None = None,
    skip_padding_fill: bool = False,
) -> Tensor:
    """The same elements, row by row, in another shape; one size may be -1."""
    wanted = _inferred(tuple(shape), input_tensor)
    if wanted == input_tensor.spec.shape and memory_config in (None, input_tensor.memory_config()):
        return input_tensor
    if input_tensor.on_device is None:
        spec = replace(input_tensor.spec, shape=wanted)
        return Tensor(on_host=HostTensor.of_numpy(input_tensor.to_numpy().reshape(wanted), spec))
    if memory_config in (None, input_tensor.memory_config()):
        view = viewed(input_tensor, wanted)
        if view is not None:
            return view
    volume = input_tensor.logical_volume()
    flat = Segment(0, (0,), (volume,), 0, (1,))
    return rearrange(
        [input_tensor],
        wanted,
        [flat],
        label="reshape",
        memory_config=memory_config,
        fill=pad_value or 0,
        view=(volume,),
    )


def _inferred(shape: tuple[int, ...], tensor: Tensor) -> tuple[int, ...]:
    volume = tensor.logical_volume()
    fatal(shape.count(-1) <= 1, "Shape cannot have more than 1 elements that is set to -1!")
    known = -math.prod(shape) if -1 in shape else math.prod(shape)
    if -1 in shape:
        fatal(known > 0 and volume % known == 0, "Invalid arguments to reshape")
        return tuple(volume // known if size == -1 else size for size in shape)
    fatal(known == volume, "Invalid arguments to reshape")
    return shape


@registered("ttnn.view", golden=lambda tensor, shape: tensor.reshape(tuple(shape)))
def view(input_tensor: Tensor, shape: Sequence[int]) -> Tensor:
    """The same memory in another shape; refused where elements would have to move."""
    wanted = _inferred(tuple(shape), input_tensor)
    seen = input_tensor if wanted == input_tensor.spec.shape else viewed(input_tensor, wanted)
    fatal(
        seen is not None,
        f"The last dimension can not change in view, and with tiles the one before only in steps of 32:"
        f" {input_tensor.shape} to {list(wanted)}",
        remedy="use ttnn.reshape",
    )
    assert seen is not None
    return seen


@registered(
    "ttnn.squeeze", golden=lambda tensor, dim=None: tensor.squeeze() if dim is None else tensor.squeeze(dim)
)
def squeeze(input_tensor: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """Without axes of size 1: all of them, or those named."""
    shape = input_tensor.spec.shape
    if dim is None:
        named = set(range(len(shape)))
    else:
        named = {normal_axis(one, len(shape)) for one in ([dim] if isinstance(dim, int) else dim)}
    kept = [size for axis, size in enumerate(shape) if size != 1 or axis not in named]
    return reshape(input_tensor, kept)


@registered("ttnn.unsqueeze", golden=lambda tensor, dim: tensor.unsqueeze(dim))
def unsqueeze(input_tensor: Tensor, dim: int) -> Tensor:
    """With an axis of size 1 before axis `dim`."""
    shape = list(input_tensor.spec.shape)
    rank = len(shape)
    fatal(
        -rank - 1 <= dim <= rank,
        f"Dimension out of range (expected to be in range of [{-rank - 1},{rank}], but got {dim})",
    )
    axis = dim + rank + 1 if dim < 0 else dim
    return reshape(input_tensor, [*shape[:axis], 1, *shape[axis:]])


@registered(
    "ttnn.unsqueeze_to_4D",
    golden=lambda tensor: tensor.reshape((1,) * (4 - tensor.dim()) + tuple(tensor.shape)),
)
def unsqueeze_to_4D(tensor: Tensor) -> Tensor:  # noqa: N802 - ttnn's name
    """With axes of size 1 in front until there are four."""
    shape = tensor.spec.shape
    fatal(len(shape) <= 4, "Tensor cannot have more than 4 dimensions")
    return reshape(tensor, (1,) * (4 - len(shape)) + shape)
