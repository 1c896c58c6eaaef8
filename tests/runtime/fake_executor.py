"""An executor without an emulator: memories that start as junk, and a record of what was asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tilesmith.arch import Arch
from tilesmith.program import CoreCoord, Program
from tilesmith.program.l1 import Placement
from tilesmith.runtime import RunOptions, RunReport

DRAM_BYTES = 4 << 20
JUNK = 0xA5


@dataclass
class FakeExecutor:
    """Maps only the first bytes of each DRAM bank: tests are small."""

    arch: Arch
    findings: tuple[Any, ...] = ()
    runs: list[tuple[Program, Placement, RunOptions]] = field(default_factory=list)
    notes: list[tuple[str, int | CoreCoord, int, int]] = field(default_factory=list)
    closed: int = 0

    def __post_init__(self) -> None:
        self._memory: dict[int | CoreCoord, NDArray[np.uint8]] = {}

    def dram(self, bank: int) -> NDArray[np.uint8]:
        assert 0 <= bank < self.arch.num_dram_banks
        return self._memory.setdefault(bank, np.full(DRAM_BYTES, JUNK, np.uint8))

    def l1(self, core: CoreCoord) -> NDArray[np.uint8]:
        assert self.arch.has_core(core)
        return self._memory.setdefault(core, np.full(self.arch.l1_size, JUNK, np.uint8))

    def note_host_write(
        self, kind: Literal["dram", "l1"], index: int | CoreCoord, address: int, size: int
    ) -> None:
        self.notes.append((kind, index, address, size))

    def begin(self, options: RunOptions) -> None:
        """There is nothing to start."""

    def build(self, programs: Sequence[Program], options: RunOptions) -> None:
        """Nothing is compiled here."""

    def run(self, program: Program, placement: Placement, options: RunOptions) -> RunReport:
        self.runs.append((program, placement, options))
        for kernel in program.kernels:
            for args in kernel.runtime_args.values():
                np.array(args, np.uint32)
        return RunReport(findings=self.findings, cycles=len(self.runs))

    def close(self) -> None:
        self.closed += 1
