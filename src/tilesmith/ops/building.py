"""Parts of programs that factories share: work dealt out to cores, tensors as arguments, kernels, buffers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tilesmith.formats import DataFormat, tile_bytes
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    CoreCoord,
    CoreRangeSet,
    DataMovementConfig,
    Kernel,
    ReaderConfig,
    WriterConfig,
    split_work_to_cores,
)
from tilesmith.program.kernel import FixedArgs
from tilesmith.runtime import Device, Tensor, TensorAccessorArgs

SHARED_KERNELS = Path(__file__).parent / "kernels"
OUT = 16  # the circular buffer of results, by the vendor's custom

_READER = ReaderConfig()

_SHARDED = 1
# The vendor's ArgConfig: number of banks, shapes and coordinates are read at run time.
_AT_RUN_TIME = 8 | 16 | 32 | 64


@dataclass(frozen=True)
class TensorWords:
    """A tensor as arguments of a kernel that reads it with `tensor_at` of tensor.hpp."""

    compile_time: tuple[int, ...]
    common: tuple[int, ...]


def tensor_words(tensor: Tensor) -> TensorWords:
    """Only what decides the code is compiled in; sizes and places come at run time.

    >>> from tilesmith.runtime import open_device
    >>> with open_device("n150") as device:
    ...     tensor_words(device.empty((64, 64))).compile_time
    (2, 0)
    """
    config, page_size, *shards = TensorAccessorArgs(tensor).get_compile_time_args()
    head = (tensor.address, page_size)
    if not config & _SHARDED:
        return TensorWords((config, 0), head)
    rank, *rest = shards
    return TensorWords((config | _AT_RUN_TIME, 0, rank), (*head, *rest))


@dataclass(frozen=True)
class Work:
    """Units of work dealt out to cores: to each the first unit and how many."""

    cores: CoreRangeSet
    shares: FixedArgs

    @property
    def counts(self) -> FixedArgs:
        return FixedArgs({core: (count,) for core, (_, count) in self.shares.items()})


def deal_out(device: Device, units: int, grid: tuple[int, int] | None = None) -> Work:
    """Consecutive units to each core, row by row over the chip or its corner `grid`; idle cores are left out.

    >>> from tilesmith.runtime import open_device
    >>> with open_device("n150") as device:
    ...     list(deal_out(device, 3).shares.values())
    [(0, 1), (1, 1), (2, 1)]
    """
    split = split_work_to_cores(grid or device.arch.grid, units, row_wise=True)
    shares: dict[CoreCoord, tuple[int, ...]] = {}
    first = 0
    for core in split.all_cores.cores():
        more = split.core_group_1.contains(core)
        count = split.units_per_core_group_1 if more else split.units_per_core_group_2
        shares[core] = (first, count)
        first += count
    return Work(split.all_cores, FixedArgs(shares))


def tile_buffer(index: int, format: DataFormat, pages: int, cores: CoreRangeSet) -> CircularBuffer:
    """A circular buffer of whole tiles."""
    size = tile_bytes(format)
    return CircularBuffer(pages * size, cores, CBFormat(index, format, size))


def data_movement_kernel(
    path: Path,
    work: Work,
    tensors: Sequence[Tensor] = (),
    *,
    config: DataMovementConfig = _READER,
    compile_time: Iterable[int] = (),
    common: Iterable[int] = (),
    defines: Mapping[str, str] | None = None,
) -> Kernel:
    """A reader, or what `config` says, whose cores get (first unit, number of units); tensors come last."""
    words = [tensor_words(tensor) for tensor in tensors]
    return Kernel(
        path,
        work.cores,
        config,
        compile_time_args=(*compile_time, *(word for one in words for word in one.compile_time)),
        defines=defines or {},
        runtime_args=work.shares,
        common_runtime_args=(*common, *(word for one in words for word in one.common)),
    )


def page_writer(work: Work, output: Tensor, cb: int = OUT) -> Kernel:
    """Writes each core's share of the output's tiles; padding becomes zero where elements stand alone."""
    height, width = (1, 1, *output.shape)[-2:]
    down, across = -(-height // 32), -(-width // 32)
    aligned = height % 32 == width % 32 == 0
    bytes_each = 0 if aligned or output.dtype.is_block_float else output.dtype.bits // 8
    common = [down, across, height - (down - 1) * 32, width - (across - 1) * 32, bytes_each]
    path = SHARED_KERNELS / "write_pages.cpp"
    return data_movement_kernel(path, work, [output], config=WriterConfig(), compile_time=[cb], common=common)


def compute_kernel(
    path: Path,
    work: Work,
    config: ComputeConfig,
    *,
    compile_time: Iterable[int] = (),
    common: Iterable[int] = (),
    defines: Mapping[str, str] | None = None,
) -> Kernel:
    """A compute kernel whose cores get the number of units."""
    return Kernel(
        path,
        work.cores,
        config,
        compile_time_args=compile_time,
        defines=defines or {},
        runtime_args=work.counts,
        common_runtime_args=common,
    )


def is_wide(formats: Iterable[DataFormat]) -> bool:
    """Whether DST has to hold 32 bits for these formats."""
    return any(one in (DataFormat.Float32, DataFormat.Int32, DataFormat.UInt32) for one in formats)
