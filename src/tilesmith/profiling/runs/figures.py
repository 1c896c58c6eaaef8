"""What is kept of a run to list, compare and gate it: totals, and a line for each kernel."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from tilesmith.profiling.model import ProgramProfile
from tilesmith.profiling.power.estimate import power_of
from tilesmith.profiling.report import Profile

PREDICTED = "chip, predicted"


@dataclass(frozen=True)
class KernelFigures:
    """All launches of one kernel. `name` and `operands` say what it computes; the longest gives the bound."""

    name: str
    operands: str
    launches: int
    microseconds: float
    launch_us: float
    dram_bytes: int
    bound: str
    sentence: str
    change: str
    findings: int = 0

    @property
    def key(self) -> tuple[str, str]:
        return self.name, self.operands


@dataclass(frozen=True)
class RunFigures:
    """The figures of a run. `source` says whose they are: predicted for a chip, or measured on this host.

    `samples_us` holds repeated measurements; predictions have none, since the clock is deterministic.
    """

    title: str
    chip: str
    source: str
    latency_us: float
    kernel_us: float
    launch_us: float
    dram_bytes: int
    peak_dram: int
    peak_l1: int
    findings: int
    kernels: tuple[KernelFigures, ...] = ()
    samples_us: tuple[float, ...] = ()
    level: str = ""
    backend: str = ""
    watts: float = 0.0
    watts_low: float = 0.0
    watts_high: float = 0.0
    energy_uj: float = 0.0
    advice: tuple[str, ...] = ()
    tokens: int = 0
    """How many tokens a call took in; 0 where they are not known."""

    @property
    def energy_per_token_uj(self) -> float:
        """0 where the tokens are not known."""
        return self.energy_uj / self.tokens if self.tokens else 0.0

    @property
    def is_measured(self) -> bool:
        return self.source != PREDICTED

    @property
    def spread(self) -> float:
        """How far the middle half of the measurements lies apart, as a part of their median."""
        if len(self.samples_us) < 4:
            return 0.0
        ordered = sorted(self.samples_us)
        quarter = len(ordered) // 4
        return (ordered[-1 - quarter] - ordered[quarter]) / max(self.latency_us, 1e-9)


def figures_of(profile: Profile, level: str = "", backend: str = "") -> RunFigures:
    """The figures of a profile."""
    host, power = profile.memory.host, power_of(profile)
    return RunFigures(
        title=profile.title,
        chip=profile.chip.product if profile.chip else "",
        source=host.label if host is not None else PREDICTED,
        latency_us=profile.latency_us,
        kernel_us=profile.microseconds,
        launch_us=profile.launch_us,
        dram_bytes=profile.dram_bytes,
        peak_dram=profile.memory.peak_dram,
        peak_l1=profile.memory.peak_l1,
        findings=sum(len(program.findings) for program in profile.programs),
        kernels=_kernels(profile.programs),
        level=level,
        backend=backend,
        watts=power.watts if power else 0.0,
        watts_low=power.low if power else 0.0,
        watts_high=power.high if power else 0.0,
        energy_uj=power.energy_uj if power else 0.0,
        advice=tuple(map(str, profile.known_advice)),
    )


def _kernels(programs: tuple[ProgramProfile, ...]) -> tuple[KernelFigures, ...]:
    groups: dict[tuple[str, str], list[ProgramProfile]] = {}
    for program in programs:
        groups.setdefault((program.name, operands_of(program)), []).append(program)
    return tuple(_kernel(name, operands, same) for (name, operands), same in groups.items())


def operands_of(program: ProgramProfile) -> str:
    """Shapes and formats of the tensors a program moved, in the order of their allocation."""
    return ", ".join(f"{list(tensor.shape)} {tensor.dtype}" for tensor in program.tensors)


def _kernel(name: str, operands: str, launches: list[ProgramProfile]) -> KernelFigures:
    longest = max(launches, key=lambda program: program.cycles)
    moved = [traffic for program in launches for traffic in program.traffic]
    return KernelFigures(
        name=name,
        operands=operands,
        launches=len(launches),
        microseconds=sum(program.microseconds for program in launches),
        launch_us=sum(program.launch_us for program in launches),
        dram_bytes=sum(traffic.dram_read_bytes + traffic.dram_written_bytes for traffic in moved),
        bound=longest.bound.kind,
        sentence=longest.bound.sentence,
        change=longest.hint,
        findings=sum(len(program.findings) for program in launches),
    )


def measured(title: str, samples_us: tuple[float, ...], backend: str) -> RunFigures:
    """The figures of repeated measurements on this host: their median, and all of them.

    >>> measured("mlp", (3.0, 1.0, 2.0), "cpu").latency_us
    2.0
    """
    middle = median(samples_us)
    return RunFigures(
        title, "", "host, measured", middle, 0.0, 0.0, 0, 0, 0, 0, samples_us=samples_us, backend=backend
    )
