"""The default executor: runs a Program on the built-in emulator."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import cache
from threading import RLock
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from tilesmith import settings
from tilesmith.arch import Arch
from tilesmith.emulator import library
from tilesmith.emulator.early_headers import parse_early
from tilesmith.emulator.findings import ROLES, finding_from_report
from tilesmith.emulator.launch import launch_us
from tilesmith.emulator.loading import LoadedProgram, build_program, build_programs, core_index, load_program
from tilesmith.emulator.machine import Machine, run_options
from tilesmith.emulator.suppress import Rule, parse_rules, split_findings
from tilesmith.errors import DeviceError, EmulatorGap
from tilesmith.program import CoreCoord, Program, SourceType
from tilesmith.program.executor import (
    ByteRange,
    KernelTraffic,
    Printed,
    RoleTime,
    RunOptions,
    RunReport,
    ZoneTime,
)
from tilesmith.program.findings import Finding
from tilesmith.program.l1 import Placement

_OUT_OF_MEMORY, _INTERRUPTED = 3, 2
_NOTHING_TOLD: dict[str, Any] = {"findings": [], "prints": [], "zones": []}
_KEPT = 32
"""Programs that stay loaded though nobody holds them: one is 2 MB, and operations make theirs anew."""


class EmulatorExecutor:
    """An emulated chip. Loaded programs are kept by structure, so a second call only passes arguments.

    They stay as long as somebody holds the Program that ran last, and the latest few of the others.
    """

    def __init__(self, arch: Arch) -> None:
        self.arch = arch
        self._machine: Machine | None = None
        self._loaded: dict[tuple[object, ...], LoadedProgram] = {}
        self._lock = RLock()  # a chip runs one program at a time

    @property
    def machine(self) -> Machine:
        """Made when first needed: opening a device compiles nothing."""
        with self._lock:
            if self._machine is None:
                self._machine = Machine(self.arch)
            return self._machine

    def dram(self, bank: int) -> NDArray[np.uint8]:
        return self.machine.dram(bank)

    def l1(self, core: CoreCoord) -> NDArray[np.uint8]:
        return self.machine.l1(core)

    def note_host_write(self, memory: str, index: int | CoreCoord, address: int, size: int) -> None:
        if memory == "dram" and isinstance(index, int):
            self.machine.note_host_dram_write(index, address, size)
        elif not isinstance(index, int):
            self.machine.note_host_write(core_index(index, self.arch), address, size)

    def begin(self, options: RunOptions) -> None:
        """Parse the headers of kernels meanwhile, where that has not been done on this computer."""
        parse_early(self.arch, *_compiled_for(options))

    def build(self, programs: Sequence[Program], options: RunOptions) -> None:
        """Compile kernels side by side: program by program, a core would wait for the longest of three."""
        with self._lock:
            checks, fast = _compiled_for(options)
            missing = {_key(one, checks, fast): one for one in programs}
            missing = {key: one for key, one in missing.items() if key not in self._loaded}
            if len(missing) > 1:
                build_programs(list(missing.values()), self.arch, checks, fast)

    def prepare(self, program: Program, placement: Placement, checks: bool, fast: bool) -> LoadedProgram:
        """The program as the runtime holds it; built and loaded on the first call with this structure."""
        key = _key(program, checks, fast)
        loaded = self._loaded.pop(key, None)
        if loaded is None:
            self._unload_unused()
            libraries = build_program(program, self.arch, checks, fast)
            assert self.machine.handle is not None
            loaded = load_program(program, placement.addresses, libraries, self.arch, self.machine.handle)
        elif loaded.addresses != placement.addresses:
            loaded.move_cbs(program, placement.addresses)
        loaded.held = ref(program)
        self._loaded[key] = loaded  # the latest is the last
        return loaded

    def _unload_unused(self) -> None:
        """Let go of programs that nobody holds, but for the latest."""
        unused = [key for key, loaded in self._loaded.items() if loaded.held() is None]
        for key in unused[: 1 - _KEPT]:
            self._loaded.pop(key).unload()

    def run(self, program: Program, placement: Placement, options: RunOptions) -> RunReport:
        with self._lock:
            rules = parse_rules(options.suppress)
            loaded, native = self.ready(program, placement, options)
            result = self.machine.run(loaded, program, native)
            return self.report(loaded, program, result, options, rules)

    def ready(
        self, program: Program, placement: Placement, options: RunOptions
    ) -> tuple[LoadedProgram, library.RunOptions]:
        """The program and the options of a run, as the runtime reads them."""
        checks, fast = _compiled_for(options)
        chosen = settings.current()
        native = run_options(
            checks=checks,
            numbers=options.numbers,
            seed=options.seed,
            step_limit=chosen.step_limit,
            stuck_seconds=chosen.stuck_seconds,
            allocations=options.allocations,
            constants=_constants(program, options) if checks else (),
            trace=options.trace,
            clock=chosen.clock == "on" or options.trace,  # a trace is one of times
            threads=chosen.threads or _host_cores(),
        )
        return self.prepare(program, placement, checks, fast), native

    def report(
        self,
        loaded: LoadedProgram,
        program: Program,
        result: library.RunResult,
        options: RunOptions,
        rules: Sequence[Rule],
    ) -> RunReport:
        """What a run that has ended showed."""
        if result.status == _OUT_OF_MEMORY:
            raise DeviceError("the computer has no memory left for the stacks of the program's kernels")
        if result.status == _INTERRUPTED:
            raise KeyboardInterrupt
        return _report(self.machine, loaded, program, result, options, rules)

    def close(self) -> None:
        with self._lock:
            for loaded in self._loaded.values():
                loaded.unload()
            self._loaded.clear()
            if self._machine is not None:
                self._machine.close()
                self._machine = None


def _compiled_for(options: RunOptions) -> tuple[bool, bool]:
    """Whether kernels are compiled with checks, and for quick numbers."""
    return options.checks == "on", options.numbers != "chip"


def _key(program: Program, checks: bool, fast: bool) -> tuple[object, ...]:
    return program.structure, _edited(program), checks, fast


@cache
def _host_cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _edited(program: Program) -> tuple[int, ...]:
    """When the kernels' files were last written: one edited since the last call is compiled again."""
    paths = (kernel.kernel_source for kernel in program.kernels if kernel.source_type is SourceType.FILE_PATH)
    return tuple(map(_written, paths))


def _constants(program: Program, options: RunOptions) -> list[int]:
    if all(buffer.in_dram for buffer in options.allocations):
        return []
    return [value for kernel in program.kernels for value in kernel.compile_time_args]


def _written(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _report(
    machine: Machine,
    loaded: LoadedProgram,
    program: Program,
    result: library.RunResult,
    options: RunOptions,
    rules: Sequence[Rule],
) -> RunReport:
    """Numbers are copied at once; what is told in words is fetched only when there is any."""
    told = _NOTHING_TOLD
    if result.findings or result.prints or result.zones:
        told = json.loads(machine.report(loaded))
    for entry in told["findings"]:
        if entry["gap"]:
            place = f"{entry['file']}:{entry['line']}"
            raise EmulatorGap(f"the emulator does not model this yet: {entry['message']}", where=place)
    times, counters = machine.snapshot(loaded)
    found: list[Finding] = []
    if told is not _NOTHING_TOLD:
        entries = [*told["findings"], *_undefined_elements(told, machine.arch, options)]
        found = [finding_from_report(entry, loaded.libraries) for entry in entries]
    findings, suppressed = split_findings(found, rules, program) if found else ((), ())
    return RunReport(
        findings=findings,
        suppressed=suppressed,
        cycles=result.cycles,
        steps=result.steps,
        details=lambda: _details(loaded, times, counters, told),
        trace=machine.trace(loaded) if options.trace else None,
        launch=lambda: launch_us(program, machine.arch, loaded.spread_of(program)),
    )


def _undefined_elements(told: dict[str, Any], arch: Arch, options: RunOptions) -> list[dict[str, Any]]:
    """Where undefined bytes were stored that an element of a tensor depends on."""
    stored: dict[int, list[ByteRange]] = {}
    for store in told.get("undefined", ()):
        index = store["index"]
        bank = index if store["dram"] else CoreCoord(index % arch.grid.x, index // arch.grid.x)
        stored.setdefault(store["place"], []).append(
            ByteRange(store["dram"], bank, store["offset"], store["size"])
        )
    return [told["undefined_places"][place] for place, ranges in stored.items() if options.is_element(ranges)]


def _details(
    loaded: LoadedProgram, times: NDArray[np.uint64], counters: NDArray[np.uint64], told: dict[str, Any]
) -> dict[str, Any]:
    roles = [
        RoleTime(core, ROLES[role], kernel, int(cycles), int(waited), tuple(map(int, work)))
        for (core, role, kernel), (cycles, waited, *work) in zip(loaded.fibers, times, strict=True)
    ]
    return {
        "roles": roles,
        "zones": [ZoneTime(z["name"], roles[z["fiber"]], z["begin"], z["end"]) for z in told["zones"]],
        "prints": [
            Printed(CoreCoord(p["core_x"], p["core_y"]), ROLES[p["role"]], p["text"]) for p in told["prints"]
        ],
        "traffic": [
            KernelTraffic(name, **dict(zip(library.COUNTERS, map(int, row), strict=True)))
            for name, row in zip(loaded.kernel_names, counters, strict=True)
        ],
    }
