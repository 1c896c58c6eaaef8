"""The functions of the vector unit: how each is called, what sets the unit up for it, and the header of both.

In `call`, {0}, {1} .. are the slots and then the parameters, in the order of `tt_compute.vector`. Unary
functions work in place; the others name the slot of their result last. All are meant for 32-bit slots.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

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


def _unary(name: str, header: str, template: str = "") -> VectorFunction:
    return VectorFunction(
        f"{name}_tile{template}({{0}})", f"{name}_tile_init{template}()", _unary_header(header)
    )


def _unary_header(name: str) -> str:
    return f"api/compute/eltwise_unary/{name}.h"


def _own(name: str) -> VectorFunction:
    """A function with a header of its own name."""
    return _unary(name, name)


def _general(name: str, template: str = "") -> VectorFunction:
    """A function of the header that collects those without one."""
    return VectorFunction(
        f"{name}_tile{template}({{0}})", f"{name}_tile_init{template}()", "api/compute/compute_kernel_api.h"
    )


def _rounding(name: str, rest: str = "") -> VectorFunction:
    return VectorFunction(f"{name}_tile({{0}}{rest})", "rounding_op_tile_init()", _unary_header("rounding"))


def _scalar(name: str) -> VectorFunction:
    return VectorFunction(
        f"{name}_tile({{0}}, {{1}})",
        "binop_with_scalar_tile_init()",
        _unary_header("binop_with_scalar"),
        params=("bits",),
    )


def _with_number(name: str, header: str) -> VectorFunction:
    return VectorFunction(f"{name}_tile({{0}}, {{1}})", f"{name}_tile_init()", header, params=("bits",))


def _binary(name: str, header: str = "api/compute/eltwise_binary_sfpu.h") -> VectorFunction:
    return VectorFunction(f"{name}_tile({{0}}, {{1}}, {{2}})", f"{name}_tile_init()", header, slots=3)


def _logarithm(inverse_bits: str) -> VectorFunction:
    return VectorFunction(
        f"log_with_base_tile({{0}}, {inverse_bits})",
        "log_with_base_tile_init()",
        "api/compute/compute_kernel_api.h",
    )


def _reduction(pool: str) -> VectorFunction:
    kind = f"PoolType::{pool}, DataFormat::Float32"
    return VectorFunction(
        f"sfpu_reduce<{kind}, ReduceDim::REDUCE_COL>({{0}})",
        f"sfpu_reduce_init<{kind}>()",
        "api/compute/compute_kernel_api.h",
    )


def _typecast(source: str, dest: str) -> VectorFunction:
    formats = f"<(uint32_t)DataFormat::{source}, (uint32_t)DataFormat::{dest}>"
    return VectorFunction(
        f"typecast_tile{formats}({{0}})", f"typecast_tile_init{formats}()", _unary_header("typecast")
    )


def _bitwise_and(mask: str) -> VectorFunction:
    return VectorFunction(
        f"bitwise_and_tile<DataFormat::Int32>({{0}}, {mask})",
        "bitwise_and_tile_init()",
        _unary_header("bitwise"),
    )


_TRIGONOMETRY = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh")
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")

VECTOR_FUNCTIONS: dict[str, VectorFunction] = {
    **{name: _unary(name, "trigonometry") for name in _TRIGONOMETRY},
    **{name: _general(name) for name in ("abs", "sigmoid", "tanh", "exp2", "expm1", "log", "square", "sign")},
    **{name: _own(name) for name in ("exp", "sqrt", "rsqrt", "log1p")},
    "recip": VectorFunction(
        "exact_recip_tile<false>({0}, 0)",
        "exact_recip_tile_init<false>(0)",
        _unary_header("recip"),
        helper=_EXACT_RECIPROCAL,
    ),
    # Without the macro the series behind erf is one for bf16.
    "erf": replace(_unary("erf", "erf_erfc", "<false>"), define="INP_FLOAT32"),
    "erfc": _unary("erfc", "erf_erfc"),
    "log2": _logarithm("0x3fb8aa3bu"),  # 1 / ln 2
    "log10": _logarithm("0x3ede5bd9u"),  # 1 / ln 10
    "isnan": _unary("isnan", "isinf_isnan"),
    "isinf": _unary("isinf", "isinf_isnan"),
    "isfinite": _unary("isfinite", "isinf_isnan"),
    "floor": _rounding("floor"),
    "ceil": _rounding("ceil"),
    "trunc": _rounding("trunc"),
    "round": _rounding("round", ", 0"),
    "negative": _own("negative"),
    "is_zero": _unary("eqz", "comp"),
    "add_number": _scalar("add_unary"),
    "subtract_number": _scalar("sub_unary"),
    "multiply_number": _scalar("mul_unary"),
    "subtract_from_number": _scalar("rsub_unary"),
    "max_number": _with_number("unary_max", "api/compute/compute_kernel_api.h"),
    "min_number": _with_number("unary_min", "api/compute/compute_kernel_api.h"),
    **{f"{name}_number": _with_number(f"unary_{name}", _unary_header("comp")) for name in _COMPARISONS},
    "fill": VectorFunction(
        "fill_tile_bitcast({0}, {1})", "fill_tile_init()", _unary_header("fill"), params=("bits",)
    ),
    "add_int": VectorFunction(
        "add_int_tile<DataFormat::Int32>({0}, {1}, {2})",
        "add_int_tile_init()",
        "api/compute/add_int_sfpu.h",
        slots=3,
    ),
    "float_to_int": _typecast("Float32", "Int32"),
    "int_to_float": _typecast("Int32", "Float32"),
    # The steps of rounding to float16, on the bits of a float; how they follow is in lowering/tiles/half.py.
    "shift_to_last_bit": VectorFunction(
        "right_shift_tile<DataFormat::Int32>({0}, 13)", "right_shift_tile_init()", _unary_header("shift")
    ),
    "last_bit": _bitwise_and("1"),
    "add_below_half": VectorFunction(
        "add_unary_tile_int32({0}, 0xfff)",
        "binop_with_scalar_tile_init()",
        _unary_header("binop_with_scalar"),
    ),
    "clear_13_bits": _bitwise_and("0xffffe000u"),
    "to_half_range": replace(
        _scalar("mul_unary"), call="mul_unary_tile({0}, 0x77800000u /* 2^112 */)", params=()
    ),
    "from_half_range": replace(
        _scalar("mul_unary"), call="mul_unary_tile({0}, 0x07800000u /* 2^-112 */)", params=()
    ),
    "fill_int": VectorFunction(
        "fill_tile_int<DataFormat::Int32>({0}, {1})",
        "fill_tile_init()",
        _unary_header("fill"),
        params=("int",),
    ),
    **{f"{name}": _binary(f"{name}_binary") for name in ("add", "sub", "mul", "div", *_COMPARISONS)},
    "pow": _binary("power_binary"),
    "max": _binary("binary_max", "api/compute/binary_max_min.h"),
    "min": _binary("binary_min", "api/compute/binary_max_min.h"),
    "fmod": _binary("fmod_binary", "api/compute/binary_fmod.h"),
    "atan2": _binary("atan2_binary", "api/compute/atan2.h"),
    "where": VectorFunction(
        "where_tile<DataFormat::Float32>({0}, {1}, {2}, {3})",
        "where_tile_init()",
        _unary_header("where"),
        slots=4,
    ),
    "copy_slot": VectorFunction(
        "copy_dest_values<DataFormat::Float32>({0}, {1})",
        "copy_dest_values_init()",
        "api/compute/copy_dest_values.h",
        slots=2,
    ),
    "running_sum": VectorFunction("cumsum_tile({0})", "cumsum_tile_init()", "api/compute/cumsum.h"),
    # A slot of ones times row 0 of another slot: that row all over the tile. The call for columns multiplies
    # all columns but one by zero and adds them, which makes NaN of an infinity: columns are transposed first.
    "spread_row": VectorFunction(
        "sfpu_mul_bcast_row({1}, {0})",
        "sfpu_mul_bcast_row_init()",
        "api/compute/sfpu_binary_bcast.h",
        slots=2,
    ),
    "transpose": VectorFunction(
        "transpose_dest<DST_ACCUM_MODE>({0})",
        "transpose_dest_init<DST_ACCUM_MODE>()",
        "api/compute/transpose_dest.h",
        unit="matrix",
    ),
    **{f"{pool.lower()}_columns": _reduction(pool) for pool in ("SUM", "MAX", "MIN")},
}
"""By the name `tt_compute.vector` calls them."""
