"""Floats of 8 bits that kernels compute: how many bits they have, and their largest and smallest numbers."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import Float8E4M3FNType, Float8E5M2Type
from xdsl.ir import Attribute


@dataclass(frozen=True)
class Float8:
    """`function` rounds to it in `tile.fn`; `storage` is how scalar code stores it in the word of a float.

    Conversions saturate, to nearest even; NaN stays. `mantissa` counts the bits below the leading one,
    `lowest` is the exponent of the smallest number that has them all.
    """

    function: str
    storage: str
    mantissa: int
    lowest: int
    largest: float


FLOAT8: dict[type[Attribute], Float8] = {
    Float8E4M3FNType: Float8("float8_e4m3", "Float8E4M3", 3, -6, 448.0),
    Float8E5M2Type: Float8("float8_e5m2", "Float8E5M2", 2, -14, 57344.0),
}
NAMES = {"float8_e4m3": "float8_e4m3", "float8_e4m3fn": "float8_e4m3", "float8_e5m2": "float8_e5m2"}
"""The functions by the names TileLang has for the types."""


def float8_of(element: Attribute) -> Float8 | None:
    return FLOAT8.get(type(element))
