"""What the hosts of all examples share: splitting work, and short spellings for the parts of a Program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

import tilesmith
from tilesmith.formats import DataFormat, tile_bytes
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    CoreCoord,
    CoreRange,
    CoreRangeSet,
    Kernel,
    KernelConfig,
    Program,
    ReaderConfig,
    WriterConfig,
    split_work_to_cores,
)
from tilesmith.runtime import Device, RunReport, Tensor, TensorAccessorArgs
from tilesmith.testing import Tolerance, compare

TILE = 32
EXAMPLES = Path(__file__).parents[1]
RuntimeArgs = Mapping[CoreCoord, Sequence[int]]
Result = tuple[torch.Tensor, torch.Tensor]

_kernel_root: ContextVar[Path] = ContextVar("kernel_root", default=EXAMPLES)
_observers: ContextVar[tuple[Callable[[Program, RunReport], None], ...]] = ContextVar("observers", default=())
_grid: ContextVar[CoreCoord | None] = ContextVar("grid", default=None)


@dataclass(frozen=True)
class Share:
    """The part of the work that one core does. A core may have nothing to do."""

    core: CoreCoord
    first: int
    count: int


def share_work(grid: CoreCoord | tuple[int, int], units: int) -> list[Share]:
    """Split `units` over a grid of cores; every core of it gets a share, some of them an empty one."""
    split = split_work_to_cores(grid, units)
    shares: dict[CoreCoord, Share] = {}
    first = 0
    for cores, count in (
        (split.core_group_1, split.units_per_core_group_1),
        (split.core_group_2, split.units_per_core_group_2),
    ):
        for core in cores.cores(row_wise=False):
            shares[core] = Share(core, first, count)
            first += count
    return [shares.get(core, Share(core, 0, 0)) for core in rectangle(*grid).cores()]


def rectangle(columns: int, rows: int) -> CoreRange:
    """The cores from the top left corner on."""
    return CoreRange((0, 0), (columns - 1, rows - 1))


def grid_of(device: Device) -> CoreCoord:
    """The size of the grid to use: all of the chip's, unless `on_grid` says less."""
    return _grid.get() or device.arch.grid


def tile_buffer(
    index: int, data_format: DataFormat, tiles: int, cores: CoreRange | CoreRangeSet
) -> CircularBuffer:
    """A circular buffer whose pages are 32x32 tiles."""
    size = tile_bytes(data_format)
    return CircularBuffer(tiles * size, cores, CBFormat(index, data_format, size))


def kernel_path(name: str) -> Path:
    """The file of a kernel, named from the folder of the examples on."""
    other = _kernel_root.get() / name
    return other if other.exists() else EXAMPLES / name


def reader(
    name: str,
    cores: CoreRange | CoreRangeSet | CoreCoord,
    args: RuntimeArgs,
    compile_time: Sequence[int],
    **more: Any,
) -> Kernel:
    return _kernel(name, cores, ReaderConfig(), args, compile_time, **more)


def writer(
    name: str,
    cores: CoreRange | CoreRangeSet | CoreCoord,
    args: RuntimeArgs,
    compile_time: Sequence[int],
    **more: Any,
) -> Kernel:
    return _kernel(name, cores, WriterConfig(), args, compile_time, **more)


def compute(
    name: str,
    cores: CoreRange | CoreRangeSet | CoreCoord,
    args: RuntimeArgs,
    compile_time: Sequence[int],
    config: ComputeConfig | None = None,
    **more: Any,
) -> Kernel:
    return _kernel(name, cores, config or ComputeConfig(), args, compile_time, **more)


def _kernel(
    name: str,
    cores: CoreRange | CoreRangeSet | CoreCoord,
    config: KernelConfig,
    args: RuntimeArgs,
    compile_time: Sequence[int],
    **more: Any,
) -> Kernel:
    return Kernel(
        kernel_path(name),
        cores,
        config,
        runtime_args=args,
        compile_time_args=compile_time,
        name=Path(name).stem,
        **more,
    )


def accessor(tensor: Tensor) -> list[int]:
    """The compile-time words from which a kernel makes its TensorAccessor."""
    return list(TensorAccessorArgs(tensor).get_compile_time_args())


def random(shape: Sequence[int], seed: int, dtype: torch.dtype = torch.bfloat16) -> torch.Tensor:
    """Normally distributed values, the same on every machine."""
    return torch.randn(tuple(shape), generator=torch.Generator().manual_seed(seed)).to(dtype)


def launch(device: Device, program: Program) -> RunReport:
    """Run a program, and show it to whoever watches."""
    report = device.run(program)
    for observe in _observers.get():
        observe(program, report)
    return report


@contextmanager
def kernels_under(root: Path) -> Iterator[None]:
    """Take the kernels that are in `root`, a folder like that of the examples, from there."""
    token = _kernel_root.set(root)
    try:
        yield
    finally:
        _kernel_root.reset(token)


@contextmanager
def on_grid(columns: int, rows: int) -> Iterator[None]:
    """Use only the cores of a smaller grid."""
    token = _grid.set(CoreCoord(columns, rows))
    try:
        yield
    finally:
        _grid.reset(token)


@contextmanager
def watching(observe: Callable[[Program, RunReport], None]) -> Iterator[None]:
    """Call `observe` after every launch."""
    token = _observers.set((*_observers.get(), observe))
    try:
        yield
    finally:
        _observers.reset(token)


def show(run: Callable[[Device], Result], tolerance: Tolerance) -> None:
    """The main program of an example: run it on the chip named on the command line, print how well it did."""
    arch = sys.argv[1] if len(sys.argv) > 1 else "wormhole"
    with tilesmith.open_device(arch) as device:
        comparison = compare(*run(device), tolerance)
    print(f"{arch}: {'correct' if comparison.ok else 'WRONG'}: {comparison}")
    sys.exit(not comparison.ok)
