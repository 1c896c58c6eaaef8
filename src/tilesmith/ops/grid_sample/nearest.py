"""The program of nearest sampling: no compute kernel, one read for each point, straight into the output."""

from __future__ import annotations

from collections.abc import Sequence

from tilesmith.ops.grid_sample.attributes import GridSampleAttributes, Problem
from tilesmith.ops.grid_sample.tasks import KERNELS, PointReading, Share, cores_of, rows_of_shards
from tilesmith.program import (
    DataMovementConfig,
    Kernel,
    Program,
    ReaderConfig,
    WriterConfig,
)
from tilesmith.runtime import Tensor

_BATCH = 256  # points read before the first of them is waited for
# The first reader's share of the points. Answers from DRAM crowd on NoC 1, where the second reads: with
# halves the first would be done in half the time of the second (benchmarks/grid_sample_time.py).
_FIRST_PERCENT = {"wormhole": 75, "blackhole": 60}
_CB_GRID, _CB_ZEROS = (0, 1), (2, 3)  # of the first and the second reader


def nearest_program(
    attrs: GridSampleAttributes, inputs: Sequence[Tensor], outputs: Sequence[Tensor]
) -> Program:
    """Both data-movement RISCs of a core read: each has a share of the core's points."""
    image, grid = inputs
    (output,) = outputs
    problem = Problem.of(attrs, inputs)
    reading = PointReading(attrs, problem, image, grid, _BATCH, by_bank=True)
    shares = rows_of_shards(output, problem)
    cores = cores_of(shares)
    kernels = [
        Kernel(
            KERNELS / "nearest.cpp",
            cores,
            config,
            compile_time_args=reading.compile_time_words(_CB_GRID[reader], _CB_ZEROS[reader]),
            common_runtime_args=reading.common_words(),
            runtime_args={
                share.core: _arguments(share, reader, problem, output.address, image.device.arch.family)
                for share in shares
            },
            name=f"nearest_{reader}",
        )
        for reader, config in enumerate(_readers())
    ]
    cbs = [cb for reader in (0, 1) for cb in reading.buffers(cores, _CB_GRID[reader], _CB_ZEROS[reader])]
    return Program(kernels, cbs)


def _readers() -> tuple[DataMovementConfig, DataMovementConfig]:
    return ReaderConfig(), WriterConfig()


def _arguments(share: Share, reader: int, problem: Problem, output: int, family: str) -> tuple[int, ...]:
    points = share.rows * problem.sets
    of_first = -(-points * _FIRST_PERCENT[family] // 100)
    begin, end = ((0, of_first), (of_first, points))[reader]
    return share.first_row, begin, end, output
