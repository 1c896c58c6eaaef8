"""What the programs of operations share: cores, shares of the work, and a Program in the making."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tilesmith.formats import DataFormat, tile_bytes
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    CoreCoord,
    CoreRangeSet,
    Kernel,
    KernelConfig,
    MathFidelity,
    Program,
    ReaderConfig,
    Semaphore,
    WriterConfig,
)
from tilesmith.runtime import Device, Tensor
from tilesmith.runtime.memory_config import DRAM_MEMORY_CONFIG, L1_MEMORY_CONFIG

KERNELS = Path(__file__).parents[1] / "kernels" / "ops"
TILE = 32
FORMATS = {"bf16": DataFormat.Float16_b, "bfp8_b": DataFormat.Bfp8_b, "bfp4_b": DataFormat.Bfp4_b}
Words = Sequence[int]


@dataclass
class Plan:
    """A program in the making, on some cores of a device; its tensors hold no values."""

    device: Device
    cores: Sequence[CoreCoord]
    traced: bool = False
    kernels: list[Kernel] = field(default_factory=list)
    buffers: list[CircularBuffer] = field(default_factory=list)
    tensors: list[Tensor] = field(default_factory=list)
    semaphores: list[Semaphore] = field(default_factory=list)

    @property
    def core_set(self) -> CoreRangeSet:
        return CoreRangeSet.from_cores(list(self.cores))

    def tensor(self, rows: int, columns: int, dtype: str = "bf16", memory: str = "dram") -> Tensor:
        """Rows and columns of tiles, interleaved over the banks of DRAM or L1."""
        config = DRAM_MEMORY_CONFIG if memory == "dram" else L1_MEMORY_CONFIG
        tensor = self.device.empty((rows * TILE, columns * TILE), FORMATS[dtype], memory_config=config)
        self.tensors.append(tensor)
        return tensor

    def buffer(self, index: int, tiles: int, dtype: str = "bf16") -> None:
        size = tile_bytes(FORMATS[dtype])
        self.buffers.append(
            CircularBuffer(tiles * size, self.core_set, CBFormat(index, FORMATS[dtype], size))
        )

    def reader(self, name: str, words: Words, args: Mapping[CoreCoord, Words]) -> None:
        self._add(name, ReaderConfig(), words, args)

    def writer(self, name: str, words: Words, args: Mapping[CoreCoord, Words]) -> None:
        self._add(name, WriterConfig(), words, args)

    def compute(
        self,
        name: str,
        words: Words,
        args: Mapping[CoreCoord, Words],
        fidelity: str = "HiFi4",
        wide: bool = False,
        approx: bool = False,
    ) -> None:
        config = ComputeConfig(
            math_fidelity=MathFidelity[fidelity], fp32_dest_acc_en=wide, math_approx_mode=approx
        )
        self._add(name, config, words, args)

    def _add(
        self,
        name: str,
        config: KernelConfig,
        words: Words,
        args: Mapping[CoreCoord, Words],
    ) -> None:
        given = {core: tuple(some) for core, some in args.items()}
        cores = CoreRangeSet.from_cores(list(given))
        kernel = Kernel(KERNELS / name, cores, config, compile_time_args=tuple(words), runtime_args=given)
        self.kernels.append(kernel)

    def cycles(self) -> float:
        """From the first start to the last end over all cores."""
        program = Program(self.kernels, self.buffers, self.semaphores)
        report = self.device.run(program, checks="off", numbers="none")
        for tensor in self.tensors:
            tensor.deallocate()
        return kernel_duration(self.device, report.cycles, self.traced or len(self.cores) == 1)


def kernel_duration(device: Device, cycles: int, traced: bool) -> float:
    """Device kernel duration in the profiler's words: without a trace, cores start one after another."""
    return cycles + (0 if traced else device.arch.timing.dispatch.start_spread_cycles)


def shares(units: int, cores: Sequence[CoreCoord]) -> dict[CoreCoord, tuple[int, int]]:
    """For each core with work its first unit and how many; the first cores have one more.

    >>> [*shares(5, [CoreCoord(0, 0), CoreCoord(1, 0)]).values()]
    [(0, 3), (3, 2)]
    """
    small, more = divmod(units, len(cores))
    counts = [small + (number < more) for number in range(len(cores))]
    first, found = 0, {}
    for core, count in zip(cores, counts, strict=True):
        if count:
            found[core] = (first, count)
        first += count
    return found


def grid(columns: int, rows: int, by_columns: bool = False) -> list[CoreCoord]:
    """The cores of a rectangle in the order in which work is given out."""
    if by_columns:
        return [CoreCoord(x, y) for x in range(columns) for y in range(rows)]
    return [CoreCoord(x, y) for y in range(rows) for x in range(columns)]
