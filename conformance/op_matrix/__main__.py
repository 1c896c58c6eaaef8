"""Run the matrix: `python -m conformance.op_matrix [--json] [--only TEXT] [--every N]`."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter

from conformance.op_matrix.cases import all_cases
from conformance.op_matrix.pool import run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--only", default="", help="only cases whose name contains this")
    parser.add_argument("--every", type=int, default=1, help="only every N-th case")
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1))
    options = parser.parse_args()
    cases = [case for case in all_cases() if options.only in case.name][:: options.every]
    begin = time.perf_counter()
    outcomes = run(cases, options.workers)
    seconds = time.perf_counter() - begin
    wrong = [outcome for outcome in outcomes if outcome.problem]
    totals = Counter(outcome.case.family for outcome in outcomes)
    failed = Counter(outcome.case.family for outcome in wrong)
    if options.json:
        families = {name: {"cases": totals[name], "wrong": failed[name]} for name in totals}
        problems = {outcome.case.name: outcome.problem for outcome in wrong}
        print(
            json.dumps(
                {
                    "cases": len(outcomes),
                    "seconds": round(seconds, 1),
                    "families": families,
                    "wrong": problems,
                }
            )
        )
        return bool(wrong)
    for name in totals:
        print(f"{name:12} {totals[name] - failed[name]:5} of {totals[name]:5} right")
    print(
        f"{'all':12} {len(outcomes) - len(wrong):5} of {len(outcomes):5} right,"
        f" {seconds:.0f} s, {options.workers} workers"
    )
    for outcome in wrong:
        print(f"  {outcome.case.name}\n    {outcome.problem}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
