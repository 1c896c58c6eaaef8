"""The releases of ttnn that programs are handed to in the tests."""

from __future__ import annotations

TESTED = ("0.77.0", "0.81.1")


def is_tested(version: str) -> bool:
    """Whether a release lies between the oldest and the newest of those.

    >>> is_tested("0.79.3"), is_tested("0.81.9"), is_tested("0.66.0"), is_tested("0.82.0")
    (True, True, False, False)
    """
    low, high = (_minor(one) for one in (TESTED[0], TESTED[-1]))
    return low <= _minor(version) <= high


def _minor(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
