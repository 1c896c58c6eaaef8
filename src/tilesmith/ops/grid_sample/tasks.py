"""Which core takes which rows of the grid, and what the kernels that read points are told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tilesmith.formats import DataFormat
from tilesmith.ops.building import tensor_words
from tilesmith.ops.grid_sample.attributes import PADDING_MODES, GridKind, GridSampleAttributes, Problem
from tilesmith.program import CBFormat, CircularBuffer, CoreCoord, CoreRangeSet, split_work_to_cores
from tilesmith.runtime import Tensor

KERNELS = Path(__file__).parent / "kernels"


@dataclass(frozen=True)
class Share:
    """The rows of the grid that one core takes; some cores may get none."""

    core: CoreCoord
    first_row: int
    rows: int


def split_rows(grid_size: CoreCoord, rows: int) -> list[Share]:
    """Rows over all cores, as evenly as it goes.

    >>> [share.rows for share in split_rows(CoreCoord(2, 2), 6)]
    [2, 2, 1, 1]
    """
    split = split_work_to_cores(grid_size, rows)
    shares, first = [], 0
    for cores, count in (
        (split.core_group_1, split.units_per_core_group_1),
        (split.core_group_2, split.units_per_core_group_2),
    ):
        for core in cores.cores(row_wise=False):
            shares.append(Share(core, first, count))
            first += count
    return shares


def rows_of_shards(output: Tensor, problem: Problem) -> list[Share]:
    """Each core takes the rows whose results stand in its shard of the output."""
    shards = output.memory_config.shard_spec
    assert shards is not None
    each = shards.shape[0] // problem.output_rows_per_row
    left = (max(0, problem.rows - each * i) for i in range(shards.grid.num_cores))
    return [
        Share(core, each * i, min(each, rows))
        for i, (core, rows) in enumerate(zip(shards.cores, left, strict=True))
    ]


def cores_of(shares: Sequence[Share]) -> CoreRangeSet:
    return CoreRangeSet.from_cores(share.core for share in shares)


@dataclass(frozen=True)
class PointReading:
    """How points are read: what is the same on every core. kernels/task.h reads these words in this order."""

    attrs: GridSampleAttributes
    problem: Problem
    image: Tensor
    grid: Tensor
    batch: int
    by_bank: bool  # rows of the grid are read all of a bank at once

    @property
    def stick_bytes(self) -> int:
        """The channels of one pixel."""
        return self.image.page_size

    @property
    def grid_is_local(self) -> bool:
        return self.grid.memory_config.is_sharded

    @property
    def grid_kind(self) -> GridKind:
        if self.attrs.use_precomputed_grid:
            return GridKind.PREPARED
        return GridKind.FP32 if self.grid.dtype is DataFormat.Float32 else GridKind.BF16

    @property
    def row_stride(self) -> int:
        """From row to row of the grid in L1: as in the shard, or in the bank they come from."""
        return self.grid.aligned_page_size

    @property
    def row_banks(self) -> int:
        """The banks that the rows of an interleaved grid go round."""
        arch = self.grid.device.arch
        return arch.num_dram_banks if self.grid.memory_config.in_dram else len(arch.l1_banks)

    @property
    def row_slots(self) -> int:
        """Rows that a batch can touch, as many from every bank; or those of two batches, in a ring."""
        rows = -(-self.batch // self.problem.sets) + 1
        return -(-rows // self.row_banks) * self.row_banks if self.by_bank else 2 * rows

    def common_words(self) -> list[int]:
        """The sizes, then the tensors."""
        sizes = [
            self.problem.height,
            self.problem.width,
            self.problem.rows_per_image,
            self.problem.sets,
            int(self.attrs.align_corners),
            PADDING_MODES.index(self.attrs.padding_mode),
            self.stick_bytes,
            self.batch,
            self.grid.page_size,
            self.row_stride,
            self.row_slots,
            self.row_banks,
        ]
        return [*sizes, *tensor_words(self.image).common, *tensor_words(self.grid).common]

    def compile_time_words(self, cb_grid: int, cb_zeros: int) -> list[int]:
        head = [int(self.grid_kind), int(self.grid_is_local), cb_grid, cb_zeros]
        return [*head, *tensor_words(self.image).compile_time, *tensor_words(self.grid).compile_time]

    def buffers(self, cores: CoreRangeSet, cb_grid: int, cb_zeros: int) -> list[CircularBuffer]:
        """Room for rows read ahead, where the grid is elsewhere, and for one stick of zeros."""
        zeros = CBFormat(cb_zeros, self.image.dtype, self.stick_bytes)
        buffers = [CircularBuffer(self.stick_bytes, cores, zeros)]
        if not self.grid_is_local:
            rows = CBFormat(cb_grid, self.grid.dtype, self.row_stride)
            buffers.append(CircularBuffer(self.row_slots * self.row_stride, cores, rows))
        return buffers
