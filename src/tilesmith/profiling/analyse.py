"""From one traced run to its profile."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tilesmith.arch import Arch
from tilesmith.profiling.bound import Evidence, find_bound
from tilesmith.profiling.l1_map import l1_blocks
from tilesmith.profiling.model import CircularBufferUse, FindingLine, KernelSource, ProgramProfile, Zone
from tilesmith.profiling.noc_links import noc_links
from tilesmith.profiling.roofline import roofline, utilisation
from tilesmith.profiling.timeline import MOST_INTERVALS, timeline
from tilesmith.profiling.traffic import bank_traffic, held_tensor, noc_bytes, tensor_traffic
from tilesmith.profiling.waits import role_profiles
from tilesmith.program import ComputeConfig, Kernel, Program, SourceType
from tilesmith.program.executor import RunReport
from tilesmith.program.l1 import Placement
from tilesmith.runtime.buffer import Buffer

_SEMAPHORE_BYTES = 16 * 16  # just below the memory programs may use


def analyse(
    name: str,
    arch: Arch,
    program: Program,
    placement: Placement,
    report: RunReport,
    tensors: Mapping[int, Buffer],
    most_intervals: int = MOST_INTERVALS,
) -> ProgramProfile:
    """The profile of a run that recorded a trace. `tensors` are those that had memory, by number."""
    trace = report.trace
    assert trace is not None
    semaphores = arch.l1_unreserved_base - _SEMAPHORE_BYTES
    roles = role_profiles(report, arch, semaphores)
    banks = bank_traffic(trace, arch, report.cycles)
    moved = tensor_traffic(trace, tensors)
    fidelity, approximate = _math_mode(program)
    buffers = _buffers(program, placement)
    evidence = Evidence(arch, program, report.cycles, fidelity, approximate, roles, moved, banks, buffers)
    return ProgramProfile(
        name=name or program_name(program),
        cycles=report.cycles,
        microseconds=arch.microseconds(report.cycles),
        launch_us=report.launch_us,
        cores=evidence.cores,
        fidelity=fidelity,
        approximate=approximate,
        roles=roles,
        traffic=tuple(report.traffic),
        held=tuple(held_tensor(number, buffer) for number, buffer in tensors.items() if buffer.num_pages),
        tensors=moved,
        banks=banks,
        utilisation=utilisation(arch, report.cycles, roles, report.traffic, noc_bytes(trace, len(roles))),
        roofline=roofline(arch, roles, report.traffic, moved),
        bound=find_bound(evidence),
        timeline=timeline(trace, roles, arch, semaphores, most_intervals),
        circular_buffers=buffers,
        sources=tuple(_source(kernel) for kernel in program.kernels),
        zones=tuple(
            Zone(zone.role.core.x, zone.role.core.y, zone.role.role, zone.name, zone.begin, zone.end)
            for zone in report.zones
        ),
        findings=tuple(
            FindingLine(
                finding.check,
                finding.title,
                finding.message,
                f"{finding.file}:{finding.line}",
                finding.kernel,
                finding.role,
            )
            for finding in report.findings
        ),
        dropped_events=trace.dropped,
        links=noc_links(trace, roles, arch),
        l1=l1_blocks(arch, program, placement, tensors),
    )


def _compute_kernels(program: Program) -> list[Kernel]:
    return [kernel for kernel in program.kernels if isinstance(kernel.config, ComputeConfig)]


def _math_mode(program: Program) -> tuple[str, bool]:
    """The highest fidelity of the compute kernels, and whether all their functions are approximate."""
    configs = [one.config for one in program.kernels if isinstance(one.config, ComputeConfig)]
    if not configs:
        return "", False
    return max(one.math_fidelity for one in configs).name, all(one.math_approx_mode for one in configs)


def program_name(program: Program) -> str:
    """A program has no name: its compute kernel's, or the first one's."""
    named = [*_compute_kernels(program), *program.kernels]
    return named[0].name or "program" if named else "program"


def _buffers(program: Program, placement: Placement) -> tuple[CircularBufferUse, ...]:
    return tuple(
        CircularBufferUse(
            indices=cb.indices,
            address=address,
            size=cb.total_size,
            page_size=cb.format_descriptors[0].page_size,
            format=cb.format_descriptors[0].data_format.name,
            cores=len(cb.core_ranges.cores()),
            on_tensor=not cb.is_allocated,
            core_ranges=str(cb.core_ranges),
            declared_at=cb.declared_at,
        )
        for cb, address in zip(program.cbs, placement.addresses, strict=True)
    )


def _source(kernel: Kernel) -> KernelSource:
    if kernel.source_type is SourceType.SOURCE_CODE:
        return KernelSource(kernel.name, kernel.config.risc, f"{kernel.name}.cpp", kernel.kernel_source)
    path = Path(kernel.kernel_source)
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    return KernelSource(kernel.name, kernel.config.risc, str(path), text)
