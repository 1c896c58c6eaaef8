"""Element by element: any input layout to any output layout, through pieces of pages kept in L1."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tilesmith.formats import DataFormat
from tilesmith.ops.building import Work, data_movement_kernel, deal_out, tensor_words
from tilesmith.ops.checks import fatal
from tilesmith.ops.rearrange.mapping import Segment
from tilesmith.ops.rearrange.operation import Attributes
from tilesmith.program import CBFormat, CircularBuffer, Kernel, Program, WriterConfig
from tilesmith.runtime import Layout, Tensor

KERNELS = Path(__file__).parent / "kernels"
LINES, OUT = 0, 16
LINE, SLOTS = 2048, 64  # bytes read at once, and how many of them are kept
PIECE = 4096  # bytes written at once: a tile of the widest format
MAX_SOURCES = 8


class GatherFactory:
    """The reader puts output pages together, the writer writes them."""

    def create(self, attrs: Attributes, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Program:
        output = outputs[0]
        work = deal_out(output.device, output.num_pages)
        if output.num_pages == 0:
            return Program()
        fatal(
            len(attrs.segments) <= MAX_SOURCES, f"at most {MAX_SOURCES} tensors can be put together at once"
        )
        cbs = [
            CircularBuffer(LINE * SLOTS, work.cores, CBFormat(LINES, DataFormat.UInt32, LINE)),
            CircularBuffer(2 * PIECE, work.cores, CBFormat(OUT, DataFormat.UInt32, PIECE)),
        ]
        return Program([_gather(attrs, inputs, output, work), _writer(output, work)], cbs)


def _gather(attrs: Attributes, inputs: Sequence[Tensor], output: Tensor, work: Work) -> Kernel:
    words = [tensor_words(inputs[one.source]) for one in attrs.segments] or [tensor_words(inputs[0])]
    fatal(
        all(one.compile_time == words[0].compile_time for one in words),
        "All tensors must have the same memory layout",
    )
    common = [*_geometry(output), attrs.fill, len(attrs.axes), *attrs.axes, len(attrs.segments)]
    for segment, tensor in zip(attrs.segments, words, strict=False):
        common += [*_source_geometry(inputs[segment.source]), *_box(segment), *tensor.common]
    defines = {"ELEMENT": f"uint{output.dtype.bits}_t"}
    compile_time = [LINES, OUT, LINE, SLOTS, PIECE, *words[0].compile_time]
    return data_movement_kernel(
        KERNELS / "gather.cpp", work, compile_time=compile_time, common=common, defines=defines
    )


def _writer(output: Tensor, work: Work) -> Kernel:
    return data_movement_kernel(
        KERNELS / "write_pieces.cpp",
        work,
        [output],
        config=WriterConfig(),
        compile_time=[OUT, PIECE],
        common=[output.page_size],
    )


def _geometry(output: Tensor) -> list[int]:
    """Tiles or rows; height and width of the matrices; elements of a page of rows, and pages across."""
    height, width = (1, 1, *output.shape)[-2:]
    across = output.spec.page_grid[1]
    return [int(output.layout is Layout.TILE), height, width, output.spec.page_shape[1], across]


def _source_geometry(tensor: Tensor) -> list[int]:
    height, width = (1, 1, *tensor.shape)[-2:]
    across = tensor.spec.page_grid[1]
    return [
        int(tensor.layout is Layout.TILE),
        height,
        width,
        tensor.spec.page_shape[1],
        across,
        tensor.page_size,
    ]


def _box(segment: Segment) -> list[int]:
    return [segment.offset, *segment.start, *segment.size, *segment.strides]
