"""Programs of several emulated chips that run together: one clock, and links between the chips."""

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from tilesmith.arch import Board
from tilesmith.emulator import library
from tilesmith.emulator.executor import EmulatorExecutor
from tilesmith.emulator.suppress import parse_rules
from tilesmith.program import Program
from tilesmith.program.executor import RunOptions, RunReport
from tilesmith.program.l1 import Placement

MOST_FIBERS = 4096  # the emulator's records of who touched what name one of so many


@dataclass(frozen=True)
class ChipRun:
    """What one chip of a mesh has to do."""

    executor: EmulatorExecutor
    program: Program
    placement: Placement
    options: RunOptions


def run_together(board: Board, chips: Sequence[ChipRun]) -> list[RunReport]:
    """Run a program on every chip of the board, row by row, all to their end."""
    with ExitStack() as held:
        for chip in chips:
            held.enter_context(chip.executor._lock)
        rules = [parse_rules(chip.options.suppress) for chip in chips]
        ready = [chip.executor.ready(chip.program, chip.placement, chip.options) for chip in chips]
        loaded = [program for program, _ in ready]
        if sum(len(program.fibers) for program in loaded) >= MOST_FIBERS:
            return [_on_chip(_alone(chip), divmod(i, board.shape[1])) for i, chip in enumerate(chips)]
        count = len(chips)
        programs = (c.c_void_p * count)(*(program.handle for program in loaded))
        packed = [program.arguments(chip.program) for program, chip in zip(loaded, chips, strict=True)]
        arguments = (c.c_void_p * count)(*(c.addressof(entry) for entry in packed))
        options = (library.RunOptions * count)(*(native for _, native in ready))
        results = (library.RunResult * count)()
        library.runtime().functions.tsh_run_mesh(
            programs, options, arguments, results, count, c.byref(_mesh_config(board))
        )
        reports = [
            chip.executor.report(program, chip.program, result, chip.options, rule)
            for chip, program, result, rule in zip(chips, loaded, results, rules, strict=True)
        ]
    return [_on_chip(report, divmod(index, board.shape[1])) for index, report in enumerate(reports)]


def _alone(chip: ChipRun) -> RunReport:
    """Too many to run together, chips run one after another; a kernel that sends is told of no link."""
    return chip.executor.run(chip.program, chip.placement, chip.options)


def _on_chip(report: RunReport, chip: tuple[int, int]) -> RunReport:
    if not report.findings and not report.suppressed:
        return report
    return replace(
        report,
        findings=tuple(replace(finding, chip=chip) for finding in report.findings),
        suppressed=tuple(replace(finding, chip=chip) for finding in report.suppressed),
    )


def _mesh_config(board: Board) -> library.MeshConfig:
    fabric, clock = board.fabric, board.arch.clock_ghz
    return library.MeshConfig(
        rows=board.shape[0],
        columns=board.shape[1],
        links=board.links,
        ring_rows=board.ring_rows,
        ring_columns=board.ring_columns,
        slots=fabric.slots,
        max_payload=fabric.max_payload,
        header_bytes=fabric.header_bytes,
        first_hop=round(fabric.first_hop_ns * clock),
        next_hop=round(fabric.next_hop_ns * clock),
        send=round(fabric.send_ns * clock),
        receive=round(fabric.receive_ns * clock),
        ring=round(fabric.ring_ns * clock),
        scatter=round(fabric.scatter_ns * clock),
        flush=round(fabric.flush_ns * clock),
        link_bytes=fabric.link_gb_per_s / clock,
    )
