"""What the vendor's simulator gave for batches, stored beside them: the emulator can be checked without it.

Source: ttsim 1.10.0, kernels compiled by sfpi 7.71.0, run through ttnn 0.77.0. `store` writes the files anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import tilesmith
from conformance.simulator.batches import Batch, batches
from conformance.simulator.recordings import run_batch

FOLDER = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Mismatch:
    """A call of a batch whose result has other bits than the simulator's in `differing` bytes."""

    batch: str
    call: str
    differing: int


def golden(chip: str) -> Mapping[str, NDArray[np.uint8]]:
    """The pages of every batch's result, by the batch's name."""
    with np.load(FOLDER / f"{chip}.npz") as stored:
        return {name: stored[name] for name in stored.files}


def store(chip: str, results: Mapping[str, NDArray[np.uint8]]) -> None:
    """Writes what the simulator gave."""
    FOLDER.mkdir(exist_ok=True)
    np.savez_compressed(FOLDER / f"{chip}.npz", **dict(results))  # type: ignore[arg-type]


def check(batch: Batch, expected: NDArray[np.uint8], chip: str) -> Iterator[Mismatch]:
    """Runs a batch on the emulator and compares every byte."""
    with tilesmith.open_device(chip) as device:
        pages = np.asarray(run_batch(batch, device).buffer.read())
    share = len(pages) // len(batch.calls)
    for number, call in enumerate(batch.calls):
        part = slice(number * share, (number + 1) * share)
        differing = int(np.count_nonzero(pages[part] != expected[part]))
        if differing:
            yield Mismatch(batch.name, call.text, differing)


def check_all(chip: str) -> tuple[int, list[Mismatch]]:
    """How many calls were compared, and those that differ."""
    results = golden(chip)
    chosen = [batch for batch in batches() if batch.name in results]
    found = [one for batch in chosen for one in check(batch, results[batch.name], chip)]
    return sum(len(batch.calls) for batch in chosen), found
