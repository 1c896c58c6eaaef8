"""Random TileLang kernels on the emulator, all checks on, against torch.

    python benchmarks/random_programs.py --cases 2000 [--seed 0] [--jobs 2] [--json]
    python benchmarks/random_programs.py --seed 0 --first 17 --cases 1      # show one again

A case is known by seed and number. Every failure is printed with both and with the kernel's text.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.differential.programs.generate import random_program
from tests.differential.programs.running import check_meaning, check_program
from tests.differential.programs.source import kernel_source


@dataclass(frozen=True)
class Outcome:
    """How a case ended; `problem` is empty when it matched."""

    number: int
    problem: str = ""
    details: str = ""


def run_case(number: int, seed: int, target: str, interpret: bool) -> Outcome:
    program = random_program(Random(f"{seed}:{number}"))
    try:
        if interpret:
            check_meaning(program, seed=number)
        else:
            check_program(program, seed=number, target=target)
    except Exception as error:
        details = f"{kernel_source(program)}\n{''.join(traceback.format_exception(error))}"
        return Outcome(number, f"{type(error).__name__}: {' '.join(str(error).split())}"[:300], details)
    return Outcome(number)


def run_all(options: argparse.Namespace) -> Iterator[Outcome]:
    """Cases in order, several at a time; each process keeps its compiler to one core."""
    one = partial(run_case, seed=options.seed, target=options.target, interpret=options.interpret)
    numbers = range(options.first, options.first + options.cases)
    with tempfile.TemporaryDirectory(prefix="tilesmith-random-") as folder:
        if options.fresh:
            os.environ["TILESMITH_CACHE_DIR"] = folder
        if options.jobs > 1:
            os.environ["TILESMITH_COMPILE_JOBS"] = "1"
        if options.cases == 1:
            yield one(options.first)
            return
        with ProcessPoolExecutor(options.jobs, max_tasks_per_child=200) as pool:
            yield from pool.map(one, numbers, chunksize=4)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--target", default="wormhole")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--interpret", action="store_true", help="import and interpret, compile nothing")
    parser.add_argument("--fresh", action="store_true", help="compile into a folder of its own")
    parser.add_argument("--log", type=Path, help="a file for the details of every failure")
    parser.add_argument("--json", action="store_true", help="the last line is a JSON object")
    options = parser.parse_args()
    began = time.monotonic()
    failures = []
    for done, outcome in enumerate(run_all(options), start=1):
        if outcome.problem:
            failures.append(outcome)
            print(f"seed {options.seed} case {outcome.number}: {outcome.problem}", flush=True)
            _tell(outcome, options)
        if done % 20 == 0:
            print(
                f"{done} cases, {len(failures)} failed, {time.monotonic() - began:.0f} s",
                file=sys.stderr,
                flush=True,
            )
    told = {
        "cases": options.cases,
        "passed": options.cases - len(failures),
        "failed": len(failures),
        "seed": options.seed,
        "seconds": round(time.monotonic() - began, 1),
        "failures": {str(one.number): one.problem for one in failures},
        "kinds": Counter(one.problem.split(":")[0] for one in failures),
    }
    print(json.dumps(told) if options.json else f"{told['passed']} of {told['cases']} cases match")
    return 1 if failures else 0


def _tell(outcome: Outcome, options: argparse.Namespace) -> None:
    if options.log:
        with options.log.open("a", encoding="utf-8") as log:
            log.write(f"==== seed {options.seed} case {outcome.number}\n{outcome.details}\n")
    elif options.cases == 1:
        print(outcome.details)


if __name__ == "__main__":
    sys.exit(main())
