"""softmax with a scale and a mask, and into the tensor it came from."""

from __future__ import annotations

from typing import Any

from tilesmith.ops.checks import fatal
from tilesmith.ops.compute_config import ComputeKernelConfig
from tilesmith.ops.device import MeshDevice
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.elementwise.api import elementwise
from tilesmith.ops.elementwise.unary import typecast
from tilesmith.ops.framework import registered
from tilesmith.ops.layouts import as_tiles
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.normalization.api import softmax
from tilesmith.ops.program_configs import check_softmax_config
from tilesmith.ops.rearrange.memory import copy
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CoreRangeSet
from tilesmith.runtime import BufferType, Layout, ShardSpec, TensorMemoryLayout


def _golden(tensor: Any, scale: float | None = None, mask: Any = None, **_: Any) -> Any:
    scaled = tensor if scale is None else tensor * scale
    return (scaled if mask is None else scaled + mask).softmax(-1)


@registered("ttnn.scale_mask_softmax", golden=_golden)
def scale_mask_softmax(
    input_tensor: Tensor,
    scale: float | None = None,
    mask: Tensor | None = None,
    *,
    memory_config: MemoryConfig | None = None,
    is_causal_mask: bool = False,
    compute_kernel_config: ComputeKernelConfig | None = None,
    numeric_stable: bool = True,
) -> Tensor:
    """softmax(scale x + mask) along the last axis; what is between keeps 32 bits."""
    fatal(input_tensor.layout is Layout.TILE, "Inputs to softmax must be tilized")
    x = typecast(input_tensor, DataType.FLOAT32)
    if mask is not None:
        shift = typecast(as_tiles(mask), DataType.FLOAT32)
        x = elementwise("mac", [x, 1.0 if scale is None else scale, shift])
    elif scale is not None:
        x = elementwise("mul", [x, scale])
    result = softmax(x, -1)
    memory = memory_config or input_tensor.memory_config()
    return typecast(result, input_tensor.dtype, memory_config=memory)


@registered("ttnn.scale_mask_softmax_in_place", golden=_golden)
def scale_mask_softmax_in_place(
    input_tensor: Tensor,
    scale: float | None = None,
    mask: Tensor | None = None,
    *,
    program_config: object = None,
    is_causal_mask: bool = False,
    compute_kernel_config: ComputeKernelConfig | None = None,
    numeric_stable: bool = False,
) -> Tensor:
    """softmax(scale x + mask), written to x."""
    check_softmax_config(program_config)
    return copy(scale_mask_softmax(input_tensor, scale, mask), input_tensor)


@registered("ttnn.scale_causal_mask_hw_dims_softmax_in_place", golden=_golden)
def scale_causal_mask_hw_dims_softmax_in_place(
    input_tensor: Tensor,
    scale: float | None = None,
    mask: Tensor | None = None,
    *,
    program_config: object = None,
    compute_kernel_config: ComputeKernelConfig | None = None,
    numeric_stable: bool = False,
) -> Tensor:
    """The same, with a mask of the last two axes."""
    check_softmax_config(program_config)
    return copy(scale_mask_softmax(input_tensor, scale, mask), input_tensor)


@registered("ttnn.softmax_in_place", golden=lambda tensor, dim=-1, **_: tensor.softmax(dim))
def softmax_in_place(
    input_tensor: Tensor,
    dim: int = -1,
    *,
    program_config: object = None,
    compute_kernel_config: ComputeKernelConfig | None = None,
    numeric_stable: bool = True,
) -> Tensor:
    """softmax along an axis, written to its input."""
    check_softmax_config(program_config)
    return copy(softmax(input_tensor, dim), input_tensor)


def create_layer_norm_reciprocals(device: MeshDevice, core_range_set: CoreRangeSet, width: int) -> Tensor:
    """1, 1/2, 1/3 ... on every core, for Welford's algorithm. Here two passes are made, which need none."""
    import numpy as np

    from tilesmith.ops.creation.host import from_values

    cores = int(core_range_set.num_cores)
    values = np.tile(1 / np.arange(1, width + 1, dtype=np.float64), (cores, 1)).astype(np.float32)
    memory = MemoryConfig(
        TensorMemoryLayout.HEIGHT_SHARDED, BufferType.L1, ShardSpec(core_range_set, (1, width))
    )
    return from_values(values, DataType.FLOAT32, Layout.ROW_MAJOR, device, memory)
