"""Profile: what a recording gives. Print it, save it, open it in a browser or in the vendor's tools."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path

from tilesmith.arch import Arch
from tilesmith.notebook import html_table
from tilesmith.profiling.advice import Advice, Advisor
from tilesmith.profiling.memory import MemoryReport
from tilesmith.profiling.model import Bound, ProgramProfile
from tilesmith.profiling.serial import from_json, to_json
from tilesmith.profiling.summary import KernelTime
from tilesmith.program.executor import KernelTraffic

PROFILE_FILE = "profile.json"


@dataclass(frozen=True)
class Chip:
    """The chip the times are predicted for."""

    family: str
    product: str
    clock_ghz: float
    grid_x: int
    grid_y: int
    dram_banks: int
    dram_peak_gb_per_s: float
    l1_size: int
    l1_base: int
    noc_x: int
    noc_y: int
    worker_x: tuple[int, ...]
    worker_y: tuple[int, ...]
    noc_bytes_per_cycle: float = 0.0
    dram_x: tuple[int, ...] = ()
    dram_y: tuple[int, ...] = ()

    @staticmethod
    def of(arch: Arch) -> Chip:
        return Chip(
            family=arch.family,
            product=arch.product,
            clock_ghz=arch.clock_ghz,
            grid_x=arch.grid.x,
            grid_y=arch.grid.y,
            dram_banks=arch.num_dram_banks,
            dram_peak_gb_per_s=arch.timing.dram.peak_gb_per_s,
            l1_size=arch.l1_size,
            l1_base=arch.l1_unreserved_base,
            noc_x=arch.noc_grid[0],
            noc_y=arch.noc_grid[1],
            worker_x=arch.worker_physical_columns[: arch.grid.x],
            worker_y=arch.worker_physical_rows[: arch.grid.y],
            noc_bytes_per_cycle=arch.timing.noc.stream_bytes,
            dram_x=tuple(x for x, _ in arch.dram_physical[0]),
            dram_y=tuple(y for _, y in arch.dram_physical[0]),
        )


@dataclass(frozen=True, repr=False)
class Profile:
    """The programs of a recording, one after the other. Their times are those of the model, not measured.

    Where no program ran on a device, `memory.host` has what the host took, and that is measured.

    >>> from tilesmith import CoreCoord, Kernel, Program, ReaderConfig, SourceType, open_device
    >>> from tilesmith.profiling import recording
    >>> kernel = Kernel("void kernel_main() {}", CoreCoord(0, 0), ReaderConfig(), SourceType.SOURCE_CODE)
    >>> with recording("nothing") as recorder, open_device("wormhole") as device:
    ...     _ = device.run(Program(kernels=(kernel,)))
    >>> len(recorder.profile.programs)
    1
    """

    title: str
    chip: Chip | None
    programs: tuple[ProgramProfile, ...]
    memory: MemoryReport
    untraced: int = 0
    on_host: tuple[str, ...] = ()  # operations computed on the host for want of a kernel
    tried: tuple[Advice, ...] = ()
    """Advice as it was saved; `advice` is what to read."""
    advisor: Advisor | None = field(default=None, compare=False, metadata={"saved": False})

    @staticmethod
    def of(
        title: str,
        arch: Arch | None,
        programs: tuple[ProgramProfile, ...],
        memory: MemoryReport,
        untraced: int = 0,
        on_host: tuple[str, ...] = (),
        advisor: Advisor | None = None,
    ) -> Profile:
        chip = Chip.of(arch) if arch else None
        return Profile(title, chip, programs, memory, untraced, on_host, advisor=advisor)

    # ---- figures ----

    @property
    def cycles(self) -> int:
        """Of all kernels; launching them is not in it."""
        return sum(program.cycles for program in self.programs)

    @property
    def microseconds(self) -> float:
        return sum(program.microseconds for program in self.programs)

    @property
    def launch_us(self) -> float:
        return sum(program.launch_us for program in self.programs)

    @property
    def latency_us(self) -> float:
        """Of kernels and their launches, predicted; of the host, measured, where nothing ran on a device."""
        host = self.memory.host
        return host.microseconds if host is not None else self.microseconds + self.launch_us

    @property
    def traffic(self) -> tuple[KernelTraffic, ...]:
        return tuple(moved for program in self.programs for moved in program.traffic)

    @property
    def dram_bytes(self) -> int:
        return sum(one.dram_read_bytes + one.dram_written_bytes for one in self.traffic)

    @property
    def kernels(self) -> tuple[KernelTime, ...]:
        """Each role of each kernel, over all its cores."""
        return tuple(time for program in self.programs for time in program.kernel_times())

    @property
    def bound(self) -> Bound | None:
        """What holds back the program that takes longest."""
        longest = max(self.programs, key=lambda one: one.cycles, default=None)
        return longest.bound if longest else None

    @property
    def advice(self) -> tuple[Advice, ...]:
        """Settings that make it faster, the largest saving first. They are tried when this is first read."""
        return self.tried if self.advisor is None else self.advisor.advice

    @property
    def known_advice(self) -> tuple[Advice, ...]:
        """The advice that was tried already."""
        return self.tried if self.advisor is None else self.advisor.known

    # ---- showing and saving ----

    def __repr__(self) -> str:
        chip = self.chip.product if self.chip else "no chip"
        return f"Profile({self.title!r} on {chip}: {len(self.programs)} programs, {self.latency_us:,.1f} us)"

    def _repr_html_(self) -> str:
        total = self.microseconds or 1.0
        rows = [
            (
                program.name,
                program.cores,
                f"{program.microseconds:,.1f}",
                f"{program.microseconds / total:.0%}",
                program.bound.sentence,
            )
            for program in self.programs
        ]
        table = html_table(("program", "cores", "us", "part", "bound"), rows)
        return f"<b>{escape(repr(self))}</b>{table}"

    def __str__(self) -> str:
        from tilesmith.profiling.terminal import as_text

        return as_text(self)

    def show(self) -> None:
        """Print to the terminal, in colour where it has any."""
        from tilesmith.profiling.terminal import show

        show(self)

    def to_json(self) -> str:
        """As JSON, with the advice that is known; nothing is tried for it."""
        return to_json(replace(self, tried=self.known_advice))

    @staticmethod
    def from_json(text: str) -> Profile:
        return from_json(Profile, text)

    def save_html(self, path: str | Path) -> Path:
        """One page that needs no network: timeline, core grid, tables."""
        from tilesmith.profiling.html import html_page

        return _written(path, html_page(self))

    def save_chrome_trace(self, path: str | Path) -> Path:
        """Trace events for ui.perfetto.dev and chrome://tracing."""
        from tilesmith.profiling.chrome import chrome_trace

        return _written(path, chrome_trace(self))

    def save(self, folder: str | Path) -> Path:
        """Everything: profile.json, report.html, trace.json, and folders for the vendor's tools."""
        from tilesmith.profiling.device_log import write_device_log
        from tilesmith.profiling.perf_csv import write_perf_csv
        from tilesmith.profiling.visualizer import write_report

        folder = Path(folder)
        self.save_html(folder / "report.html")
        _written(folder / PROFILE_FILE, self.to_json())
        self.save_chrome_trace(folder / "trace.json")
        write_perf_csv(self, folder / "performance")
        write_device_log(self, folder / "performance")
        write_report(self, folder / "memory")
        return folder


def _written(path: str | Path, text: str) -> Path:
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
