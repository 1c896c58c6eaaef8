"""A process that runs random kernels one after another and prints a line of JSON for each.

Its kernels are compiled without optimisation, which is quickest for what runs a few times, and go to a folder
of their own, which is emptied now and then. The emulator and the conversions come from everybody's cache.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from conformance.fuzz.draw import random_program
from conformance.fuzz.program import Program
from conformance.fuzz.run import Failure, failure_of, failures_of
from conformance.fuzz.shrink import shrunk
from tilesmith.emulator.library import runtime
from tilesmith.formats.bindings import compile_all
from tilesmith.settings import using

_TOGETHER = 25
"""Programs that share what is compiled: of their kernels one in six is the same as another, mostly empty.

Nor is garbage collected between them, which takes a tenth of what Python takes.
"""


@dataclass(frozen=True)
class Work:
    """Kernels `first` to `first + count` of a seed, on these chips, each with so many sets of inputs."""

    seed: int
    first: int
    count: int
    archs: tuple[str, ...]
    inputs: int = 1
    shrink: int = 60


def environment() -> dict[str, str]:
    return {**os.environ, "TILESMITH_KERNEL_OPTIMIZATION": "0", "TILESMITH_COMPILE_JOBS": "1"}


def main() -> None:
    work = Work(**{**json.loads(sys.argv[1]), "archs": tuple(json.loads(sys.argv[1])["archs"])})
    kernels = Path(sys.argv[2])
    runtime()
    compile_all()
    gc.disable()
    with using(cache_dir=kernels):
        _run(work, kernels)


def _run(work: Work, kernels: Path) -> None:
    for number in range(work.first, work.first + work.count):
        program = random_program(Random(f"{work.seed}:{number}"))
        found = failures_of(program, number, work.archs, work.inputs)
        told = {arch: _told(work, number, program, arch, failure) for arch, failure in found.items()}
        print(json.dumps({"number": number, "failures": told}), flush=True)
        if number % _TOGETHER == 0:
            _drop(kernels)
            gc.collect()


def _told(work: Work, number: int, program: Program, arch: str, failure: Failure) -> dict[str, str]:
    def fails(smaller: Program) -> bool:
        other = failure_of(smaller, number, arch, work.inputs)
        return other is not None and other.kind == failure.kind

    smallest = shrunk(program, fails, work.shrink)
    failure = failure_of(smallest, number, arch, work.inputs) or failure
    return {**asdict(failure), "source": smallest.source()}


def _drop(kernels: Path) -> None:
    """Remove the libraries of some programs; the parsed headers, which all kernels share, stay."""
    for path in kernels.rglob("*.so"):
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
