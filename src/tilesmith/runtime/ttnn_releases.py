"""The releases of ttnn that programs are handed to in the tests, and how their kernel functions differ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TESTED = ("0.77.0", "0.81.1")
COMPUTE_HEADERS = Path("tt_metal", "hw", "inc", "api", "compute")


@dataclass(frozen=True)
class Renamed:
    """A function of compute kernels that a later release declares under another name."""

    now: str
    before: str
    header: str


# Headers that the first of those releases has not: kernels that include one need a later release.
LATER_HEADERS = ("logaddexp.h", "logaddexp2.h", "eltwise_unary/mac.h", "mul_int32_sfpu.h")
RENAMED = (Renamed("copy_init", "copy_tile_init", "tile_move_copy.h"),)


def older_names(package: Path) -> Iterator[tuple[str, str]]:
    """Definitions by which kernels with today's names fit the headers of an installed ttnn.

    >>> list(older_names(Path("no such folder")))
    []
    """
    for entry in RENAMED:
        header = package / COMPUTE_HEADERS / entry.header
        if header.exists() and not re.search(rf"\b{entry.now}\(", header.read_text(encoding="utf-8")):
            yield entry.now, entry.before


def is_tested(version: str) -> bool:
    """Whether a release lies between the oldest and the newest of those.

    >>> is_tested("0.79.3"), is_tested("0.81.9"), is_tested("0.66.0"), is_tested("0.82.0")
    (True, True, False, False)
    """
    low, high = (_minor(one) for one in (TESTED[0], TESTED[-1]))
    return low <= _minor(version) <= high


def _minor(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
