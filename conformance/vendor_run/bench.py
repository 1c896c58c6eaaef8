"""What the host programs share: where the vendor's kernels lie, and short spellings for a Program's parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from conformance.accessors import accessor_words
from tilesmith.arch.cores import Cores
from tilesmith.formats import DataFormat, tile_bytes
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    CoreCoord,
    CoreRange,
    CoreRangeSet,
    Kernel,
    KernelConfig,
    Program,
    Scratchpad,
    Semaphore,
    TensorArgument,
    named_kernel,
)
from tilesmith.runtime import Device, Tensor
from tilesmith.runtime.memory_config import DRAM_MEMORY_CONFIG, L1_MEMORY_CONFIG, Layout, MemoryConfig
from tilesmith.testing import Tolerance

BF16 = DataFormat.Float16_b
TILE = 32
ORIGIN = CoreCoord(0, 0)
Result = tuple[torch.Tensor, torch.Tensor]


@dataclass(frozen=True)
class Case:
    """`run` gives what the vendor's kernels computed, and what torch does from the same values."""

    family: str
    run: Callable[[Bench], Result]
    tolerance: Tolerance
    silenced: tuple[str, ...] = ()
    """Rules that the vendor's kernels break without harm, as `check@file`; CASES says why."""


@dataclass
class Bench:
    """A device, and the folder in which `ttnn` is the wheel's folder of that name."""

    device: Device
    root: Path
    observe: Callable[[Program], None] | None = None

    @property
    def operations(self) -> Path:
        return self.root / "ttnn" / "cpp" / "ttnn" / "operations"

    def kernel(self, name: str, cores: Cores | list[CoreCoord], config: KernelConfig, **more: Any) -> Kernel:
        """A kernel in the Metal 2.0 style: arguments, buffers and tensors by name."""
        return named_kernel(self.operations / name, cores_of(cores), config, **self._rest(name, more))

    def plain(self, name: str, cores: Cores | list[CoreCoord], config: KernelConfig, **more: Any) -> Kernel:
        """A kernel whose arguments are given by position."""
        return Kernel(self.operations / name, cores_of(cores), config, **self._rest(name, more))

    def _rest(self, name: str, more: Mapping[str, Any]) -> dict[str, Any]:
        includes = (self.root, self.root / "ttnn", self.root / "ttnn" / "cpp")
        return {"name": Path(name).stem, "compiler_include_paths": includes, **more}

    def run(
        self, kernels: Sequence[Kernel], cbs: Sequence[CircularBuffer], semaphores: Sequence[Semaphore] = ()
    ) -> None:
        program = Program(kernels, cbs, semaphores)
        if self.observe is not None:
            self.observe(program)
        self.device.run(program)

    def put(
        self,
        values: torch.Tensor,
        dtype: DataFormat = BF16,
        layout: Layout = Layout.TILE,
        memory_config: MemoryConfig = DRAM_MEMORY_CONFIG,
    ) -> Tensor:
        return self.device.from_torch(values, dtype, layout, memory_config)

    def scratchpad(self, size: int) -> tuple[Tensor, Scratchpad]:
        """L1 of one kernel. The tensor keeps it; rows of four bytes per bank, so it is there on each core."""
        banks = self.device.arch.grid.x * self.device.arch.grid.y
        held = self.device.empty(
            (banks, size // 4), DataFormat.UInt32, layout=Layout.ROW_MAJOR, memory_config=L1_MEMORY_CONFIG
        )
        return held, Scratchpad(held.address, size)


def rectangle(columns: int, rows: int) -> CoreRange:
    return CoreRange((0, 0), (columns - 1, rows - 1))


def cores_of(cores: Cores | list[CoreCoord]) -> CoreRangeSet:
    """A list of cores too."""
    return CoreRangeSet.from_cores(cores) if isinstance(cores, list) else CoreRangeSet.of(cores)


def argument(tensor: Tensor) -> TensorArgument:
    return TensorArgument(accessor_words(tensor), tensor.address)


def tiles(index: int, count: int, cores: Cores | list[CoreCoord], dtype: DataFormat = BF16) -> CircularBuffer:
    """A circular buffer of tiles."""
    size = tile_bytes(dtype)
    return CircularBuffer(count * size, cores_of(cores), CBFormat(index, dtype, size))


def on_shard(
    index: int, tensor: Tensor, cores: Cores | list[CoreCoord], dtype: DataFormat = BF16
) -> CircularBuffer:
    """A circular buffer of tiles that stands on a tensor's shards."""
    return CircularBuffer(
        tensor.size_per_bank, cores_of(cores), CBFormat(index, dtype, tile_bytes(dtype)), tensor
    )


def random(*shape: int, seed: int = 0, dtype: torch.dtype = torch.bfloat16) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def bits(value: float) -> int:
    """A float32's bits as an argument word."""
    return int(torch.tensor(value, dtype=torch.float32).view(torch.int32).item()) & 0xFFFFFFFF
