"""What the matrix unit makes of a product of matrices: operands as it reads them, sums as it rounds them.

The second operand lies in SrcA, whose multiplier takes five bits of the mantissa and then five more; the
first lies in SrcB, which takes seven and then four. Eight products at a time are brought to the largest
exponent among them and rounded to ten bits below it, half away from zero, once for each of four phases. Ties
are frequent there, and make sums larger by 4e-5 on the whole: what the unit adds up is computed, not bounded.
What they add up to goes to a 32-bit DST.
"""

from __future__ import annotations

import numpy as np

from conformance.fuzz.values import FLUSHED, Array, Value

_GROUP = 8
_UPPER = (6, 4)
"""Bits below the leading one that the first phase multiplies of the first operand and of the second."""
_PHASES = 1 + 2.0**-5 + 2.0**-7 + 2.0**-12
"""What rounding in all phases adds up to, in units of the first."""
_BITS = {"bfloat16": (7, 7), "float16": (10, 9), "float32": (10, 9)}
"""Bits of the mantissa that are read of the first operand and of the second."""


def product(a: Value, b: Value, dtype: str) -> Value:
    """Sums of products, and how far the unit may be from them. Infinities and NaN make no sense here."""
    x, y = (_read(one, bits) for one, bits in zip((a, b), _BITS[dtype], strict=True))
    size = np.abs(x.data) @ np.abs(y.data)
    moved = x.error @ np.abs(y.data) + np.abs(x.data) @ y.error + x.error @ y.error
    additions = 4 * (-(-x.data.shape[1] // 16)) + 4
    # Where operands are known, so is what is rounded; elsewhere other bits may be cut off.
    unsure = (x.error > 0).any(1, keepdims=True) | (y.error > 0).any(0, keepdims=True)
    aligned = np.where(unsure, _alignment(x, y), 0.0)
    # Three terms are aligned and one result rounded by each addition in DST, and each may be twice the sum.
    return Value(_sums(x, y), moved + aligned + size * additions * 2.0**-21)


def _sums(x: Value, y: Value) -> Array:
    """What the unit adds up, group by group and phase by phase."""
    left, right = _exponents(Value.exact(x.data)), _exponents(Value.exact(y.data))
    phases = [(one, other) for one in _parts(x.data, _UPPER[0]) for other in _parts(y.data, _UPPER[1])]
    scales = (1.0, 2.0**-5, 2.0**-7, 2.0**-12)
    total = np.zeros((x.data.shape[0], y.data.shape[1]))
    for first in range(0, x.data.shape[1], _GROUP):
        part = slice(first, first + _GROUP)
        most = (left[:, part, None] + right[None, part, :]).max(1)
        unit = np.ldexp(1.0, np.maximum(most, -900) - 10)[:, None, :]
        for (one, other), scale in zip(phases, scales, strict=True):
            terms = one[:, part, None] * other[None, part, :] / (unit * scale)
            total += (np.sign(terms) * np.floor(np.abs(terms) + 0.5)).sum(1) * unit[:, 0] * scale
    return total


def _parts(data: Array, bits: int) -> tuple[Array, Array]:
    """The upper bits of the mantissas, and the others."""
    unit = np.ldexp(1.0, np.frexp(data)[1] - 1 - bits)
    upper = np.trunc(data / unit) * unit
    return upper, data - upper


def _read(operand: Value, bits: int) -> Value:
    """The operand cut to so many bits below the leading one; a denormal number is zero."""
    exponent = np.frexp(operand.data)[1] - 1
    unit = np.ldexp(1.0, exponent - bits)
    cut = np.where(np.abs(operand.data) < FLUSHED, 0.0, np.trunc(operand.data / unit) * unit)
    # Where the operand is not known for sure the cut may fall one unit further off.
    unsure = (operand.error > 0) & (cut != operand.data) | (operand.error >= unit)
    return Value(cut, operand.error + np.where(unsure, unit, 0.0))


def _alignment(x: Value, y: Value) -> Array:
    rows, inner = x.data.shape
    groups = -(-inner // _GROUP)
    left = np.full((rows, groups * _GROUP), -4096)
    right = np.full((groups * _GROUP, y.data.shape[1]), -4096)
    left[:, :inner], right[:inner] = _exponents(x), _exponents(y)
    total = np.zeros((rows, y.data.shape[1]))
    for group in range(groups):
        part = slice(group * _GROUP, group * _GROUP + _GROUP)
        exponents = left[:, part, None] + right[None, part, :]
        most = exponents.max(1)
        # Products at the largest exponent keep all bits; those that are nothing have none to lose.
        shifted = ((exponents < most[:, None, :]) & (exponents > -4000)).sum(1)
        total += np.where(most > -4000, shifted * np.ldexp(0.5, np.maximum(most, -900) - 10), 0.0)
    return total * _PHASES


def _exponents(operand: Value) -> Array:
    most = np.abs(operand.data) + operand.error
    return np.where(most == 0, -4096, np.frexp(most)[1] - 1)
