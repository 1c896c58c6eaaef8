"""What the vendor's simulator gave for sheets, kept beside them: the emulator can be checked without it.

Source: ttsim 1.10.0, kernels compiled by sfpi 7.71.0, run through ttnn 0.77.0. `keep` writes the files anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import tilesmith
from benchmarks.simulator.recordings import run_sheet
from benchmarks.simulator.sheets import Sheet, sheets

FOLDER = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Mismatch:
    """A call of a sheet whose result has other bits than the simulator's in `differing` bytes."""

    sheet: str
    call: str
    differing: int


def kept(chip: str) -> Mapping[str, NDArray[np.uint8]]:
    """The pages of every sheet's result, by the sheet's name."""
    with np.load(FOLDER / f"{chip}.npz") as stored:
        return {name: stored[name] for name in stored.files}


def keep(chip: str, results: Mapping[str, NDArray[np.uint8]]) -> None:
    """Writes what the simulator gave."""
    FOLDER.mkdir(exist_ok=True)
    np.savez_compressed(FOLDER / f"{chip}.npz", **dict(results))  # type: ignore[arg-type]


def check(sheet: Sheet, expected: NDArray[np.uint8], chip: str) -> Iterator[Mismatch]:
    """Runs a sheet on the emulator and compares every byte."""
    with tilesmith.open_device(chip) as device:
        pages = np.asarray(run_sheet(sheet, device).buffer.read())
    share = len(pages) // len(sheet.calls)
    for number, call in enumerate(sheet.calls):
        part = slice(number * share, (number + 1) * share)
        differing = int(np.count_nonzero(pages[part] != expected[part]))
        if differing:
            yield Mismatch(sheet.name, call.text, differing)


def check_all(chip: str) -> tuple[int, list[Mismatch]]:
    """How many calls were compared, and those that differ."""
    results = kept(chip)
    chosen = [sheet for sheet in sheets() if sheet.name in results]
    found = [one for sheet in chosen for one in check(sheet, results[sheet.name], chip)]
    return sum(len(sheet.calls) for sheet in chosen), found
