"""The device operation of reductions: along one axis, or along the last two together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tilesmith.formats import DataFormat
from tilesmith.ops.building import (
    OUT,
    compute_kernel,
    data_movement_kernel,
    deal_out,
    is_wide,
    page_writer,
    tensor_words,
    tile_buffer,
)
from tilesmith.ops.checks import fatal
from tilesmith.ops.elementwise.steps import ROUND_TO_BFLOAT16, Script, Step, word_of
from tilesmith.ops.framework import Factory, FunctionFactory
from tilesmith.program import ComputeConfig, Program
from tilesmith.runtime import Layout, MemoryConfig, Tensor
from tilesmith.runtime.tensor_spec import TensorSpec

KERNELS = Path(__file__).parent / "kernels"
Pool = Literal["sum", "max", "min"]
_JOINS = {"sum": "add_binary_tile", "max": "binary_max_tile", "min": "binary_min_tile"}
_INTEGER_JOINS = {
    "sum": Step(("add_int_sfpu",), "add_int_tile_init()", "add_int_tile<{format}>(0, 1, 1)"),
    "max": Step((), "binary_max_int32_tile_init()", "binary_max_int32_tile(0, 1, 1)"),
    "min": Step((), "binary_min_int32_tile_init()", "binary_min_int32_tile(0, 1, 1)"),
}
_SMALLEST = {DataFormat.Int32: -(2**31), DataFormat.UInt32: 0, DataFormat.UInt16: 0}
_LARGEST = {DataFormat.Int32: 2**31 - 1, DataFormat.UInt32: 2**32 - 1, DataFormat.UInt16: 2**16 - 1}
_SCALE = Step(("binop_with_scalar",), "binop_with_scalar_tile_init()", "mul_unary_tile(1, {0})")


@dataclass(frozen=True)
class Attributes:
    """`axes` is one axis, counted from the back (-1: width), or (-2, -1). `scale` multiplies the result.

    Steps before the last of a sum keep 32 bits: `dtype` is what the result is stored in.
    """

    pool: Pool
    axes: tuple[int, ...]
    memory_config: MemoryConfig
    dtype: DataFormat
    scale: float = 1.0


class Reduce:
    name = "ttnn.reduce"

    def validate(self, attrs: Attributes, inputs: Sequence[Tensor]) -> None:
        tensor = inputs[0]
        fatal(tensor.layout is Layout.TILE, "Inputs to reduce must be tilized")
        fatal(tensor.dtype is not DataFormat.Int8, "tilesmith: INT8 tensors are moved and not computed with")
        fatal(
            not tensor.dtype.is_block_float, f"Reductions work on plain numbers, not on {tensor.dtype.name}"
        )
        fatal(
            not tensor.dtype.is_integer or attrs.scale == 1.0,
            "Reductions of integers take no scale",
        )

    def output_specs(self, attrs: Attributes, inputs: Sequence[Tensor]) -> tuple[TensorSpec, ...]:
        shape = list(inputs[0].shape)
        for axis in attrs.axes:
            shape[axis] = 1
        return (TensorSpec(tuple(shape), attrs.dtype, Layout.TILE, attrs.memory_config),)

    def select_factory(self, attrs: Attributes, inputs: Sequence[Tensor]) -> Factory[Attributes]:
        return FunctionFactory(_program)


@dataclass(frozen=True)
class _Walk:
    """Which tiles of the input make which tile of the output."""

    neighbours: int
    group: int
    members: int
    step: int


def _walk(shape: tuple[int, ...], axes: tuple[int, ...]) -> _Walk:
    *outer, height, width = shape
    down, across = -(-height // 32), -(-width // 32)
    if axes == (-1,):
        return _Walk(1, across, across, 1)
    if axes == (-2,):
        return _Walk(across, down * across, down, across)
    if axes == (-2, -1):
        return _Walk(1, down * across, down * across, 1)
    (axis,) = axes
    inner = down * across
    for size in outer[len(outer) + axis + 3 :]:
        inner *= size
    size = shape[axis]
    return _Walk(inner, inner * size, size, inner)


def _program(attrs: Attributes, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Program:
    tensor, output = inputs[0], outputs[0]
    work = deal_out(output.device, output.num_pages)
    walk = _walk(tensor.shape, attrs.axes)
    script = Script(tensor.dtype, [walk.members], set())
    defines = {
        "JOIN": _join(script, attrs.pool),
        "WITHIN": _within(script, attrs),
        "AFTER": "" if tensor.dtype.is_integer else script.text(_SCALE, 1, 2, [attrs.scale]),
    }
    if output.dtype is DataFormat.Float16_b:
        defines["AFTER"] += script.text(ROUND_TO_BFLOAT16, 1, 2)
    # Sums are made with 32 bits whatever the format.
    wide = tensor.dtype is not DataFormat.UInt16
    straight = (0,) if is_wide([tensor.dtype]) and not tensor.dtype.is_integer else ()
    config = ComputeConfig(fp32_dest_acc_en=wide, unpack_to_dest_fp32=straight)
    compute = compute_kernel(
        KERNELS / "compute.cpp", work, config, common=script.words, defines={**defines, **script.defines}
    )
    height, width = tensor.shape[-2:]
    down, across = -(-height // 32), -(-width // 32)
    words = tensor_words(tensor)
    common = [walk.neighbours, walk.group, walk.members, walk.step, down, across]
    common += [height - (down - 1) * 32, width - (across - 1) * 32]
    common += [neutral(attrs.pool, tensor.dtype), tensor.dtype.bits // 8, *words.common]
    read = data_movement_kernel(KERNELS / "read.cpp", work, compile_time=words.compile_time, common=common)
    buffers = [tile_buffer(0, tensor.dtype, 2, work.cores), tile_buffer(OUT, output.dtype, 2, work.cores)]
    return Program([read, compute, page_writer(work, output)], buffers)


def neutral(pool: Pool, format: DataFormat) -> int:
    """The bits of the value that changes nothing.

    >>> hex(neutral("max", DataFormat.Float16_b))
    '0xff80'
    """
    if format.is_integer:
        value = {"sum": 0, "max": _SMALLEST[format], "min": _LARGEST[format]}[pool]
        return value & 0xFFFFFFFF
    word = word_of({"sum": 0.0, "max": float("-inf"), "min": float("inf")}[pool], format)
    return word if format is DataFormat.Float32 else word >> 16


def _join(script: Script, pool: Pool) -> str:
    if script.format.is_integer:
        return script.text(_INTEGER_JOINS[pool], 1, 2)
    function = _JOINS[pool]
    return script.text(Step((), f"{function}_init()", f"{function}(0, 1, 1)"), 1, 2)


def _within(script: Script, attrs: Attributes) -> str:
    """The reduction inside a tile: none along outer axes, rows first where both are asked for."""
    stored = script.format.name if script.format.is_integer else "Float32"
    arguments = f"PoolType::{attrs.pool.upper()}, DataFormat::{stored}"
    dims = [name for axis, name in ((-2, "REDUCE_COL"), (-1, "REDUCE_ROW")) if axis in attrs.axes]
    calls = [f"sfpu_reduce<{arguments}, ReduceDim::{dim}>(1);" for dim in dims]
    return " ".join([f"sfpu_reduce_init<{arguments}>();", *calls]) if calls else ""
