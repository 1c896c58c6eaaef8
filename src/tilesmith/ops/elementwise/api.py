"""Calling elementwise operations: numbers and tensors, defaults, layouts; then one launch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tilesmith.errors import DeviceError
from tilesmith.formats import DataFormat
from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.elementwise.activation import Activation, Activations, applied
from tilesmith.ops.elementwise.operation import Attributes, Chain, Elementwise, broadcast_shape, has_steps
from tilesmith.ops.framework import launch
from tilesmith.ops.framework.registry import call
from tilesmith.ops.layouts import as_tiles, in_layout
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, MemoryConfig
from tilesmith.ops.shape import Shape
from tilesmith.ops.shards import fitting_memory
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout
from tilesmith.runtime import MemoryConfig as PlacedMemory
from tilesmith.runtime.tensor_spec import TensorSpec

Operand = Tensor | float | int
ELEMENTWISE = Elementwise()
FACE = 16


def elementwise(
    combine: str,
    operands: Sequence[Operand],
    *,
    dtype: DataType | None = None,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    before: Sequence[Activations] = (),
    after: Activations = None,
    fast: bool = False,
) -> Tensor:
    """Join operands element by element. The first tensor decides dtype, layout and memory unless told."""
    tensors = [one for one in operands if isinstance(one, Tensor)]
    fatal(tensors, "At least one operand must be a tensor")
    first = tensors[0]
    chains = [applied(chain) for chain in before] or [()] * len(operands)
    last = applied(after)
    target = dtype or (output_tensor.dtype if output_tensor is not None else first.dtype)
    shape = broadcast_shape([tensor.spec.shape for tensor in tensors])
    if DataFormat.Bfp4_b in [tensor.spec.dtype for tensor in tensors]:
        operands = [_spreadable(one, shape) for one in operands]
        tensors = [one for one in operands if isinstance(one, Tensor)]
    if _too_narrow(tensors[0].spec.dtype, combine, (*chains, last)):
        wide = [_cast(one, DataType.INT32) if isinstance(one, Tensor) else one for one in operands]
        result = elementwise(combine, wide, dtype=DataType.INT32, before=chains, after=last)
        return elementwise(
            "", [result], dtype=target, memory_config=memory_config, output_tensor=output_tensor
        )
    sharded = memory_config.is_sharded() if memory_config else first.spec.memory_config.is_sharded
    wanted = memory_config or first.memory_config() if sharded and output_tensor is None else None
    if wanted is not None and _shards_of_rows(wanted, tensors, shape, target):
        beside = replace(DRAM_MEMORY_CONFIG, buffer_type=wanted.buffer_type)
        result = elementwise(
            combine, operands, dtype=target, memory_config=beside, before=chains, after=last, fast=fast
        )
        moved: Tensor = call("ttnn.to_memory_config", result, wanted)
        return moved
    if _padding_would_spoil(target, shape) and (combine or any(chains) or last):
        plain = elementwise(combine, operands, dtype=DataType.BFLOAT16, before=chains, after=last)
        return elementwise(
            "", [plain], dtype=target, memory_config=memory_config, output_tensor=output_tensor
        )
    attrs = Attributes(
        combine,
        target.format,
        _memory(memory_config, output_tensor, first, shape),
        tuple(chains),
        (*last, *_conversion(tensors[0].spec.dtype, target.format)),
        tuple((i, one) for i, one in enumerate(operands) if not isinstance(one, Tensor)),
        fast,
    )
    return _launch(attrs, tensors, output_tensor, shape)


def _shards_of_rows(
    wanted: MemoryConfig, tensors: Sequence[Tensor], shape: tuple[int, ...], target: DataType
) -> bool:
    """Whether the shards hold rows but no whole tiles: the result is made elsewhere and moved there."""
    if wanted.lacks_shards or any(tensor.layout is Layout.TILE for tensor in tensors):
        return False
    try:
        TensorSpec(shape, target.format, Layout.TILE, wanted.placed())
    except DeviceError:
        return True
    return False


def _too_narrow(format: DataFormat, combine: str, chains: Sequence[Chain]) -> bool:
    """Whether the vector unit has it for 32-bit integers, and not for these smaller ones."""
    if format not in (DataFormat.UInt8, DataFormat.UInt16) or combine == "where":
        return False
    return not has_steps(combine, chains, format) and has_steps(combine, chains, DataFormat.Int32)


def _cast(tensor: Tensor, dtype: DataType) -> Tensor:
    return tensor if tensor.dtype is dtype else elementwise("", [tensor], dtype=dtype)


def _spreadable(operand: Operand, shape: tuple[int, ...]) -> Operand:
    """Two elements of 4 bits share a byte: a row or a column of them is repeated as bfloat16."""
    if not isinstance(operand, Tensor) or operand.dtype is not DataType.BFLOAT4_B:
        return operand
    own, whole = ((1, 1, *sizes)[-2:] for sizes in (operand.spec.shape, shape))
    return operand if own == whole else elementwise("", [operand], dtype=DataType.BFLOAT16)


def _padding_would_spoil(target: DataType, shape: tuple[int, ...]) -> bool:
    """Whether padding shares exponents with elements: whatever an operation makes of it would drown them."""
    return target.is_block_float and bool(shape) and shape[-1] % FACE != 0


def _launch(
    attrs: Attributes, tensors: Sequence[Tensor], output: Tensor | None, shape: tuple[int, ...]
) -> Tensor:
    for letter, tensor in zip("ABC", tensors, strict=False):
        fatal(
            tensor.on_device is not None,
            f"Input tensor {letter} must be on device, got storage type: StorageType::HOST",
        )
    in_tiles = [as_tiles(tensor) for tensor in tensors]
    if output is None:
        (result,) = launch(ELEMENTWISE, attrs, in_tiles)
        in_rows = all(tensor.layout is Layout.ROW_MAJOR for tensor in tensors)
        return in_layout(result, Layout.ROW_MAJOR) if in_rows else result
    fatal(output.layout is Layout.TILE, "Output tensor must be in tile layout")
    fatal(
        output.spec.shape == shape,
        f"Shape of Output tensor {output.shape} provided does not match the broadcasted output shape"
        f" {Shape(shape)}",
    )
    return launch(ELEMENTWISE, attrs, in_tiles, output=[output])[0]


def _memory(
    asked: MemoryConfig | None, output: Tensor | None, first: Tensor, shape: tuple[int, ...]
) -> PlacedMemory:
    if output is not None:
        return output.spec.memory_config
    own = first.spec.memory_config
    if asked is None and not own.is_sharded:
        return own
    return fitting_memory(asked or first.memory_config(), shape, first).placed()


def _conversion(source: DataFormat, target: DataFormat) -> Chain:
    """A step between integers and floats; the packer converts between floats by itself."""
    if source == target or not (source.is_integer or target.is_integer):
        return ()
    return applied([Activation("typecast", (float(source), float(target)))])
