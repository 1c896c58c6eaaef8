"""Runs the kernel text of every vendor vector in the emulator and compares the numbers with the vendor's.

With --json the last line is an object with `total`, `exact`, `within`, `off` and `off_names`. Copies,
conversions, reductions, broadcasts and elementwise FPU operations must be bit-equal; matmul and vector
functions may differ as conformance/vectors/judge.py says. They run on --arch; without it, those in a
folder named `blackhole` run on one, and the others on Wormhole.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from pathlib import Path
from typing import Literal

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.vectors.judge import Verdict, judge
from conformance.vectors.program import run_vector
from conformance.vectors.vector import read_vector, vector_paths
from tilesmith.errors import TilesmithError
from tilesmith.runtime import Device, open_device


@dataclass(frozen=True)
class Outcome:
    """How one vector fared; `problem` says why nothing could be compared."""

    name: str
    verdict: Verdict
    problem: str = ""


def main() -> int:
    options = _options()
    work = [one for one in vector_paths(options.vectors, options.arch) if options.filter in one[0].stem]
    with ProcessPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(_run, work, repeat(options.checks)))
    for outcome in outcomes:
        if options.verbose or outcome.verdict is Verdict.OFF:
            print(f"{outcome.verdict.value:6} {outcome.name} {outcome.problem}".rstrip())
    summary = _summary(outcomes)
    print(json.dumps(summary) if options.json else _sentence(summary))
    return 1 if summary["off"] else 0


def _run(work: tuple[Path, str], checks: Literal["on", "off"]) -> Outcome:
    path, arch = work
    name = path.stem if arch == "wormhole" else f"{arch}/{path.stem}"
    vector = read_vector(path, arch)
    try:
        return Outcome(name, judge(vector, run_vector(_device(arch), vector, checks)))
    except TilesmithError as error:
        return Outcome(name, Verdict.OFF, f"{type(error).__name__}: {error}")


@cache
def _device(arch: str) -> Device:
    return open_device(arch)


def _summary(outcomes: list[Outcome]) -> dict[str, object]:
    counts = Counter(outcome.verdict for outcome in outcomes)
    return {
        "total": len(outcomes),
        **{verdict.value: counts[verdict] for verdict in Verdict},
        "off_names": [outcome.name for outcome in outcomes if outcome.verdict is Verdict.OFF],
    }


def _sentence(summary: dict[str, object]) -> str:
    return "{total} vectors: {exact} bit-equal, {within} within their accuracy, {off} off".format(**summary)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("vectors", type=Path, help="folder of .npz files")
    parser.add_argument("--arch", choices=("wormhole", "blackhole"), help="the chip that all vectors are of")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument("--filter", default="", help="only vectors whose name contains this")
    parser.add_argument("--jobs", type=int, default=2, help="vectors that run at the same time")
    parser.add_argument("--checks", choices=("on", "off"), default="off", help="also look for mistakes")
    parser.add_argument("--verbose", action="store_true", help="print every vector's verdict")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
