"""Is a result right? Every element within its bound, and no lean nor gain on the whole."""

from __future__ import annotations

import numpy as np

from conformance.fuzz.statements import Memory
from conformance.fuzz.values import Array, Value, half_unit, is_float, wide

_ENOUGH = 256
_GAIN = 5e-5
_SIGMAS = 8.0
_LEAN = 0.3
"""Of half a unit: rounding to nearest leaves a mean near 1/sqrt(3n) of it, truncation all of it."""


def judged(memory: Memory, found: Array, expected: Value, may_gain: bool = False) -> str:
    """What is wrong with a tensor, in one line; empty if nothing is.

    It `may_gain` where the kernel rounds ties away from zero on the way.
    """
    got = wide(found, memory.dtype)
    known = np.isfinite(expected.error)
    if not is_float(memory.dtype):
        bad = known & (got != expected.data)
        return _told(memory, got, expected, bad)
    with np.errstate(all="ignore"):
        same = (np.isnan(got) & np.isnan(expected.data)) | (got == expected.data)
        close = np.isfinite(expected.data) & (np.abs(got - expected.data) <= expected.error)
    told = _told(memory, got, expected, known & ~same & ~close)
    told = told or _lean(memory, got, expected)
    return told if told or may_gain else _gain(memory, got, expected)


def _told(memory: Memory, got: Array, expected: Value, bad: Array) -> str:
    if not bad.any():
        return ""
    at = tuple(int(index) for index in np.argwhere(bad)[0])
    return (
        f"{memory.name} ({memory.dtype}): {int(bad.sum())} of {bad.size} elements wrong; at {at}"
        f" {got[at]!r} instead of {expected.data[at]!r} +- {expected.error[at]:.3g}"
    )


def _lean(memory: Memory, got: Array, expected: Value) -> str:
    """The mean of the signed errors, in half units, where rounding is all that is allowed."""
    with np.errstate(all="ignore"):
        unit = half_unit(expected.data, memory.dtype)
        # What lies between two neighbours is rounded away from zero by the packer: no lean of the kernel's.
        plain = (
            (expected.error > 0) & (expected.error < 1.99 * unit) & np.isfinite(got) & (expected.data != 0)
        )
    if plain.sum() < _ENOUGH or np.unique(expected.data[plain]).size < _ENOUGH // 4:
        return ""
    toward = (got[plain] - expected.data[plain]) * np.sign(expected.data[plain]) / unit[plain]
    lean = float(toward.mean())
    if abs(lean) <= _LEAN:
        return ""
    return f"{memory.name} ({memory.dtype}): {plain.sum()} lean {lean:+.2f} half units away from zero"


def _gain(memory: Memory, got: Array, expected: Value) -> str:
    """How much larger float32 results are on the whole than roundings to either side would make them.

    Narrower types round half away from zero, which is a gain of its own.
    """
    if memory.dtype != "float32":
        return ""
    with np.errstate(all="ignore"):
        unsure = np.isfinite(expected.error) & (expected.error > 0) & np.isfinite(expected.data)
        size = np.abs(expected.data)
        plain = unsure & np.isfinite(got) & (size > 0)
    if plain.sum() < _ENOUGH or np.unique(expected.data[plain]).size < _ENOUGH // 4:
        return ""
    # In units of the bound, so that a few large elements do not decide.
    bound = np.where(plain, expected.error, 1.0)
    wanted = np.where(plain, expected.data, 0.0) / bound
    off = np.where(plain, got - expected.data, 0.0) / bound
    most = 4 * np.median(np.abs(wanted[plain]))
    wanted = np.clip(wanted, -most, most)
    power, gains = float((wanted**2).sum()), off * wanted
    gain = float(gains.sum()) / power
    if abs(gain) <= _GAIN + _SIGMAS * _noise((off - gain * wanted) * wanted) / power:
        return ""
    return f"{memory.name} ({memory.dtype}): a gain of {gain:+.1e} over {int(plain.sum())} elements"


def _noise(gains: Array) -> float:
    """How far the sum of random gains may be from zero; those of a line may hang together (running sums)."""
    lines = [gains.sum(axis) for axis in range(gains.ndim)] if gains.ndim > 1 else []
    return max(float(np.sqrt((one**2).sum())) for one in (gains, *lines))
