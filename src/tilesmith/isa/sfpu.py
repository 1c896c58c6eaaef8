"""The functions of the vector unit: how each is called, what sets the unit up for it, and the header of both.

In `call`, {0}, {1} .. are the slots and then the parameters, in the order of `tt_compute.vector`. Unary
functions work in place; the others name the slot of their result last. All are meant for 32-bit slots.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from tilesmith.isa.tile_functions import header_of, init_of

Param = Literal["bits", "int", "float"]
Unit = Literal["vector", "matrix"]


@dataclass(frozen=True)
class VectorFunction:
    """One function: its call, its init, its header and a macro the header wants; its slots and parameters.

    `helper` is what the kernel itself must define for it, `unit` what must be set up for it.
    """

    call: str
    init: str
    header: str
    slots: int = 1
    params: tuple[Param, ...] = ()
    define: str = ""
    helper: str = ""
    unit: Unit = "vector"


# Kernels of operations include the same file.
_EXACT_RECIPROCAL = Path(__file__).with_name("exact_recip.hpp").read_text(encoding="utf-8")


def _function(
    call: str,
    slots: int = 1,
    params: tuple[Param, ...] = (),
    define: str = "",
    helper: str = "",
    unit: Unit = "vector",
) -> VectorFunction:
    """A call, with the header and the init that `tile_functions` has for it."""
    return VectorFunction(call, init_of(call), header_of(call), slots, params, define, helper, unit)


def _unary(name: str) -> VectorFunction:
    return _function(f"{name}_tile({{0}})")


def _with_number(name: str) -> VectorFunction:
    return _function(f"{name}_tile({{0}}, {{1}})", params=("bits",))


def _binary(name: str) -> VectorFunction:
    return _function(f"{name}_tile({{0}}, {{1}}, {{2}})", slots=3)


def _reduction(pool: str) -> VectorFunction:
    arguments = f"PoolType::{pool}, DataFormat::Float32"
    function = _function(f"sfpu_reduce<{arguments}, ReduceDim::REDUCE_COL>({{0}})")
    return replace(function, init=f"sfpu_reduce_init<{arguments}>()")


def _typecast(source: str, dest: str) -> VectorFunction:
    return _function(f"typecast_tile<(uint32_t)DataFormat::{source}, (uint32_t)DataFormat::{dest}>({{0}})")


_TRIGONOMETRY = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh")
_SIMPLE = ("abs", "sigmoid", "tanh", "exp2", "expm1", "log", "square", "sign", "negative")
_OTHERS = ("exp", "sqrt", "rsqrt", "log1p", "erfc", "isnan", "isinf", "isfinite", "floor", "ceil", "trunc")
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")

VECTOR_FUNCTIONS: dict[str, VectorFunction] = {
    **{name: _unary(name) for name in (*_TRIGONOMETRY, *_SIMPLE, *_OTHERS)},
    "recip": _function("exact_recip_tile<false>({0}, 0)", helper=_EXACT_RECIPROCAL),
    # Without the macro the series behind erf is one for bf16.
    "erf": _function("erf_tile<false>({0})", define="INP_FLOAT32"),
    "exp_approximate": _function("exp_tile<true>({0})"),
    "gelu_approximate": _function("gelu_tile<true>({0})"),
    "log2": _function("log_with_base_tile({0}, 0x3fb8aa3bu)"),  # 1 / ln 2
    "log10": _function("log_with_base_tile({0}, 0x3ede5bd9u)"),  # 1 / ln 10
    "round": _function("round_tile({0}, 0)"),
    "is_zero": _unary("eqz"),
    "add_number": _with_number("add_unary"),
    "subtract_number": _with_number("sub_unary"),
    "multiply_number": _with_number("mul_unary"),
    "subtract_from_number": _with_number("rsub_unary"),
    "max_number": _with_number("unary_max"),
    "min_number": _with_number("unary_min"),
    **{f"{name}_number": _with_number(f"unary_{name}") for name in _COMPARISONS},
    "fill": _function("fill_tile_bitcast({0}, {1})", params=("bits",)),
    "add_int": _function("add_int_tile<DataFormat::Int32>({0}, {1}, {2})", slots=3),
    "float_to_int": _typecast("Float32", "Int32"),
    "int_to_float": _typecast("Int32", "Float32"),
    "to_bfloat16": _typecast("Float32", "Float16_b"),
    # The steps of rounding to float16 and to float8, on the bits of a float; how they follow is in
    # lowering/tiles/half.py and float8.py.
    "one_to_nan_halved": _function("mul_unary_tile({0}, 0x3fe00000u /* 1.75 */)"),
    "double_bits": _function("left_shift_tile<DataFormat::Int32>({0}, 1)"),
    "shift_to_last_bit": _function("right_shift_tile<DataFormat::Int32>({0}, 13)"),
    "last_bit": _function("bitwise_and_tile<DataFormat::Int32>({0}, 1)"),
    "add_below_half": _function("add_unary_tile_int32({0}, 0xfff)"),
    "clear_13_bits": _function("bitwise_and_tile<DataFormat::Int32>({0}, 0xffffe000u)"),
    "to_half_range": _function("mul_unary_tile({0}, 0x77800000u /* 2^112 */)"),
    "from_half_range": _function("mul_unary_tile({0}, 0x07800000u /* 2^-112 */)"),
    "exponent_bits": _function("bitwise_and_tile<DataFormat::Int32>({0}, 0x7f800000u)"),
    "fill_int": _function("fill_tile_int<DataFormat::Int32>({0}, {1})", params=("int",)),
    **{name: _binary(f"{name}_binary") for name in ("add", "sub", "mul", "div", *_COMPARISONS)},
    "pow": _binary("power_binary"),
    "max": _binary("binary_max"),
    "min": _binary("binary_min"),
    "fmod": _binary("fmod_binary"),
    "atan2": _binary("atan2_binary"),
    "where": _function("where_tile<DataFormat::Float32>({0}, {1}, {2}, {3})", slots=4),
    "copy_slot": _function("copy_dest_values<DataFormat::Float32>({0}, {1})", slots=2),
    "running_sum": _function("cumsum_tile({0})"),
    # A slot of ones times row 0 of another slot: that row all over the tile. The call for columns multiplies
    # all columns but one by zero and adds them, which makes NaN of an infinity: columns are transposed first.
    "spread_row": _function("sfpu_mul_bcast_row({1}, {0})", slots=2),
    "transpose": _function("transpose_dest<DST_ACCUM_MODE>({0})", unit="matrix"),
    **{f"{pool.lower()}_columns": _reduction(pool) for pool in ("SUM", "MAX", "MIN")},
}
"""By the name `tt_compute.vector` calls them."""
