"""Runs one mutant of one example and says what came of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from examples.metal.common import host

import tilesmith
from conformance.mutation_cases import CASES, GRID
from conformance.mutation_sites import local_includes
from conformance.mutation_switch import VARIABLE
from tilesmith import settings
from tilesmith.errors import EmulatorGap, KernelCompileError, KernelFindings, TilesmithError, UserError
from tilesmith.program import Program
from tilesmith.runtime import Device, RunReport
from tilesmith.testing import compare

STEP_LIMIT = 1_000_000


@dataclass(frozen=True)
class Task:
    """One mutant of one example, and the scheduler seeds to try. `file` is relative to `root`."""

    example: str
    root: Path
    file: str
    line: int
    content: str
    kind: str
    number: int
    seeds: range

    @property
    def name(self) -> str:
        return f"{self.example}: {self.file}:{self.line}: {self.kind}: {self.content}"


@dataclass(frozen=True)
class Verdict:
    """`outcome`: found, wrong result, silent, gap, fault, crash, timeout; `detail`: which check, or why."""

    outcome: str
    detail: str


def kernel_files(example: str, root: Path) -> set[Path]:
    """The files an example's program is made of, found by running it once."""
    files: set[Path] = set()

    def note(program: Program, _report: RunReport) -> None:
        for kernel in program.kernels:
            files.update(local_includes(Path(kernel.kernel_source)))

    with _small_device(root) as device, host.watching(note):
        CASES[example].run(device)
    return files


def judge(task: Task) -> Verdict:
    """Run a mutant under one seed after another, until a check reports it."""
    os.environ[VARIABLE] = str(task.number)
    worst = Verdict("silent", "")
    with _small_device(task.root) as device:
        for seed in task.seeds:
            verdict = _run(task.example, device, seed)
            if verdict.outcome == "found":
                return verdict
            worst = verdict if worst.outcome == "silent" else worst
    return worst


def _run(example: str, device: Device, seed: int) -> Verdict:
    case = CASES[example]
    try:
        with settings.using(seed=seed):
            comparison = compare(*case.run(device), case.tolerance)
    except TilesmithError as caught:
        return verdict_of(caught)
    return Verdict("silent", "") if comparison.ok else Verdict("wrong result", str(comparison))


def verdict_of(error: TilesmithError) -> Verdict:
    """A check or a refusal has found it; what did not even compile, or ended elsewhere, proves nothing."""
    if isinstance(error, KernelFindings):
        return Verdict("found", error.findings[0].check)
    if isinstance(error, UserError) and not isinstance(error, KernelCompileError):
        return Verdict("found", type(error).__name__)
    return Verdict("gap" if isinstance(error, EmulatorGap) else "fault", error.what)


@contextmanager
def _small_device(root: Path) -> Iterator[Device]:
    """A device of which few cores are used, and on which a kernel that does not end is noticed soon."""
    with (
        settings.using(step_limit=STEP_LIMIT),
        tilesmith.open_device() as device,
        host.on_grid(*GRID),
        host.kernels_under(root),
    ):
        yield device
