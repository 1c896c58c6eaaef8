"""A program of a few inline kernels, described by what differs: its kernels, circular buffers and tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from tests.findings.programs import BF16_TILE, Change, Layout, changed

from tilesmith.formats import DataFormat
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    CoreCoord,
    CoreRangeSet,
    Kernel,
    KernelConfig,
    Program,
    ReaderConfig,
    Semaphore,
    SourceType,
)
from tilesmith.runtime import DRAM_MEMORY_CONFIG, Device, Tensor, TensorAccessorArgs, height_sharded


@dataclass(frozen=True)
class Part:
    """One kernel. Its arguments: the addresses of all tensors, then x and y of all cores of the program."""

    source: str
    config: KernelConfig = ReaderConfig()
    core: CoreCoord = CoreCoord(0, 0)
    tensor: int | None = None  # whose accessor it has


@dataclass(frozen=True, eq=False)
class Small:
    """Tensors of `tiles` bfloat16 tiles each: those named in `empty` are not written by the host."""

    name: str
    parts: Mapping[str, Part] = field(repr=False)
    cbs: Sequence[tuple[int, int]] = field(default=(), repr=False)  # index, pages
    semaphores: int = field(default=0, repr=False)
    tiles: Sequence[int] = field(default=(), repr=False)
    empty: Sequence[int] = field(default=(), repr=False)
    sharded: Sequence[int] = field(default=(), repr=False)  # tensors in the L1 of the first core
    read_back: Sequence[int] = field(default=(), repr=False)  # tensors that the host reads at the end

    @property
    def cores(self) -> list[CoreCoord]:
        return sorted({part.core for part in self.parts.values()}, key=lambda core: (core.y, core.x))

    def run(self, device: Device, changes: Sequence[Change], _layout: Layout) -> None:
        sources = changed({name: part.source for name, part in self.parts.items()}, changes)
        tensors = [self._tensor(device, i) for i in range(len(self.tiles))]
        places = [coordinate for core in self.cores for coordinate in device.arch.worker_noc_xy(core)]
        args = (*(tensor.address for tensor in tensors), *places)
        cores = CoreRangeSet.from_cores(self.cores)
        device.run(
            Program(
                kernels=[self._kernel(name, source, args, tensors) for name, source in sources.items()],
                cbs=[
                    CircularBuffer(pages * BF16_TILE, cores, CBFormat(index, DataFormat.Float16_b, BF16_TILE))
                    for index, pages in self.cbs
                ],
                semaphores=[Semaphore(i, cores) for i in range(self.semaphores)],
            )
        )
        for i in self.read_back:
            tensors[i].to_torch()

    def _tensor(self, device: Device, index: int) -> Tensor:
        shape = (32 * self.tiles[index], 32)
        memory = height_sharded(self.cores[0], shape) if index in self.sharded else DRAM_MEMORY_CONFIG
        if index in self.empty:
            return device.empty(shape, memory_config=memory)
        return device.from_torch(torch.rand(shape), dtype=DataFormat.Float16_b, memory_config=memory)

    def _kernel(self, name: str, source: str, args: tuple[int, ...], tensors: list[Tensor]) -> Kernel:
        part = self.parts[name]
        accessor = (
            () if part.tensor is None else TensorAccessorArgs(tensors[part.tensor]).get_compile_time_args()
        )
        return Kernel(
            source,
            part.core,
            part.config,
            SourceType.SOURCE_CODE,
            compile_time_args=accessor,
            runtime_args={part.core: args},
            name=name,
        )
