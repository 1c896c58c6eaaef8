"""The programs of bilinear sampling: four reads for each point, and a weighted sum on the matrix unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tilesmith.formats import DataFormat, TileShape
from tilesmith.ops.building import tensor_words
from tilesmith.ops.grid_sample.attributes import GridSampleAttributes, Problem
from tilesmith.ops.grid_sample.tasks import (
    KERNELS,
    PointReading,
    Share,
    cores_of,
    rows_of_shards,
    split_rows,
)
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    CoreRangeSet,
    Kernel,
    Program,
    ReaderConfig,
    WriterConfig,
)
from tilesmith.runtime import Tensor

_MOST_POINTS = 32  # of a batch
_CB_GRID, _CB_ZEROS, _CB_CORNERS, _CB_SHARES, _CB_OUT = (0, 1), (2, 3), (4, 5), (6, 7), 16
_CORNER_TILE, _ROW_TILE = TileShape(4, 32), TileShape(1, 32)


@dataclass(frozen=True)
class _Plan:
    """What the kernels and buffers of one program are made from."""

    reading: PointReading
    output: Tensor
    shares: Sequence[Share]
    readers: int

    @property
    def cores(self) -> CoreRangeSet:
        return cores_of(self.shares)

    @property
    def pages(self) -> int:
        """Of a circular buffer: one batch is worked on while the next arrives."""
        return 2 * self.reading.batch

    @property
    def share_page(self) -> int:
        return _ROW_TILE.datums * self.reading.image.dtype.datum_bytes


def streaming_program(
    attrs: GridSampleAttributes, inputs: Sequence[Tensor], outputs: Sequence[Tensor]
) -> Program:
    """The grid is read as it is needed; the results are written out: a reader and a writer on every core."""
    problem = Problem.of(attrs, inputs)
    shares = split_rows(inputs[0].device.arch.grid, problem.rows)
    plan = _Plan(_reading(attrs, problem, inputs), outputs[0], shares, readers=1)
    return Program([_reader(plan, 0), _compute(plan), _writer(plan)], [*_buffers(plan), _results(plan)])


def local_program(
    attrs: GridSampleAttributes, inputs: Sequence[Tensor], outputs: Sequence[Tensor]
) -> Program:
    """Grid and output stand in each core's L1: nothing is written out, and both RISCs read pixels."""
    problem = Problem.of(attrs, inputs)
    shares = rows_of_shards(outputs[0], problem)
    plan = _Plan(_reading(attrs, problem, inputs), outputs[0], shares, readers=2)
    kernels = [_reader(plan, 0), _reader(plan, 1), _compute(plan)]
    return Program(kernels, [*_buffers(plan), _output_shard(plan)])


def _reading(attrs: GridSampleAttributes, problem: Problem, inputs: Sequence[Tensor]) -> PointReading:
    image, grid = inputs
    # Two readers' corners, each in two halves, may take half of L1: tensors want the rest.
    room = image.device.arch.l1_size // 2 // (4 * 4 * image.page_size)
    return PointReading(attrs, problem, image, grid, max(1, min(_MOST_POINTS, room)), by_bank=False)


def _reader(plan: _Plan, number: int) -> Kernel:
    reading = plan.reading
    own = [_CB_CORNERS[number], _CB_SHARES[number], _share_format(reading), number, plan.readers]
    return Kernel(
        KERNELS / "bilinear_reader.cpp",
        plan.cores,
        (ReaderConfig(), WriterConfig())[number],
        compile_time_args=[*reading.compile_time_words(_CB_GRID[number], _CB_ZEROS[number]), *own],
        common_runtime_args=reading.common_words(),
        runtime_args={
            share.core: (share.first_row, 0, share.rows * reading.problem.sets, plan.pages)
            for share in plan.shares
        },
        name=f"bilinear_reader_{number}",
    )


def _share_format(reading: PointReading) -> int:
    """How the reader writes the shares of a point: its ShareFormat."""
    if reading.image.dtype is not DataFormat.Float32:
        return 0
    return 2 if reading.attrs.compute.fp32_dest_acc_en else 1


def _compute(plan: _Plan) -> Kernel:
    reading = plan.reading
    tiles = reading.problem.channels // _ROW_TILE.cols
    cbs = [cb for pair in zip(_CB_CORNERS, _CB_SHARES, strict=True) for cb in pair]
    return Kernel(
        KERNELS / "bilinear_compute.cpp",
        plan.cores,
        reading.attrs.compute,
        compile_time_args=[plan.readers, *cbs, _CB_OUT, tiles, _tiles_in_dst(plan, tiles)],
        runtime_args={
            share.core: (share.rows * reading.problem.sets, reading.batch) for share in plan.shares
        },
        defines={"REDUCE_OP": "PoolType::SUM", "REDUCE_DIM": "ReduceDim::REDUCE_COL"},
        name="bilinear_compute",
    )


def _tiles_in_dst(plan: _Plan, tiles: int) -> int:
    """As many tiles as DST holds and divide the channels evenly."""
    compute, arch = plan.reading.attrs.compute, plan.output.device.arch
    room = arch.dst_tiles(compute.fp32_dest_acc_en, compute.dst_full_sync_en)
    return max(count for count in range(1, min(room, tiles) + 1) if tiles % count == 0)


def _writer(plan: _Plan) -> Kernel:
    problem, reading = plan.reading.problem, plan.reading
    target = tensor_words(plan.output)
    return Kernel(
        KERNELS / "bilinear_writer.cpp",
        plan.cores,
        WriterConfig(),
        compile_time_args=[_CB_OUT, *target.compile_time],
        common_runtime_args=[problem.sets_per_page, reading.stick_bytes, reading.batch, *target.common],
        runtime_args={
            share.core: (share.first_row * problem.output_rows_per_row, share.rows * problem.sets)
            for share in plan.shares
        },
        name="bilinear_writer",
    )


def _buffers(plan: _Plan) -> list[CircularBuffer]:
    reading, cores = plan.reading, plan.cores
    dtype, corner_page = reading.image.dtype, 4 * reading.stick_bytes
    buffers: list[CircularBuffer] = []
    for number in range(plan.readers):
        buffers += reading.buffers(cores, _CB_GRID[number], _CB_ZEROS[number])
        corners = CBFormat(_CB_CORNERS[number], dtype, corner_page, _CORNER_TILE)
        shares = CBFormat(_CB_SHARES[number], dtype, plan.share_page, _ROW_TILE)
        buffers += [
            CircularBuffer(plan.pages * corner_page, cores, corners),
            CircularBuffer(plan.pages * plan.share_page, cores, shares),
        ]
    return buffers


def _results(plan: _Plan) -> CircularBuffer:
    """A page of results is one stick."""
    stick = plan.reading.stick_bytes
    return CircularBuffer(plan.pages * stick, plan.cores, _result_format(plan))


def _output_shard(plan: _Plan) -> CircularBuffer:
    size = plan.output.size_per_bank
    return CircularBuffer(size, plan.cores, _result_format(plan), buffer=plan.output.buffer)


def _result_format(plan: _Plan) -> CBFormat:
    return CBFormat(_CB_OUT, plan.reading.image.dtype, plan.reading.stick_bytes, _ROW_TILE)
