"""How fast the chip would be with what we compile, beside what its vendor publishes for hand-tuned code.

    python benchmarks/chip_speed.py [--json] [--only gemm] [--every 8] [--match "n150 8 1024"]

Times come from the clock of the emulator, launches included, and no number is computed. A ratio above 1 means
that ours is faster. `--every` takes one row of so many.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.chip import gemm


def gemm_figures(every: int, match: str, quiet: bool) -> dict[str, Any]:
    chosen = [row for row in gemm.rows() if match in row.label][::every]
    lines = []
    for outcome in gemm.outcomes(chosen):
        lines.append(outcome)
        if not quiet:
            print(
                f"{outcome.ratio:5.2f}  {outcome.us:9.1f} us  {outcome.row.label}  {outcome.schedule}",
                flush=True,
            )
    ratios = [one.ratio for one in lines]
    return {
        "gemm_rows": len(lines),
        "gemm_ratio_median": round(median(ratios), 3),
        "gemm_ratio_worst": round(min(ratios), 3),
        "gemm": [
            {"row": one.row.label, "us": round(one.us, 2), "ratio": round(one.ratio, 3)} for one in lines
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--every", type=int, default=1, help="take one row of so many")
    parser.add_argument("--match", default="", help="take the rows whose label has this text")
    chosen = parser.parse_args()
    figures = gemm_figures(chosen.every, chosen.match, chosen.json)
    if chosen.json:
        print(json.dumps(figures))
    else:
        print(f"median {figures['gemm_ratio_median']}, worst {figures['gemm_ratio_worst']}")


if __name__ == "__main__":
    main()
