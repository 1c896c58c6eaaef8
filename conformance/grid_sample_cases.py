"""Every kind of call of grid_sample against torch, under checks: any finding or wrong value fails.

With --json the last line is an object with `cases`, `wrong`, `nearest_exact`, `bilinear_max_error` (of the
largest pixel), `nearest_reads` and `bilinear_reads` (pixels read for each point), `seconds` and a few counts.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.grid_sample.case import Case, all_cases
from conformance.grid_sample.run import Outcome, run_case
from tilesmith.errors import TilesmithError
from tilesmith.runtime import Device, open_device


def main() -> int:
    options = _options()
    started = time.monotonic()
    with ProcessPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(_run, all_cases(), chunksize=16))
    for outcome in outcomes:
        if isinstance(outcome, str):
            print(outcome)
        elif options.verbose or not outcome.ok:
            verdict = "ok" if outcome.ok else "WRONG"
            print(f"{verdict} {outcome.case}: {outcome.comparison}; {outcome.reads} reads for each point")
    summary = {**summarise(outcomes), "seconds": round(time.monotonic() - started, 1)}
    print(
        json.dumps(summary)
        if options.json
        else "\n".join(f"{key}: {value}" for key, value in summary.items())
    )
    return 1 if summary["wrong"] else 0


def summarise(outcomes: Sequence[Outcome | str]) -> dict[str, object]:
    """The figures over all cases; a case that could not run is a sentence."""
    ran = [one for one in outcomes if isinstance(one, Outcome)]
    nearest = [one for one in ran if one.case.mode == "nearest"]
    bilinear = [one for one in ran if one.case.mode == "bilinear"]
    return {
        "cases": len(outcomes),
        "wrong": len(outcomes) - sum(one.ok for one in ran),
        "nearest_cases": len(nearest),
        "nearest_exact": sum(one.comparison.max_abs == 0.0 for one in nearest),
        "bilinear_cases": len(bilinear),
        "bilinear_max_error": max((one.error_of_peak for one in bilinear), default=0.0),
        "nearest_reads": sorted({one.reads for one in nearest}),
        "bilinear_reads": sorted({one.reads for one in bilinear}),
        "nearest_compute_kernels": sum(one.compute_kernels for one in nearest),
    }


def _run(case: Case) -> Outcome | str:
    try:
        return run_case(_device(case.arch), case)
    except TilesmithError as error:
        return f"FAILED {case}: {error}"


@cache
def _device(arch: str) -> Device:
    return open_device(arch)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--verbose", action="store_true", help="every case, not only those that fail")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
