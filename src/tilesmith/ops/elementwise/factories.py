"""Programs of elementwise operations: on the vector unit, or on the matrix engine when asked for speed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tilesmith.formats import DataFormat, TileShape, exponent_bytes
from tilesmith.ops.building import (
    OUT,
    Work,
    compute_kernel,
    data_movement_kernel,
    deal_out,
    is_wide,
    page_writer,
    tensor_words,
    tile_buffer,
)
from tilesmith.ops.elementwise.binary_table import BINARY
from tilesmith.ops.elementwise.operation import Attributes, Chain
from tilesmith.ops.elementwise.steps import ROUND_TO_BFLOAT16, Script, Step, scalar_word
from tilesmith.ops.elementwise.unary_table import UNARY
from tilesmith.ops.framework import BoundAddress
from tilesmith.program import ComputeConfig, Kernel, Program
from tilesmith.runtime import Tensor

KERNELS = Path(__file__).parent / "kernels"
DOWN, ACROSS = 1, 2  # tile_fill.hpp
_ON_MATRIX = (DataFormat.Float16_b, DataFormat.Bfp8_b, DataFormat.Bfp4_b)
_FLAGS = {"", "eq", "ne", "lt", "gt", "le", "ge", "isnan", "isinf", "isposinf", "isneginf", "isfinite"}
_WHERE = Step(("where",), "where_tile_init()", "where_tile<{format}>(0, 1, 2, 0)")


class MatrixFactory:
    """Sums, differences and products of two tensors of at most 16 bits, when asked for quick ones."""

    @staticmethod
    def takes(attrs: Attributes, inputs: Sequence[Tensor]) -> bool:
        row = BINARY.get(attrs.combine)
        return (
            row is not None
            and attrs.fast
            and bool(row.matrix)
            and len(inputs) == 2
            and not any(attrs.before)
            and all(one in _ON_MATRIX for one in (*(tensor.dtype for tensor in inputs), attrs.dtype))
        )

    def create(self, attrs: Attributes, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Program:
        script = Script(DataFormat.Float16_b, [], set())
        stem = BINARY[attrs.combine].matrix
        defines = {
            "INIT": f"{stem}_init",
            "COMBINE": f"{stem}_tiles",
            "AFTER": chain_text(script, attrs.after, 0, 1),
        }
        work = deal_out(outputs[0].device, outputs[0].num_pages)
        compute = compute_kernel(
            KERNELS / "matrix.cpp",
            work,
            ComputeConfig(),
            common=script.words,
            defines={**defines, **script.defines},
        )
        return _program(work, inputs, outputs[0], compute, [0, 1])


class VectorFactory:
    """Everything else: all operands in DST."""

    def create(self, attrs: Attributes, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Program:
        formats = [tensor.dtype for tensor in inputs]
        scalars = dict(attrs.scalars)
        buffers = [index for index in range(attrs.operands) if index not in scalars]
        script = Script(formats[0], [], set())
        work = deal_out(outputs[0].device, outputs[0].num_pages)
        wide = in_32_bits(attrs, formats)
        config = ComputeConfig(
            fp32_dest_acc_en=wide,
            unpack_to_dest_fp32=tuple(
                cb for cb, stored in zip(buffers, formats, strict=True) if stored is DataFormat.Float32
            ),
        )
        compute = compute_kernel(
            KERNELS / "vector.cpp",
            work,
            config,
            defines=_defines(attrs, script, scalars, wide),
            common=script.words,
        )
        return _program(work, inputs, outputs[0], compute, buffers)


def in_32_bits(attrs: Attributes, formats: Sequence[DataFormat]) -> bool:
    """Whether DST holds 32 bits: for floats, so that a result is rounded once, and to nearest even.

    What gives 0 or 1 is exact in 16 bits, and there NaN arrives as such.
    """
    if is_wide((*formats, attrs.dtype)):
        return True
    names = {step.name for chain in (*attrs.before, attrs.after) for step in chain} | {attrs.combine}
    return not any(one.is_integer for one in formats) and not names <= _FLAGS


def _defines(attrs: Attributes, script: Script, scalars: dict[int, float], wide: bool) -> dict[str, str]:
    """The kernel's statements. Each operand is in the DST tile of its number; numbers are filled in."""
    tensors = [index for index in range(attrs.operands) if index not in scalars]
    defines = {"OPERANDS": str(len(tensors)), "FIRST_CB": str(tensors[0])}
    for index, name in enumerate("ABC"):
        chain = attrs.before[index] if index < attrs.operands else ()
        fill = _filled(script, attrs.combine, index, scalars, len(tensors)) if index in scalars else ""
        defines[f"LOAD_{name}"] = f"load({index});" if index in tensors else ""
        defines[f"BEFORE_{name}"] = f"{fill} {chain_text(script, chain, index, 3)}".strip()
    if attrs.combine == "where":
        defines["COMBINE"] = script.text(_WHERE, 0, 1)
    elif attrs.combine:
        step = BINARY[attrs.combine].step(script.format)
        assert step is not None
        defines["COMBINE"] = script.text(step, 0, 1)
    else:
        defines["COMBINE"] = ""
    defines["AFTER"] = chain_text(script, attrs.after, 0, 1)
    if wide and attrs.dtype is DataFormat.Float16_b and not script.format.is_integer:
        defines["AFTER"] += script.text(ROUND_TO_BFLOAT16, 0, 1)
    if wide:
        defines["INP_FLOAT32"] = "1"  # the vendor's name: functions choose their 32-bit form by it
    return {**defines, **script.defines}


def _filled(script: Script, combine: str, index: int, scalars: dict[int, float], tensors: int) -> str:
    """A DST tile full of a number, which is a value of the call: it stands after tensors and output."""
    first = len(script.words)
    text = script.text(_fill(script.format), index, 3, [scalars[index]])
    number = tensors + 1 + sorted(scalars).index(index)
    word = scalar_word(combine, scalars[index], script.format)
    script.words[first] = BoundAddress(word, number)
    return text


def _fill(format: DataFormat) -> Step:
    if format.is_integer:
        return Step(("fill",), "fill_tile_init()", f"fill_tile_int<DataFormat::{format.name}>({{d}}, {{0}})")
    return Step(("fill",), "fill_tile_init()", "fill_tile_bitcast({d}, {0})")


def chain_text(script: Script, chain: Chain, tile: int, scratch: int) -> str:
    return " ".join(_applied_text(script, one.name, one.parameters, tile, scratch) for one in chain)


def _applied_text(script: Script, name: str, parameters: Sequence[float], tile: int, scratch: int) -> str:
    if name == "typecast":
        source, target = (DataFormat(int(value)) for value in parameters)
        numbers = f"<(uint32_t)DataFormat::{source.name}, (uint32_t)DataFormat::{target.name}>"
        step: Step | None = Step(
            ("typecast",), f"typecast_tile_init{numbers}()", f"typecast_tile{numbers}({{d}})"
        )
        assert step is not None
        text = script.text(step, tile, scratch)
        script.format = target
        return text
    row = UNARY[name]
    step = row.step(script.format)
    assert step is not None
    return script.text(step, tile, scratch, parameters or row.parameters)


def _program(
    work: Work, inputs: Sequence[Tensor], output: Tensor, compute: Kernel, buffers: Sequence[int]
) -> Program:
    cbs = [tile_buffer(cb, one.dtype, 2, work.cores) for cb, one in zip(buffers, inputs, strict=True)]
    cbs.append(tile_buffer(OUT, output.dtype, 2, work.cores))
    return Program([_operand_reader(work, inputs, output, buffers), compute, page_writer(work, output)], cbs)


def _operand_reader(work: Work, inputs: Sequence[Tensor], output: Tensor, buffers: Sequence[int]) -> Kernel:
    extents = _in_tiles(output.shape)
    common = [len(extents), *extents]
    compile_time: list[int] = []
    for tensor in inputs:
        words = tensor_words(tensor)
        common += [*_strides(tensor.shape, extents), _spread(tensor.shape, output.shape)]
        common += [tensor.dtype.bits // 8 or 1, exponent_bytes(tensor.dtype, TileShape()), *words.common]
        compile_time += words.compile_time
    defines = {"OPERANDS": str(len(inputs))}
    defines |= {f"CB_{'ABC'[i]}": str(cb) for i, cb in enumerate(buffers)}
    return data_movement_kernel(
        KERNELS / "read_operands.cpp", work, compile_time=compile_time, common=common, defines=defines
    )


def _in_tiles(shape: tuple[int, ...]) -> list[int]:
    *outer, height, width = (1,) * (2 - len(shape)) + tuple(shape)
    return [*outer, -(-height // 32), -(-width // 32)]


def _strides(shape: tuple[int, ...], extents: Sequence[int]) -> list[int]:
    """How far apart in the operand's tiles neighbours of the output lie; 0 where the operand is repeated."""
    sizes = _in_tiles(shape)
    sizes = [1] * (len(extents) - len(sizes)) + sizes
    strides, step = [], 1
    for size in reversed(sizes):
        strides.append(step if size > 1 else 0)
        step *= size
    return strides[::-1]


def _spread(shape: tuple[int, ...], whole: tuple[int, ...]) -> int:
    (height, width), (rows, cols) = ((1, 1, *one)[-2:] for one in (shape, whole))
    return DOWN * (height == 1 < rows) | ACROSS * (width == 1 < cols)
