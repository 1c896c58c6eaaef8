"""The device operation of embedding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tilesmith.formats import DataFormat
from tilesmith.ops.building import data_movement_kernel, deal_out
from tilesmith.ops.checks import fatal
from tilesmith.ops.framework import Factory, FunctionFactory
from tilesmith.ops.rearrange import gather
from tilesmith.program import CBFormat, CircularBuffer, Program, WriterConfig
from tilesmith.runtime import Layout, MemoryConfig, Tensor
from tilesmith.runtime.tensor_spec import TensorSpec

KERNELS = Path(__file__).parent / "kernels"
PIECES, INDEX, PIECE, LINE = 16, 0, 4096, 2048


@dataclass(frozen=True)
class Attributes:
    memory_config: MemoryConfig


class Embedding:
    """Inputs are the index (rows of uint32) and the table (rows)."""

    name = "ttnn.embedding"

    def validate(self, attrs: Attributes, inputs: Sequence[Tensor]) -> None:
        index, table = inputs
        fatal(index.layout is Layout.ROW_MAJOR, "Indices must be in row major layout here")
        fatal(table.layout is Layout.ROW_MAJOR, "Weights tensor must be in row major layout")

    def output_specs(self, attrs: Attributes, inputs: Sequence[Tensor]) -> tuple[TensorSpec, ...]:
        index, table = inputs
        shape = (*index.shape, table.shape[-1])
        return (TensorSpec(shape, table.dtype, Layout.ROW_MAJOR, attrs.memory_config),)

    def select_factory(self, attrs: Attributes, inputs: Sequence[Tensor]) -> Factory[Attributes]:
        return FunctionFactory(_program)


def _program(attrs: Attributes, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Program:
    index, _ = inputs
    output = outputs[0]
    work = deal_out(output.device, output.num_pages)
    read = data_movement_kernel(
        KERNELS / "read_rows_by_index.cpp",
        work,
        inputs,
        compile_time=[PIECES, PIECE, INDEX],
        common=[output.page_size, index.shape[-1]],
    )
    write = data_movement_kernel(
        gather.KERNELS / "write_pieces.cpp",
        work,
        [output],
        config=WriterConfig(),
        compile_time=[PIECES, PIECE],
        common=[output.page_size],
    )
    buffers = [
        CircularBuffer(LINE, work.cores, CBFormat(INDEX, DataFormat.UInt32, LINE)),
        CircularBuffer(2 * PIECE, work.cores, CBFormat(PIECES, DataFormat.UInt32, PIECE)),
    ]
    return Program([read, write], buffers)
