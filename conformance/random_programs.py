"""Random TileLang kernels on the emulator: chip numerics, checks on, every element within a bound of its own.

    python conformance/random_programs.py --count 2000 --seeds 0 1 2 --arch both [--jobs 2] [--log FILE]
    python conformance/random_programs.py --seeds 0 --first 17 --count 1      # show one again

A kernel is known by seed and number. Integers and data that are only moved must be exact; floats must lie
within what their roundings add up to, and must not lean to one side. A finding of a check, a refusal and a
crash are failures too. Failures are printed as TileLang, made as small as they can be; `--keep` writes each
to a file. With `--log` what has run is written down, and a later call goes on where it ended.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from conformance.fuzz.processes import outcomes  # noqa: E402
from conformance.fuzz.worker import Work  # noqa: E402

_CHUNK = 250
"""Kernels of one process: it keeps every kernel it has loaded."""


class Log:
    """Lines of JSON, one for each kernel: seed, number, chips, failures."""

    def __init__(self, path: Path | None, options: argparse.Namespace) -> None:
        self.path = path
        self.lines: list[dict[str, Any]] = []
        if path is not None and path.exists():
            every = map(json.loads, path.read_text(encoding="utf-8").splitlines())
            self.lines = [line for line in every if line["archs"] == list(options.archs)]

    def add(self, line: dict[str, Any]) -> None:
        self.lines.append(line)
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

    def left(self, work: Work) -> Iterator[Work]:
        """The parts of some work that are not done yet, in pieces."""
        done = {line["number"] for line in self.lines if line["seed"] == work.seed}
        first, end = work.first, work.first + work.count
        while first < end:
            last = first
            while last < min(first + _CHUNK, end) and last not in done:
                last += 1
            if last > first:
                yield replace(work, first=first, count=last - first)
            first = max(last, first + 1)


def main() -> int:
    options = _options()
    log, began = Log(options.log, options), time.monotonic()
    work = [
        Work(seed, options.first, options.count, options.archs, options.inputs, options.shrink)
        for seed in options.seeds
    ]
    pieces = sorted((piece for one in work for piece in log.left(one)), key=lambda piece: piece.first)
    with (
        tempfile.TemporaryDirectory() as folder,
        ThreadPoolExecutor(options.jobs) as pool,
    ):
        caches = options.cache or Path(folder)
        for lines in pool.map(lambda piece: _run(piece, caches, log, options), pieces):
            print(f"{lines} kernels more, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    told = _summary(log, options, time.monotonic() - began)
    print(json.dumps(told) if options.json else f"{told['passed']} of {told['cases']} kernels are right")
    return 0 if told["passed"] == told["cases"] else 1


def _run(piece: Work, caches: Path, log: Log, options: argparse.Namespace) -> int:
    count = 0
    for outcome in outcomes(piece, caches):
        count += 1
        log.add({"seed": piece.seed, "archs": list(piece.archs), **outcome})
        for arch, failure in outcome["failures"].items():
            _show(piece.seed, outcome["number"], arch, failure, options.keep)
    return count


def _show(seed: int, number: int, arch: str, failure: dict[str, str], keep: Path | None) -> None:
    head = f"seed {seed} case {number} on {arch}: {failure['text']}"
    text = "\n".join([*(f"# {line}" for line in head.splitlines()), failure["source"]])
    print(text, flush=True)
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"seed{seed}_case{number}_{arch}.py").write_text(text, encoding="utf-8")


def _summary(log: Log, options: argparse.Namespace, seconds: float) -> dict[str, Any]:
    wanted = range(options.first, options.first + options.count)
    lines = [line for line in log.lines if line["seed"] in options.seeds and line["number"] in wanted]
    failed = [line for line in lines if line["failures"]]
    kinds = Counter(one["kind"] for line in failed for one in line["failures"].values())
    return {
        "cases": len(lines),
        "passed": len(lines) - len(failed),
        "failed": len(failed),
        "runs": len(lines) * len(options.archs) * options.inputs,
        "seeds": dict(Counter(str(line["seed"]) for line in lines)),
        "archs": options.archs,
        "seconds": round(seconds, 1),
        "failures": {f"{line['seed']}:{line['number']}": line["failures"] for line in failed},
        "kinds": kinds,
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=2000, help="kernels of each seed")
    parser.add_argument("--seeds", "--seed", type=int, nargs="+", default=[0])
    parser.add_argument("--first", type=int, default=0, help="number of the first kernel")
    parser.add_argument("--arch", default="wormhole", help="wormhole, blackhole or both")
    parser.add_argument("--inputs", type=int, default=2, help="sets of inputs for each kernel")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument(
        "--shrink", type=int, default=60, help="how many runs to spend on making a failure smaller"
    )
    parser.add_argument("--keep", type=Path, help="a folder for the failures, one file each")
    parser.add_argument("--log", type=Path, help="a file of what has run, to go on from")
    parser.add_argument("--cache", type=Path, help="a folder for what is compiled; left out, a temporary one")
    parser.add_argument("--json", action="store_true", help="the last line is a JSON object")
    options = parser.parse_args()
    options.archs = ("wormhole", "blackhole") if options.arch == "both" else (options.arch,)
    return options


if __name__ == "__main__":
    sys.exit(main())
