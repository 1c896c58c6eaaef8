"""The figures of whatever runs in a block, without a trace: names, times and bytes, but no bounds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from tilesmith.profiling.analyse import program_name
from tilesmith.profiling.runs.figures import PREDICTED, KernelFigures, RunFigures
from tilesmith.program import Program
from tilesmith.program.executor import RunReport
from tilesmith.program.l1 import Placement
from tilesmith.runtime.device import Device
from tilesmith.runtime.observers import Observer, label, observing


@dataclass
class Watch(Observer):
    """What ran so far. A trace would name the bound of each kernel, and takes longer."""

    title: str
    level: str = ""
    backend: str = ""
    chip: str = ""
    kernels: dict[str, KernelFigures] = field(default_factory=dict)

    def ran(self, device: Device, program: Program, placement: Placement, report: RunReport) -> None:  # noqa: ARG002
        self.chip = self.chip or device.arch.product
        name = label() or program_name(program)
        known = self.kernels.get(name) or KernelFigures(name, "", 0, 0.0, 0.0, 0, "", "", "")
        moved = sum(one.dram_read_bytes + one.dram_written_bytes for one in report.traffic)
        self.kernels[name] = replace(
            known,
            launches=known.launches + 1,
            microseconds=known.microseconds + device.arch.microseconds(report.cycles),
            launch_us=known.launch_us + report.launch_us,
            dram_bytes=known.dram_bytes + moved,
            findings=known.findings + len(report.findings),
        )

    @property
    def figures(self) -> RunFigures:
        kernels = tuple(self.kernels.values())
        kernel_us, launch_us = sum(one.microseconds for one in kernels), sum(one.launch_us for one in kernels)
        return RunFigures(
            title=self.title,
            chip=self.chip,
            source=PREDICTED,
            latency_us=kernel_us + launch_us,
            kernel_us=kernel_us,
            launch_us=launch_us,
            dram_bytes=sum(one.dram_bytes for one in kernels),
            peak_dram=0,
            peak_l1=0,
            findings=sum(one.findings for one in kernels),
            kernels=kernels,
            level=self.level,
            backend=self.backend,
        )


@contextmanager
def watching(title: str, level: str = "", backend: str = "") -> Iterator[Watch]:
    """Watch everything that runs inside the block."""
    watch = Watch(title, level, backend)
    with observing(watch):
        yield watch
