"""Our compiled models against the published rates of hand-tuned ones.

Every kernel that differs from those before it runs once on the clock, without computing numbers; the others
count as often as they are launched. Published kernel rates leave launches out, so ratios do too.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from conformance.published_cases import CASES, Case, Formats, compiled
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from tilesmith import settings
from tilesmith.arch import Arch, load_arch
from tilesmith.models.backends.memory import Slot
from tilesmith.models.backends.tenstorrent import TenstorrentExecutable
from tilesmith.models.options import ModelOptions
from tilesmith.models.planning.steps import HostCall, Launch
from tilesmith.models.planning.views import BYTES
from tilesmith.profiling.traffic import dram_peak


@dataclass(frozen=True)
class Kernel:
    """A kernel of a plan, what one launch takes, and how often it is launched."""

    name: str
    ops: str
    schedule: str
    us: float
    launch_us: float
    count: int = 1

    @property
    def total_us(self) -> float:
        return self.us * self.count


@dataclass(frozen=True)
class Figures:
    """What a model takes by the clock, in microseconds, and where it goes."""

    case: Case
    formats: Formats
    us: float
    launch_us: float
    limit_us: float
    launches: int
    host_operators: int
    took_s: float
    kernels: tuple[Kernel, ...] = field(repr=False, default=())

    @property
    def ratio(self) -> float:
        """How many times as fast as the published figure; launches count where they do in that."""
        launches = self.launch_us if self.case.metric == "end to end" else 0.0
        return self.case.published_us / (self.us + launches)

    @property
    def families(self) -> dict[str, float]:
        """Microseconds of each template, the longest first."""
        found: dict[str, float] = {}
        for kernel in self.kernels:
            found[kernel.name] = found.get(kernel.name, 0.0) + kernel.total_us
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def row(self) -> dict[str, Any]:
        return {
            "model": self.case.name,
            "target": self.case.target,
            "formats": self.formats,
            "us": round(self.us, 1),
            "launch_us": round(self.launch_us, 1),
            "published_us": round(self.case.published_us, 1),
            "published": self.case.metric,
            "ratio": round(self.ratio, 3),
            "share_of_limit": round(self.limit_us / self.us, 3),
            "launches": self.launches,
            "host_operators": self.host_operators,
            "families": {name: round(us, 1) for name, us in list(self.families.items())[:5]},
            "took_s": round(self.took_s, 1),
        }


def chosen_cases(only: str) -> list[Case]:
    """Those whose name is given, or has the text in it."""
    return [case for case in CASES if case.name == only] or [case for case in CASES if only in case.name]


def figures(case: Case, formats: Formats, level: str = "O2") -> Figures:
    begin = time.perf_counter()
    torch.manual_seed(0)
    model, inputs = case.make()
    options = ModelOptions.of(
        {"optimization_level": level, "target": case.target, "checks": "off", **formats}
    )
    executable = compiled(model.eval(), inputs, case.state, options)
    kernels = tuple(timed_kernels(executable))
    return Figures(
        case,
        formats,
        sum(one.total_us for one in kernels),
        sum(one.launch_us * one.count for one in kernels),
        physical_limit_us(case, formats),
        sum(one.count for one in kernels),
        sum(isinstance(step, HostCall) for step in executable.plan.steps),
        time.perf_counter() - begin,
        kernels,
    )


def timed_kernels(executable: TenstorrentExecutable) -> Iterator[Kernel]:
    """Each distinct kernel of a plan once."""
    equal: dict[tuple[Any, ...], list[Launch]] = {}
    for step in executable.plan.steps:
        if isinstance(step, Launch):
            equal.setdefault(_signature(executable, step), []).append(step)
    with settings.using(checks="off", numbers="none"):
        for first, *more in equal.values():
            report = executable.device.run(executable.program(first))
            yield Kernel(
                first.template.name,
                " + ".join(first.ops),
                _schedule(first),
                executable.arch.microseconds(report.cycles),
                report.launch_us,
                1 + len(more),
            )


def _signature(executable: TenstorrentExecutable, step: Launch) -> tuple[Any, ...]:
    """What decides how long a launch takes: all but which tensors of their size it works on."""
    places = []
    for name, one in step.storages.items():
        slot = executable.memory.slots.get(one)
        in_l1 = isinstance(slot, Slot) and slot.in_l1
        places.append((name, one.rows, one.cols, one.layout, one.dtype, in_l1))
    return step.template, step.fidelity, tuple(places), tuple(sorted(step.numbers.items()))


def _schedule(step: Launch) -> str:
    template: Any = step.template
    sizes = " ".join(
        f"{key}={step.numbers[key]}" for key in ("m", "n", "k", "depth", "taps") if key in step.numbers
    )
    parts = [str(getattr(template, key)) for key in ("block", "mesh") if getattr(template, key, None)]
    return " ".join((sizes, *parts))


def physical_limit_us(case: Case, formats: Formats) -> float:
    """The longer of two: every weight, input and result once at the peak of DRAM; all math on all cores."""
    arch = load_arch(case.target)
    with torch.device("meta"):
        model, inputs = case.make()
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        made = model.eval()(*inputs)
    held = sum(one.numel() for one in _unique_parameters(model)) * BYTES[formats.get("weights", "bfloat16")]
    moved = sum(one.numel() for one in (*inputs, *(made if isinstance(made, tuple) else (made,)))) * 2
    math = counter.get_total_flops() / (2 * 32**3) / arch.num_cores * _product_cycles(arch, formats)
    return arch.microseconds(max((held + moved) / dram_peak(arch), math))


def _unique_parameters(model: nn.Module) -> list[torch.Tensor]:
    embeddings = {id(one.weight) for one in model.modules() if isinstance(one, nn.Embedding)}
    return [one for one in model.parameters() if id(one) not in embeddings]


def _product_cycles(arch: Arch, formats: Formats) -> float:
    """What a product of two tiles takes."""
    fpu, fidelity = arch.timing.fpu, formats.get("fidelity", "HiFi4")
    return fpu.matmul_per_phase * fpu.phases[fidelity]


def kernel_rows(made: Figures) -> list[dict[str, Any]]:
    """Every kernel, that which takes longest in all first."""
    ordered = sorted(made.kernels, key=lambda one: -one.total_us)
    return [{**asdict(one), "total_us": round(one.total_us, 1)} for one in ordered]
