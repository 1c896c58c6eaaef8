"""Rounding to float8 in scalar code."""

from __future__ import annotations

from tilesmith.compiler.codegen.cpp import Emitter
from tilesmith.compiler.dialects.float8 import Float8

_TO_FLOAT8 = """
// Rounded to float8, to nearest even and to at most {largest}; NaN stays. What is added follows the exponent.
inline float to_{name}(float value) {{
    if (value != value) return value;
    if (value > {largest}f) return {largest}f;
    if (value < -{largest}f) return -{largest}f;
    const float power = __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, value) & 0x7F800000);
    const float offset = (power < 0x1p{lowest}f ? 0x1p{lowest}f : power) * 0x1.8p{bits}f;
    return (value + offset) - offset;
}}
"""


def need_float8(e: Emitter, format: Float8) -> None:
    """Let the kernel have the function `to_...` of a float8 format."""
    name = f"to_{format.function}"
    text = _TO_FLOAT8.format(
        name=format.function, largest=format.largest, lowest=format.lowest, bits=23 - format.mantissa
    )
    e.helper(name, text)
