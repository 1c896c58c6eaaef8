"""How fast the chip would be with what we compile, beside what its vendor publishes for hand-tuned code.

    python benchmarks/chip_speed.py --json                            both parts, as one object
    python benchmarks/chip_speed.py --only gemm [--every 8] [--match "n150 8 1024"]
    python benchmarks/chip_speed.py --only models                     or one: --only resnet50_b16 --kernels
    python benchmarks/chip_speed.py --only bert --formats published   in the formats of the published figure

Times come from the clock of the emulator, and no number is computed. A ratio above 1 means that ours
is faster. Those of `gemm` include the launch, as the published ones do; those of `models` do not.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.published_cases import Formats

from benchmarks.chip import gemm, models


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


def model_figures(given: argparse.Namespace) -> dict[str, Any]:
    """Each model with our default formats, and with those of its published figure."""
    rows: list[dict[str, Any]] = []
    for case in models.chosen_cases("" if given.only == "models" else given.only):
        wanted: list[Formats] = [{}] if given.formats != "published" else []
        wanted += [case.formats] if given.formats != "default" and case.formats else []
        for formats in wanted or [{}]:
            made = models.figures(case, formats, given.level)
            rows.append(made.row())
            if not given.json:
                print(_model_line(made), flush=True)
            if given.kernels:
                rows[-1]["kernels"] = models.kernel_rows(made)
                _print_kernels(rows[-1]["kernels"], given.json)
    ratios = {"models_ratio_worst": [one["ratio"] for one in rows if not one["formats"]]}
    ratios["models_ratio_worst_published_formats"] = [one["ratio"] for one in rows if one["formats"]]
    return {**{name: min(found) for name, found in ratios.items() if found}, "models": rows}


def _model_line(made: models.Figures) -> str:
    where = ", ".join(f"{name} {us:.0f}" for name, us in list(made.families.items())[:5])
    formats = " ".join(made.formats.values()) or "bfloat16 HiFi4"
    return (
        f"{made.ratio:5.2f}  {made.us:9.1f} us  {made.case.published_us:9.1f} published  "
        f"{made.limit_us / made.us:5.1%} of the limit  {made.launches} launches {made.launch_us:.0f} us  "
        f"{made.host_operators} on the host  {made.case.name} [{formats}]  {where}"
    )


def _print_kernels(rows: list[dict[str, Any]], quiet: bool) -> None:
    for one in rows if not quiet else ():
        print(
            f"    {one['total_us']:9.1f} us  {one['count']:3} x {one['us']:8.1f}  {one['name']:14} ", end=""
        )
        print(f"{one['ops'][:60]:60}  {one['schedule']}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--only", default="", help="gemm, models, or the models whose name has this in it")
    parser.add_argument("--every", type=int, default=1, help="take one row of the GEMMs of so many")
    parser.add_argument("--match", default="", help="take the GEMMs whose label has this text")
    parser.add_argument("--formats", choices=("default", "published", "both"), default="both")
    parser.add_argument("--level", default="O2", help="the optimisation level of models")
    parser.add_argument("--kernels", action="store_true", help="list every kernel of a model")
    given = parser.parse_args()
    figures: dict[str, Any] = {}
    if given.only in ("", "gemm"):
        figures |= gemm_figures(given.every, given.match, given.json)
    if given.only != "gemm":
        figures |= model_figures(given)
    if given.json:
        print(json.dumps(figures))
    else:
        print({name: value for name, value in figures.items() if not isinstance(value, list)})


if __name__ == "__main__":
    main()
