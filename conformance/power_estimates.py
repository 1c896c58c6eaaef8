"""Estimated power of an idle chip, a copy and a matrix product on both boards, beside their published limits.

    python conformance/power_estimates.py [--size 2048]

prints the table of docs/profiling.md. The clock says what is busy; the product is an nn.Linear at O2.
"""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import tilelang.language as T  # noqa: N812
import torch

import tilesmith
from tilesmith import settings
from tilesmith.arch import load_arch
from tilesmith.profiling.power import Activity, Power, estimate, power_of
from tilesmith.profiling.report import Chip

BOARDS = ("n150", "p150")


@dataclass(frozen=True)
class Row:
    """One estimate. `busy` is the part of its peak that what the work is about reached."""

    board: str
    work: str
    busy: float
    power: Power


def copy(size: int, block: int = 128, dtype: str = "bfloat16") -> Any:
    @T.prim_func
    def copy_kernel(x: T.Tensor((size, size), dtype), y: T.Tensor((size, size), dtype)):
        with T.Kernel(size // block, size // block, threads=128) as (bx, by):
            held = T.alloc_shared((block, block), dtype)
            T.copy(x[by * block, bx * block], held)
            T.copy(held, y[by * block, bx * block])

    return copy_kernel


def rows(size: int, boards: tuple[str, ...] = BOARDS) -> Iterator[Row]:
    """Idle, a copy of a square matrix, and a product of two, in HiFi4."""
    x = torch.zeros(size, size, dtype=torch.bfloat16)
    for board in boards:
        yield Row(board, "idle", 0.0, estimate(Chip.of(load_arch(board)), Activity()))
        with settings.using(checks="off", numbers="none"):
            copied = tilesmith.compile(copy(size), target=board).profile(x)
        layer = torch.nn.Linear(size, size, bias=False).eval()
        multiplied = tilesmith.compile(layer, target=board, checks="off", numbers="fast").profile(x.float())
        for work, profile in (("copy", copied), ("product", multiplied)):
            use, power = profile.programs[0].utilisation, power_of(profile)
            assert power is not None
            yield Row(board, work, use.dram if work == "copy" else use.matrix, power)


def table(found: list[Row]) -> str:
    """As Markdown, a line for each board."""
    header = (
        "board",
        "published limit",
        "idle",
        "a copy (of DRAM's peak)",
        "a product in HiFi4 (of the matrix peak)",
    )
    lines = [f"| {' | '.join(header)} |", "|--|--|--|--|--|"]
    for board in dict.fromkeys(row.board for row in found):
        mine = [row for row in found if row.board == board]
        cells = [f"{row.power.watts:.0f} W ({row.power.low:.0f} to {row.power.high:.0f})" for row in mine]
        cells = [
            cell + (f" ({row.busy:.0%})" if row.busy else "") for cell, row in zip(cells, mine, strict=True)
        ]
        lines.append(f"| {' | '.join([board, f'{mine[0].power.limit:.0f} W', *cells])} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=2048)
    print(table(list(rows(parser.parse_args().size))))


if __name__ == "__main__":
    main()
