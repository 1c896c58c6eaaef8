"""Comparing results: correlation, largest absolute and relative error, places of NaN and infinity together.

Correlation alone passes results that are scaled or shifted; each of the four alone passes something wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tilesmith.formats import DataFormat

Array = npt.NDArray[np.float64]

# The largest relative error of storing one value: a unit in the last place, since the packer may truncate.
_UNIT: Mapping[DataFormat, float] = {
    DataFormat.Float32: 2.0**-23,
    DataFormat.Tf32: 2.0**-10,
    DataFormat.Float16: 2.0**-10,
    DataFormat.Float16_b: 2.0**-7,
    DataFormat.Lf8: 2.0**-2,
    DataFormat.Fp8_e4m3: 2.0**-3,
}
# Here sixteen values share an exponent: the unit is relative to the largest of them.
_SHARED_UNIT: Mapping[DataFormat, float] = {
    DataFormat.Bfp8: 2.0**-6,
    DataFormat.Bfp8_b: 2.0**-6,
    DataFormat.Bfp4: 2.0**-2,
    DataFormat.Bfp4_b: 2.0**-2,
    DataFormat.Bfp2: 1.0,
    DataFormat.Bfp2_b: 1.0,
}

_NEAR_ZERO = 0.01  # of the largest magnitude
_PCC_ROUNDING = 1e-12  # of computing the correlation itself


@dataclass(frozen=True)
class Tolerance:
    """An element may be off by `relative` of itself plus `of_peak` of the largest expected magnitude.

    `absolute` comes on top, for results that are differences of larger numbers.
    """

    relative: float
    of_peak: float
    pcc: float
    absolute: float = 0.0

    @staticmethod
    def of(data_format: DataFormat, roundings: int = 0) -> Tolerance:
        """What storing in a format costs.

        `roundings` counts intermediate results, as large as the largest result, that were stored in it too.

        >>> Tolerance.of(DataFormat.Int32)
        Tolerance(relative=0.0, of_peak=0.0, pcc=1.0, absolute=0.0)
        >>> Tolerance.of(DataFormat.Float16_b, roundings=2).of_peak
        0.015625
        """
        own = _UNIT.get(data_format, 0.0)
        shared = _SHARED_UNIT.get(data_format, 0.0)
        of_peak = shared + roundings * max(own, shared)
        return Tolerance(own, of_peak, 1.0 - (own + of_peak) ** 2)


@dataclass(frozen=True)
class Comparison:
    """How far a result is from what was expected. `wrong` counts elements outside the tolerance.

    `max_rel` looks at elements of at least a hundredth of the largest magnitude.
    """

    pcc: float
    max_abs: float
    max_rel: float
    nonfinite_equal: bool
    wrong: int
    worst: tuple[int, ...]
    worst_values: tuple[float, float]
    tolerance: Tolerance

    @property
    def ok(self) -> bool:
        return self.nonfinite_equal and self.wrong == 0 and self.pcc >= self.tolerance.pcc - _PCC_ROUNDING

    def __str__(self) -> str:
        got, wanted = self.worst_values
        lines = [
            f"PCC {self.pcc:.6f} (at least {self.tolerance.pcc:.6f})",
            f"largest absolute error {self.max_abs:.3g}, relative {self.max_rel:.3g}",
            f"worst element {self.worst}: {got:.6g}, expected {wanted:.6g}",
            "NaN and infinity in the same places"
            if self.nonfinite_equal
            else "NaN or infinity in other places",
        ]
        if self.wrong:
            lines.append(f"{self.wrong} elements outside the tolerance")
        return "; ".join(lines)


def compare(result: Any, expected: Any, tolerance: Tolerance) -> Comparison:
    """Compare two arrays (numpy or torch) of one shape.

    >>> compare([1.0, 2.0], [1.0, 2.0], Tolerance.of(DataFormat.Float16_b)).ok
    True
    >>> compare([1.1, 2.2], [1.0, 2.0], Tolerance.of(DataFormat.Float16_b)).ok  # scaled: its PCC is 1
    False
    """
    got, wanted = _as_array(result), _as_array(expected)
    if got.shape != wanted.shape:
        raise AssertionError(f"shapes differ: {got.shape}, expected {wanted.shape}")
    finite = np.isfinite(wanted) & np.isfinite(got)
    error = np.zeros_like(wanted)
    np.subtract(got, wanted, out=error, where=finite)
    np.abs(error, out=error)
    size = np.where(finite, np.abs(wanted), 0.0)
    peak = float(size.max(initial=0.0))
    allowed = tolerance.relative * size + tolerance.of_peak * peak + tolerance.absolute
    worst = np.unravel_index(int(np.argmax(error - allowed)), error.shape) if error.size else ()
    return Comparison(
        pcc=_pcc(got[finite], wanted[finite]),
        max_abs=float(error.max(initial=0.0)),
        max_rel=_largest_ratio(error, size),
        nonfinite_equal=_same_nonfinite(got, wanted),
        wrong=int((error > allowed).sum()),
        worst=tuple(int(index) for index in worst),
        worst_values=(float(got[worst]), float(wanted[worst])) if error.size else (0.0, 0.0),
        tolerance=tolerance,
    )


def assert_close(result: Any, expected: Any, tolerance: Tolerance) -> None:
    """Raise AssertionError with the whole comparison unless it is within the tolerance."""
    comparison = compare(result, expected, tolerance)
    if not comparison.ok:
        raise AssertionError(str(comparison))


def _as_array(values: Any) -> Array:
    if hasattr(values, "detach"):
        values = values.detach().cpu().double().numpy()
    return np.asarray(values, dtype=np.float64)


def _largest_ratio(error: Array, size: Array) -> float:
    """Against elements near zero every error is large: they are judged by the absolute error alone."""
    counted = (size > 0.0) & (size >= _NEAR_ZERO * float(size.max(initial=0.0)))
    return float((error[counted] / size[counted]).max(initial=0.0))


def _same_nonfinite(got: Array, wanted: Array) -> bool:
    same_nan = np.array_equal(np.isnan(got), np.isnan(wanted))
    infinite = np.isinf(got) | np.isinf(wanted)
    return bool(same_nan and np.array_equal(got[infinite], wanted[infinite]))


def _pcc(got: Array, wanted: Array) -> float:
    """Pearson's correlation. Where a constant is expected it means nothing: the other measures decide."""
    if got.size == 0 or np.ptp(wanted) == 0.0:
        return 1.0
    a, b = got - got.mean(), wanted - wanted.mean()
    norm = float(np.sqrt((a * a).sum()) * np.sqrt((b * b).sum()))
    return min(1.0, float((a * b).sum()) / norm) if norm > 0.0 else 0.0
