"""How far the virtual clock is from silicon: published measurements, run again on the emulator.

    python benchmarks/timing_accuracy.py [--json] [--only gemm,noc,...] [--no-rows]

Errors are fractions of the measurement. `taken` are rows that figures of the arch data were taken from,
`held out` are the others. The largest GEMMs come from a closed form of the same model: runs with fewer
blocks, extended along the number of blocks; it is checked in the same run against rows emulated in full.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.timing import ccl, compute, gemm, launch, noc
from conformance.timing.closed_form import FULL_LIMIT, extended, is_extendable
from conformance.timing.ops.rows import op_outcomes
from conformance.timing.rows import Outcome, median_error, noc_rows, p90_error

from tilesmith.arch import load_arch
from tilesmith.runtime import Device, open_device

BOARDS = {"wormhole": "n150", "blackhole": "p150"}


def say(text: str) -> None:
    print(text, flush=True)


class Boards:
    """One open device per board."""

    def __init__(self) -> None:
        self._devices: dict[str, Device] = {}

    def __call__(self, name: str) -> Device:
        if name not in self._devices:
            self._devices[name] = open_device(name)
        return self._devices[name]

    def close(self) -> None:
        for device in self._devices.values():
            device.close()


def gemm_outcomes(boards: Boards) -> Iterator[Outcome]:
    for row in gemm.gemm_rows():
        large = row.work > FULL_LIMIT
        cycles = extended(boards(row.product), row) if large else gemm.emulate(boards(row.product), row)
        yield Outcome(row.label + (" (closed form)" if large else ""), row.taken, row.cycles, cycles)


def closed_form_outcomes(boards: Boards) -> Iterator[Outcome]:
    """The closed form against the emulator itself, on rows that are small enough for both."""
    for row in gemm.gemm_rows():
        if row.work <= FULL_LIMIT and is_extendable(row):
            device = boards(row.product)
            yield Outcome(row.label, False, gemm.emulate(device, row), extended(device, row))


def noc_outcomes(boards: Boards) -> Iterator[Outcome]:
    for row in noc_rows():
        yield noc.run_row(boards(noc.CHIPS[row.arch]), row)


def launch_outcomes(_: Boards) -> Iterator[Outcome]:
    for row in launch.launch_rows():
        yield launch.run_launch(load_arch(BOARDS[row["arch"]]), row)


def tilize_outcomes(boards: Boards) -> Iterator[Outcome]:
    for row in compute.tilize_rows():
        yield compute.run_tilize(boards(BOARDS[row["arch"]]), row)


def sfpu_outcomes(boards: Boards) -> Iterator[Outcome]:
    for row in compute.sfpu_rows():
        yield compute.run_sfpu(boards(BOARDS[row["arch"]]), row)


def ccl_outcomes(_: Boards) -> Iterator[Outcome]:
    return (ccl.run_row(row) for row in ccl.ccl_rows() if ccl.is_of_one_mesh(row))


def ccl_galaxy_outcomes(_: Boards) -> Iterator[Outcome]:
    """Rows measured while every chip of a Galaxy sends, on one of its rows or columns here: told apart."""
    return (ccl.run_row(row) for row in ccl.ccl_rows() if not ccl.is_of_one_mesh(row))


def ops_outcomes(_: Boards) -> Iterator[Outcome]:
    return op_outcomes()


PARTS: dict[str, Callable[[Boards], Iterator[Outcome]]] = {
    "gemm": gemm_outcomes,
    "closed_form": closed_form_outcomes,
    "noc": noc_outcomes,
    "launch": launch_outcomes,
    "tilize": tilize_outcomes,
    "sfpu": sfpu_outcomes,
    "ops": ops_outcomes,
    "ccl": ccl_outcomes,
    "ccl_galaxy": ccl_galaxy_outcomes,
}


def show_rows(outcomes: Sequence[Outcome]) -> None:
    for one in outcomes:
        kind = "taken" if one.taken else "held out"
        say(
            f"{one.error:+7.1%}  measured {one.measured:12.1f}  predicted {one.predicted:12.1f}  "
            f"{kind:8}  {one.label}"
        )


def show_groups(outcomes: Sequence[Outcome]) -> None:
    groups: dict[str, list[Outcome]] = {}
    for one in outcomes:
        groups.setdefault(one.group, []).append(one)
    for name, members in groups.items():
        if name:
            say(
                f"  median {median_error(members):6.1%}  p90 {p90_error(members):6.1%}  "
                f"{len(members):4} rows  {name}"
            )


def summary(name: str, outcomes: Sequence[Outcome]) -> dict[str, float]:
    taken, held_out = [o for o in outcomes if o.taken], [o for o in outcomes if not o.taken]
    figures: dict[str, float] = {}
    for kind, part in (("", outcomes), ("_taken", taken), ("_held_out", held_out)):
        say(f"{name}{kind}: {len(part)} rows, median {median_error(part):.1%}, p90 {p90_error(part):.1%}")
        figures |= {
            f"{name}{kind}_rows": len(part),
            f"{name}{kind}_median_err": median_error(part),
            f"{name}{kind}_p90_err": p90_error(part),
        }
    return figures


def by_family(outcomes: Sequence[Outcome]) -> dict[str, object]:
    """The median error of each family of operations, and every row."""
    families: dict[str, list[Outcome]] = {}
    for one in outcomes:
        families.setdefault(one.group, []).append(one)
    return {
        "ops": [
            {"name": one.label, "family": one.group, "published_ns": one.measured, "taken": one.taken}
            | {"predicted_ns": round(one.predicted, 1)}
            for one in outcomes
        ],
        "ops_families": {name: round(median_error(members), 4) for name, members in families.items()},
        "ops_measurements": len({(one.group, one.measured, one.predicted) for one in outcomes}),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--json", action="store_true", help="the last line is a JSON object; errors are fractions"
    )
    parser.add_argument("--only", default=",".join(PARTS), help="parts, separated by commas")
    parser.add_argument("--no-rows", action="store_true", help="totals only")
    options = parser.parse_args()
    boards, figures = Boards(), dict[str, Any]()
    for name in options.only.split(","):
        start = time.monotonic()
        outcomes = list(PARTS[name](boards))
        if not options.no_rows:
            show_rows(outcomes)
        show_groups(outcomes)
        figures |= summary(name, outcomes)
        if name == "ops":
            figures |= by_family(outcomes)
        say(f"{name}: {time.monotonic() - start:.0f} s\n")
    boards.close()
    if options.json:
        print(
            json.dumps(
                {
                    key: round(value, 4) if isinstance(value, float) else value
                    for key, value in figures.items()
                }
            )
        )


if __name__ == "__main__":
    main()
