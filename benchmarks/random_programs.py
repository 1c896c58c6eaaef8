"""Random TileLang kernels on the emulator: chip numerics, checks on, every element within a bound of its own.

    python benchmarks/random_programs.py --count 2000 [--seed 0] [--arch wormhole] [--json] [--keep DIR]
    python benchmarks/random_programs.py --seed 0 --first 17 --count 1      # show one again

A kernel is known by seed and number. Integers and data that are only moved must be exact; floats must lie
within what their roundings add up to, and must not lean to one side. A finding of a check, a refusal and a
crash are failures too. Failures are printed as TileLang, made as small as they can be; `--keep` writes each
to a file.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.fuzz.draw import random_program
from benchmarks.fuzz.program import Program
from benchmarks.fuzz.run import Failure, failure_of
from benchmarks.fuzz.shrink import shrunk


@dataclass(frozen=True)
class Case:
    """One kernel that failed, as small as it became."""

    seed: int
    number: int
    failure: Failure
    program: Program

    @property
    def text(self) -> str:
        head = f"seed {self.seed} case {self.number}: {self.failure.text}"
        return "\n".join([*(f"# {line}" for line in head.splitlines()), self.program.source()])


def failures(options: argparse.Namespace) -> Iterator[Case | None]:
    """One entry for each kernel in order; None for one that is right."""
    for number in range(options.first, options.first + options.count):
        program = random_program(Random(f"{options.seed}:{number}"))
        failure = failure_of(program, number, options.arch)
        yield None if failure is None else _smallest(options, number, program, failure)


def _smallest(options: argparse.Namespace, number: int, program: Program, failure: Failure) -> Case:
    def fails(smaller: Program) -> bool:
        other = failure_of(smaller, number, options.arch)
        return other is not None and other.kind == failure.kind

    smallest = shrunk(program, fails, options.shrink)
    return Case(options.seed, number, failure_of(smallest, number, options.arch) or failure, smallest)


def main() -> int:
    options = _options()
    began, found = time.monotonic(), []
    for done, case in enumerate(failures(options), start=1):
        if case is not None:
            found.append(case)
            print(case.text, flush=True)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"seed{case.seed}_case{case.number}.py").write_text(
                    case.text, encoding="utf-8"
                )
        if done % 20 == 0:
            print(
                f"{done} kernels, {len(found)} failed, {time.monotonic() - began:.0f} s",
                file=sys.stderr,
                flush=True,
            )
    told = {
        "cases": options.count,
        "passed": options.count - len(found),
        "failed": len(found),
        "seed": options.seed,
        "arch": options.arch,
        "seconds": round(time.monotonic() - began, 1),
        "failures": {str(case.number): case.failure.text for case in found},
        "kinds": Counter(case.failure.kind for case in found),
    }
    print(json.dumps(told) if options.json else f"{told['passed']} of {told['cases']} kernels are right")
    return 1 if found else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first kernel")
    parser.add_argument("--arch", default="wormhole")
    parser.add_argument(
        "--shrink", type=int, default=60, help="how many runs to spend on making a failure smaller"
    )
    parser.add_argument("--keep", type=Path, help="a folder for the failures, one file each")
    parser.add_argument("--json", action="store_true", help="the last line is a JSON object")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
