"""How far a result may be from torch's: what storing in the formats costs."""

from __future__ import annotations

from collections.abc import Sequence

from tilesmith.ops.dtypes import DataType
from tilesmith.testing.compare import Tolerance

# relative, share of the largest magnitude
_STORED = {
    "bfloat16": (2**-7, 2**-8),
    "float32": (2**-16, 2**-17),
    "bfloat8_b": (2**-6, 2**-6),
    "bfloat4_b": (2**-2, 2**-2),
}
_PRODUCTS = ("matmul", "linear", "addmm")
# Functions whose series on the vector unit have fewer digits than float32: the larger error of the two chips.
_SERIES = {
    "tanhshrink": 2**-12,
    "erf": 2**-6,
    "erfc": 2**-7,
    "log_sigmoid": 2**-7,
    "i1": 2**-8,
    "erfinv": 2**-9,
    "softcap": 2**-9,
    "softplus": 2**-8,
    "xlogy": 2**-8,
}
# Functions that make the error of an intermediate result larger.
_STEEP = ("squared_difference",)


def tolerance(operation: str, output: DataType, inputs: Sequence[str]) -> Tolerance:
    """For a result in a dtype, made of inputs in others."""
    kinds = [name for name in (output.name.lower(), *inputs) if name in _STORED]
    if output.is_integer or not kinds:
        return Tolerance(0.0, 0.0, 1.0)
    relative, of_peak = (max(column) for column in zip(*(_STORED[kind] for kind in kinds), strict=True))
    if operation in _PRODUCTS:
        # The matrix engine keeps ten bits of a float32's mantissa.
        relative, of_peak = max(relative, 2**-9), max(of_peak, 2**-9)
    of_peak = max(of_peak, _SERIES.get(operation, 0.0))
    if operation in _STEEP:
        relative *= 3
    return Tolerance(relative, of_peak, 1.0 - 4 * (relative + of_peak) ** 2)
