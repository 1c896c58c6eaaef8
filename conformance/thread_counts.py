"""The same program with 1, 2 and 4 threads: the same bits, cycles and findings, for every seed.

    python conformance/thread_counts.py --json [--programs 200] [--seeds 20] [--threads 1 2 4] [--only random]

Random TileLang kernels and the metal examples, with chip numerics and every check on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import tilesmith  # noqa: E402
from conformance.example_cases import CASES  # noqa: E402
from conformance.fuzz.draw import random_program  # noqa: E402
from conformance.fuzz.program import Program as RandomProgram  # noqa: E402
from conformance.fuzz.run import prim_func  # noqa: E402
from tilesmith.errors import TilesmithError  # noqa: E402
from tilesmith.program.executor import RunReport  # noqa: E402
from tilesmith.runtime import Device, open_device  # noqa: E402
from tilesmith.runtime.observers import Observer, observing  # noqa: E402
from tilesmith.settings import using  # noqa: E402

Case = tuple[str, Callable[[], list[bytes]]]


class Runs(Observer):
    """What every run of a case came to: its cycles, and what the checks found."""

    def __init__(self) -> None:
        self.seen: list[tuple[Any, ...]] = []

    def ran(self, _device: Any, _program: Any, _placement: Any, report: RunReport) -> None:
        self.seen.append((report.cycles, report.steps, *map(str, report.findings)))


def outcome(case: Callable[[], list[bytes]], threads: int, seed: int) -> tuple[Any, ...]:
    """All that may not depend on the number of threads."""
    runs = Runs()
    # Without optimisation kernels are compiled most quickly, and these run a few times.
    chosen = using(threads=threads, seed=seed, checks="on", numbers="chip", kernel_optimization="0")
    with chosen, observing(runs):
        try:
            bits: Any = case()
        except TilesmithError as error:
            bits = str(error)
    return bits, runs.seen


def random_cases(count: int) -> Iterator[Case]:
    for number in range(count):
        program = random_program(Random(f"threads:{number}"))
        compiled = tilesmith.compile(prim_func(program.source()), target="wormhole")
        yield f"random {number}", partial(_random, program, compiled, number)


def _random(program: RandomProgram, compiled: Any, number: int) -> list[bytes]:
    given = {name: array.copy() for name, array in program.inputs(number).items()}
    compiled(*given.values())
    return [array.tobytes() for array in given.values()]


def example_cases(device: Device) -> Iterator[Case]:
    for module, arguments in CASES:
        yield f"{module.__name__.split('.')[-2]} {arguments}", partial(_example, module, device, arguments)


def _example(module: Any, device: Device, arguments: dict[str, Any]) -> list[bytes]:
    made, _ = module.run(device, **arguments)
    return [made.double().numpy().tobytes()]


def differences(cases: Iterator[Case], options: argparse.Namespace) -> tuple[int, list[str]]:
    count, found = 0, []
    for name, case in cases:
        count += 1
        for seed in range(options.seeds):
            first, *others = (outcome(case, threads, seed) for threads in options.threads)
            found += [f"{name}, seed {seed}" for other in others if other != first]
        if not options.json:
            print(name, "differs" if found and found[-1].startswith(name) else "equal", flush=True)
    return count, found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--only", choices=["random", "examples"])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    told: dict[str, Any] = {"threads": options.threads, "seeds": options.seeds}
    different: list[str] = []
    if options.only != "examples":
        told["programs"], found = differences(random_cases(options.programs), options)
        different += found
    if options.only != "random":
        with open_device() as device:
            told["examples"], found = differences(example_cases(device), options)
        different += found
    print(json.dumps({**told, "different": different}))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
