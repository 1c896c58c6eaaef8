"""Programs of products of matrices: every core makes some tiles of the output, one after another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tilesmith.formats import DataFormat, TileShape, exponent_bytes
from tilesmith.ops.building import (
    OUT,
    compute_kernel,
    data_movement_kernel,
    deal_out,
    page_writer,
    tensor_words,
    tile_buffer,
)
from tilesmith.ops.elementwise.factories import chain_text
from tilesmith.ops.elementwise.steps import Script
from tilesmith.ops.matmul.operation import Attributes, batches
from tilesmith.program import Program
from tilesmith.runtime import Tensor

KERNELS = Path(__file__).parent / "kernels"
A, B, BIAS = 0, 1, 2


class MultiCoreFactory:
    """No data is shared between cores: right for any shape, fastest for small ones."""

    def create(self, attrs: Attributes, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Program:
        output = outputs[0]
        work = deal_out(output.device, output.num_pages, attrs.grid)
        inner = _tiles(inputs[0].shape[-1])
        script = Script(DataFormat.Float16_b, [inner], set())
        defines = {"AFTER": chain_text(script, attrs.after, 0, 1)}
        if attrs.has_bias:
            defines["BIAS"] = "1"
        formats = [one.dtype for one in (*inputs, output)]
        straight = (BIAS,) if attrs.has_bias and inputs[2].dtype is DataFormat.Float32 else ()
        compute = compute_kernel(
            KERNELS / "compute.cpp",
            work,
            attrs.compute.config(formats, straight, wide=True),
            common=script.words,
            defines={**defines, **script.defines},
        )
        words = [tensor_words(one) for one in inputs]
        read = data_movement_kernel(
            KERNELS / "read.cpp",
            work,
            compile_time=[word for one in words for word in one.compile_time],
            common=[*_geometry(inputs), *(word for one in words for word in one.common)],
            defines={"BIAS": "1"} if attrs.has_bias else {},
        )
        buffers = [tile_buffer(cb, one.dtype, 2, work.cores) for cb, one in enumerate(inputs)]
        buffers.append(tile_buffer(OUT, output.dtype, 2, work.cores))
        return Program([read, compute, page_writer(work, output)], buffers)


def _tiles(size: int) -> int:
    return -(-size // 32)


def _geometry(inputs: Sequence[Tensor]) -> list[int]:
    a, b = inputs[:2]
    inner = a.shape[-1]
    of_a, of_b = batches(a.shape, b.shape)
    extents = [max(pair) for pair in zip(of_a, of_b, strict=True)]
    facts = [
        fact
        for operand in inputs
        for fact in (max(operand.dtype.bits // 8, 1), exponent_bytes(operand.dtype, TileShape()))
    ]
    return [
        _tiles(a.shape[-2]),
        _tiles(b.shape[-1]),
        _tiles(inner),
        inner - (_tiles(inner) - 1) * 32,
        len(extents),
        *extents,
        *_strides(of_a),
        *_strides(of_b),
        *facts,
        *[0] * (6 - len(facts)),
    ]


def _strides(batch: Sequence[int]) -> list[int]:
    """In matrices; 0 along axes that are repeated."""
    strides, step = [], 1
    for size in reversed(batch):
        strides.append(step if size > 1 else 0)
        step *= size
    return strides[::-1]
