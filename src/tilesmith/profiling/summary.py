"""The figures of one run as a table: cycles, what each kernel moved, and how long each role waited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tilesmith.arch import Arch
from tilesmith.program.executor import KernelTraffic, RunReport

_HEADER = (
    "kernel",
    "role",
    "cores",
    "cycles",
    "waits",
    "reads",
    "writes",
    "DRAM in",
    "DRAM out",
    "multicast",
)


@dataclass(frozen=True)
class KernelTime:
    """One kernel: the longest any of its cores ran, and which part of all their cycles was waiting."""

    name: str
    role: str
    cores: int
    cycles: int
    waiting: float


@dataclass(frozen=True)
class RunSummary:
    """What `kernel.profile()` gives: print it, or read its fields."""

    kernel: str
    product: str
    cycles: int
    microseconds: float
    kernels: tuple[KernelTime, ...]
    traffic: tuple[KernelTraffic, ...]

    @staticmethod
    def of(kernel: str, arch: Arch, reports: Sequence[RunReport]) -> RunSummary:
        """The figures of programs that ran one after the other."""
        cycles = sum(report.cycles for report in reports)
        return RunSummary(
            kernel=kernel,
            product=arch.product,
            cycles=cycles,
            microseconds=arch.microseconds(cycles),
            kernels=tuple(time for report in reports for time in _kernel_times(report)),
            traffic=tuple(moved for report in reports for moved in report.traffic),
        )

    @property
    def dram_bytes(self) -> int:
        """Bytes read from and written to DRAM."""
        return sum(one.dram_read_bytes + one.dram_written_bytes for one in self.traffic)

    def __str__(self) -> str:
        moved = {one.name: one for one in self.traffic}
        rows = [_HEADER, *(_row(time, moved.get(time.name)) for time in self.kernels)]
        head = f"{self.kernel} on {self.product}: {self.cycles:,} cycles, {self.microseconds:,.1f} us"
        return "\n".join([head, *_aligned(rows)])


def _kernel_times(report: RunReport) -> tuple[KernelTime, ...]:
    groups: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for role in report.roles:
        groups.setdefault((role.kernel, role.role), []).append((role.cycles, role.waited))
    return tuple(
        KernelTime(
            name=name,
            role=role,
            cores=len(times),
            cycles=max(cycles for cycles, _ in times),
            waiting=sum(waited for _, waited in times) / max(1, sum(cycles for cycles, _ in times)),
        )
        for (name, role), times in groups.items()
    )


def _row(time: KernelTime, moved: KernelTraffic | None) -> tuple[str, ...]:
    start = (time.name, time.role, str(time.cores), f"{time.cycles:,}", f"{time.waiting:.0%}")
    if moved is None:
        return (*start, "", "", "", "", "")
    counts = (f"{moved.noc_reads:,}", f"{moved.noc_writes:,}")
    sizes = (moved.dram_read_bytes, moved.dram_written_bytes, moved.multicast_bytes)
    return (*start, *counts, *map(_size, sizes))


def _size(count: int) -> str:
    return f"{count / 1024:,.0f} KiB" if count else ""


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
