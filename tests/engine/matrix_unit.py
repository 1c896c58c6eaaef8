"""The matrix unit one datum at a time, in plain integers: what the engine's vector code must agree with."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass


def bits_of(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def float_of(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])


@dataclass(frozen=True)
class Term:
    """A sum of products: sign, exponent, and a magnitude in which 2**23 is one."""

    negative: bool
    exponent: int
    magnitude: int


NOTHING = Term(False, 0, 0)


def product(a: int, b: int, phase: int) -> Term:
    """SrcA's five bits times SrcB's seven, in one fidelity phase."""
    exponent_a, exponent_b = a >> 23 & 255, b >> 23 & 255
    if not exponent_a or not exponent_b:
        return NOTHING
    mantissa_a, mantissa_b = a >> 13 & 0x3FF | 0x400, b >> 13 & 0x3FF | 0x400
    five = mantissa_a >> 1 & 31 if phase & 1 else mantissa_a >> 6
    seven = (mantissa_b & 15) << 3 if phase & 2 else mantissa_b >> 4
    exponent = exponent_a + exponent_b - 127 - (5 if phase & 1 else 0) - (7 if phase & 2 else 0)
    return Term(bool((a ^ b) >> 31), exponent, five * seven)


def group(products: Sequence[Term]) -> Term:
    """Eight products at their largest exponent, each rounded half away from zero."""
    exponent = max(one.exponent for one in products)
    if exponent <= 0:
        return NOTHING
    total = 0
    for one in products:
        distance = exponent - one.exponent
        rounded = (2 * one.magnitude + (1 << distance)) >> (distance + 1)
        total += -rounded if one.negative else rounded
    return Term(total < 0, exponent, abs(total) << 13)


def accumulate(terms: Sequence[Term], dst: int, wide: bool) -> int:
    """DST plus the terms, as Wormhole adds them."""
    dst_exponent = dst >> 23 & 255
    old = Term(bool(dst >> 31), dst_exponent, dst & 0x7FFFFF | 0x800000 if dst_exponent else 0)
    exponent = max(dst_exponent, *(term.exponent for term in terms))
    if exponent <= 0:
        return 0
    total = 0
    for term in (old, *terms):
        pull = int(term.negative and term is not old)
        distance = exponent - term.exponent
        magnitude = term.magnitude
        if distance:
            magnitude = (magnitude + (1 << (distance - 1)) - pull) >> distance if distance < 31 else 0
        if not wide:
            magnitude = (magnitude + (1 << 12) - pull) & ~0x1FFF
        total += -magnitude if term.negative else magnitude
    return _encode(total, exponent, wide)


def _encode(total: int, exponent: int, wide: bool) -> int:
    sign, magnitude = int(total < 0), abs(total)
    if not magnitude:
        return 0
    shift = 24 - magnitude.bit_length()
    if wide and sign and magnitude == 1:  # Wormhole's leading-sign counter misreads this one
        shift -= 27
    exponent -= shift
    drop = (0 if wide else 16) - shift
    mantissa = (magnitude + (1 << (drop - 1))) >> drop if drop > 0 else magnitude << -drop
    mantissa <<= 0 if wide else 16
    if mantissa & 0x1000000:
        exponent += 1
    if exponent <= 0:
        return 0
    if exponent >= 255:
        return sign << 31 | 255 << 23
    return sign << 31 | exponent << 23 | mantissa & 0x7FFFFF


def matmul(row: Sequence[float], column: Sequence[float], phases: int, wide: bool) -> float:
    """One element of a 32x32x32 product: in0 is SrcB, in1 is SrcA."""
    dst = 0
    for phase in range(phases):
        for half in range(0, 32, 16):
            groups = []
            for start in (half, half + 8):
                pairs = zip(column[start : start + 8], row[start : start + 8], strict=True)
                groups.append(group([product(bits_of(a), bits_of(b), phase) for a, b in pairs]))
            dst = accumulate(groups, dst, wide)
    return float_of(dst)


def multiply(a: float, b: float, phases: int, wide: bool) -> float:
    """One element of mul_tiles: in0 is SrcA, in1 is SrcB."""
    dst = 0
    for phase in range(phases):
        term = product(bits_of(a), bits_of(b), phase)
        alive = term.magnitude and term.exponent > 0
        dst = accumulate(
            [Term(term.negative, term.exponent, term.magnitude << 13) if alive else NOTHING], dst, wide
        )
    return float_of(dst)
