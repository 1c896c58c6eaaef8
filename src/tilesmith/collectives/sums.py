"""The cores that sum what has arrived: all those that pages can keep busy, beside the cores of the links."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tilesmith.arch.cores import CoreRangeSet
from tilesmith.formats import DataFormat
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    CoreCoord,
    CoreRange,
    Kernel,
    ReaderConfig,
    WriterConfig,
)
from tilesmith.runtime import Mesh, MeshTensor, TensorAccessorArgs

_SUMMED, _RESULT = 1, 2
_MOST_CORES = 32
_RUN_TOGETHER = 4000  # kernels of all chips in one run of the emulator (decision 0022), some left for links
_KERNELS_OF_CORE = 5  # reader, writer, and three of compute


@dataclass(frozen=True)
class Summing:
    """`summands` blocks of `block` pages are summed when each of `links` cores has said they are there."""

    summands: int
    block: int
    links: int
    cores: CoreRangeSet
    gathered: MeshTensor
    result: MeshTensor

    @property
    def noc_words(self) -> list[int]:
        """Where the cores stand, a word for each: x, then y."""
        arch = self.gathered.mesh.arch
        places = (arch.worker_noc_xy(core) for core in self.cores.cores())
        return [x << 16 | y for x, y in places]

    @property
    def shares(self) -> dict[CoreCoord, tuple[int, int]]:
        """The first page of each core, and how many it sums."""
        cores = tuple(self.cores.cores())
        ends = [self.block * index // len(cores) for index in range(len(cores) + 1)]
        return {core: (ends[i], ends[i + 1] - ends[i]) for i, core in enumerate(cores)}


def summing_cores(mesh: Mesh, pages: int) -> CoreRangeSet:
    """Rows of cores below those of the links, as few as there are pages."""
    width, height = mesh.arch.grid.x, mesh.arch.grid.y - 1
    together = _RUN_TOGETHER // (mesh.num_chips * _KERNELS_OF_CORE)
    count = max(1, min(pages, _MOST_CORES, width * height, together))
    rows, rest = divmod(count, width)
    whole = [CoreRange((0, 1), (width - 1, rows))] if rows else []
    return CoreRangeSet([*whole, *([CoreRange((0, rows + 1), (rest - 1, rows + 1))] if rest else [])])


def sum_buffers(summing: Summing) -> list[CircularBuffer]:
    """Two turns of each: one is summed or written while the next is read or summed."""
    local = summing.gathered.local
    page = local.spec.page_size
    pages = {_SUMMED: 2 * summing.summands, _RESULT: 2}
    return [
        CircularBuffer(count * page, summing.cores, CBFormat(index, local.dtype, page))
        for index, count in pages.items()
    ]


def sum_kernels(summing: Summing, folder: Path) -> list[Kernel]:
    return [_reader(summing, folder), _writer(summing, folder), _sum(summing, folder)]


def _accessor(tensor: MeshTensor) -> list[int]:
    return list(TensorAccessorArgs(tensor.local).get_compile_time_args())


def _reader(summing: Summing, folder: Path) -> Kernel:
    local = summing.gathered.local
    constants = [local.spec.page_size, *_accessor(summing.gathered)]
    tail = [summing.block, summing.summands, summing.links]
    arguments = {core: [local.address, *share, *tail] for core, share in summing.shares.items()}
    return Kernel(
        folder / "sum_reader.cpp",
        summing.cores,
        ReaderConfig(),
        compile_time_args=constants,
        runtime_args=arguments,
        name="collective sum reader",
    )


def _writer(summing: Summing, folder: Path) -> Kernel:
    local = summing.result.local
    return Kernel(
        folder / "sum_writer.cpp",
        summing.cores,
        WriterConfig(),
        compile_time_args=[local.spec.page_size, *_accessor(summing.result)],
        runtime_args={core: [local.address, *share] for core, share in summing.shares.items()},
        name="collective sum writer",
    )


def _sum(summing: Summing, folder: Path) -> Kernel:
    dtype = summing.gathered.local.dtype
    exact = (_SUMMED,) if dtype in (DataFormat.Float32, DataFormat.Int32) else ()
    whole, rounds = dtype is DataFormat.Int32, dtype is DataFormat.Float16_b
    return Kernel(
        folder / "sum.cpp",
        summing.cores,
        ComputeConfig(fp32_dest_acc_en=True, unpack_to_dest_fp32=exact),
        compile_time_args=[int(whole), int(rounds)],
        runtime_args={core: [count, summing.summands] for core, (_, count) in summing.shares.items()},
        name="collective sum",
    )
