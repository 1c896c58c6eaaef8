"""Tensors from values on the host, and back: from_torch, to_torch, and the creation functions that upload."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from tilesmith.formats import TileShape
from tilesmith.ops.checks import fatal
from tilesmith.ops.device import MeshDevice
from tilesmith.ops.dtypes import DataType, dtype_of_torch
from tilesmith.ops.framework import registered
from tilesmith.ops.host import HostTensor
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, MemoryConfig, placed
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout
from tilesmith.runtime.tensor_spec import TensorSpec
from tilesmith.runtime.torch_bridge import numpy_from_torch, torch_like

if TYPE_CHECKING:
    import torch


_INTEGERS: dict[DataType, np.dtype[Any]] = {
    DataType.INT8: np.dtype(np.int8),
    DataType.UINT8: np.dtype(np.uint8),
    DataType.UINT16: np.dtype(np.uint16),
    DataType.UINT32: np.dtype(np.uint32),
    DataType.INT32: np.dtype(np.int32),
}


def from_values(
    values: NDArray[Any],
    dtype: DataType,
    layout: Layout,
    device: MeshDevice | None,
    memory_config: MemoryConfig | None = None,
    tile: TileShape | None = None,
    pad_value: float | None = None,
) -> Tensor:
    """A tensor of an array's values, on the host or on a device."""
    memory = placed(memory_config)
    shape = tuple(map(int, values.shape))
    if device is None and memory.is_sharded:
        memory = DRAM_MEMORY_CONFIG.placed()
    spec = TensorSpec(shape, dtype.format, layout, memory, tile or TileShape())
    on_host = HostTensor.of_numpy(values, spec, pad_value or 0)
    if device is None:
        return Tensor(on_host=on_host)
    return Tensor.of_device(on_host.to_device(device.device, spec))


@registered("ttnn.from_buffer")
def from_buffer(
    buffer: Sequence[float],
    shape: Sequence[int],
    dtype: DataType,
    device: MeshDevice,
    layout: Layout | None = None,
    memory_config: MemoryConfig | None = None,
) -> Tensor:
    """A tensor of numbers that are listed in order."""
    fatal(
        dtype is not DataType.INVALID and not dtype.is_block_float,
        f"Unreachable: a buffer has no elements of {dtype}",
    )
    stored = _INTEGERS.get(dtype, np.dtype(np.float32))
    values = np.asarray(buffer, stored).reshape(tuple(shape))
    return from_values(values, dtype, layout or Layout.ROW_MAJOR, device, memory_config)


@registered("ttnn.from_torch", golden=lambda tensor, *_, **__: tensor)
def from_torch(
    tensor: torch.Tensor | NDArray[Any],
    dtype: DataType | None = None,
    *,
    spec: TensorSpec | None = None,
    tile: TileShape | None = None,
    pad_value: float | None = None,
    layout: Layout | None = None,
    device: MeshDevice | None = None,
    memory_config: MemoryConfig | None = None,
    mesh_mapper: object = None,
    cq_id: int | None = None,
    preserve_nan_values: bool = False,
    col_tilize: bool = False,
    enable_bfloat_opt: bool = False,
) -> Tensor:
    """A torch tensor's values as a ttnn tensor: on the host, or on a device when one is given."""
    if cast(object, tensor) is None:  # ttnn hands None on
        return cast(Tensor, None)
    if isinstance(tensor, np.ndarray):
        tensor = torch_like(tensor)
    if spec is not None:
        given = (dtype, layout, memory_config, tile)
        fatal(
            all(one is None for one in given),
            "ttnn.from_torch: spec excludes dtype, layout, memory_config and tile",
        )
        dtype, layout, tile = DataType.of(spec.dtype), spec.layout, spec.tile
        memory_config = MemoryConfig.of(spec.memory_config)
    fatal(not col_tilize, "ttnn.from_torch: col_tilize is not supported here; transpose the tensor before")
    chosen = dtype or dtype_of_torch(tensor.dtype)
    default = Layout.TILE if chosen.is_block_float else Layout.ROW_MAJOR
    if device is None and memory_config is not None:
        fatal(
            not memory_config.lacks_shards,
            "device must be given for a memory config that is sharded without shards",
        )
    values = as_integers(numpy_from_torch(tensor), chosen)
    return from_values(values, chosen, layout or default, device, memory_config, tile, pad_value)


def as_integers(values: NDArray[Any], dtype: DataType) -> NDArray[Any]:
    """As torch converts: fractions are dropped, and what is too large goes round."""
    if not dtype.is_integer or dtype not in _INTEGERS or values.dtype == _INTEGERS[dtype]:
        return values
    with np.errstate(invalid="ignore"):
        whole = values.astype(np.float64).astype(np.int64) if values.dtype.kind not in "iub" else values
    result: NDArray[Any] = whole.astype(np.int64).astype(_INTEGERS[dtype])
    return result


@registered("ttnn.to_torch", golden=lambda tensor, *_, **__: tensor)
def to_torch(
    tensor: Tensor,
    dtype: torch.dtype | None = None,
    *,
    torch_rank: int | None = None,
    mesh_composer: object = None,
    device: MeshDevice | None = None,
    cq_id: int | None = None,
) -> torch.Tensor:
    """A tensor's values as torch's: bfloat16 as such, block floats as float32, unsigned types one wider."""
    values = tensor.to_torch()
    while torch_rank is not None and values.dim() > torch_rank:
        if values.shape[0] != 1:
            raise RuntimeError("ttnn: Unable to squeeze to desired rank!")
        values = values.squeeze(0)
    return values if dtype is None else values.to(dtype)


def uploaded(
    values: NDArray[Any],
    dtype: DataType | None,
    layout: Layout | None,
    device: MeshDevice | None,
    memory_config: MemoryConfig | None,
) -> Tensor:
    return from_values(values, dtype or DataType.BFLOAT16, layout or Layout.ROW_MAJOR, device, memory_config)


def sizes(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(size) for size in shape)
