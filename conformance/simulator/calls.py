"""Calls of the vector unit: a header of the vendor's and the text of the call, on DST 0 (and 1, and 2)."""

from __future__ import annotations

from dataclasses import dataclass

from tilesmith.isa.tile_functions import header_of, init_of

# Bit patterns of the arguments.
HALF, ONE, TWO, THREE = "0x3f000000", "0x3f800000", "0x40000000", "0x40400000"
TENTH, MINUS_ONE, TWENTY = "0x3dcccccd", "0xbf800000", "0x41a00000"
DIVISOR = "0x3f333333, 0x3fb6db6e"  # 0.7 and one over it
API, COMPARE = "compute_kernel_api.h", "eltwise_unary/comp.h"
SCALAR = "eltwise_unary/binop_with_scalar.h"


@dataclass(frozen=True)
class Call:
    """`after` runs when the result is packed, by `pack`."""

    header: str
    text: str
    after: str = ""
    pack: str = "pack_tile(0, 16);"


def _plain(header: str, name: str, *arguments: str, template: str = "", init: str | None = None) -> Call:
    made = f"<{template}>" if template else ""
    start = f"{name}_init{made}();" if init is None else init
    return Call(header, f"{start} {name}{made}({', '.join(('0', *arguments))});")


def _function(name: str, *arguments: str, template: str = "") -> Call:
    """A function of the table, whose header and init it knows."""
    made = f"<{template}>" if template else ""
    call = f"{name}{made}({', '.join(('0', *arguments))})"
    return Call(header_of(call).removeprefix("api/compute/"), f"{init_of(call)}; {call};")


def _functions(*names: str) -> tuple[Call, ...]:
    return tuple(_function(f"{name}_tile") for name in names)


def _group(header: str, *names: str) -> tuple[Call, ...]:
    return tuple(_plain(header, f"{name}_tile") for name in names)


UNARY: tuple[Call, ...] = (
    *_functions("abs", "sign", "signbit", "square", "exp2", "expm1", "log", "sigmoid", "silu", "tanh"),
    *_functions("sin", "cos", "tan", "asin", "acos", "atan"),
    *_functions("sinh", "cosh", "asinh", "acosh", "atanh"),
    *_functions("exp"),
    *_functions("sqrt"),
    *_functions("rsqrt"),
    *_group("eltwise_unary/recip.h", "recip"),
    *_group("eltwise_unary/gelu.h", "gelu", "gelu_derivative", "gelu_tanh"),
    *_functions("erf", "erfc"),
    *_functions("erfinv"),
    *_functions("i0"),
    *_functions("i1"),
    *_functions("cbrt"),
    *_functions("digamma"),
    *_functions("log1p"),
    *_functions("negative"),
    *_functions("identity"),
    *_functions("relu"),
    *_functions("hardmish"),
    *_functions("tanhshrink"),
    *_group("eltwise_unary/tanh_derivative.h", "tanh_derivative"),
    *_functions("softsign", "hardsigmoid"),
    *_functions("isinf", "isnan", "isfinite", "isposinf", "isneginf"),
    *_functions("eqz", "nez", "gtz", "gez", "ltz", "lez"),
    *(_function(f"unary_{one}_tile", HALF) for one in ("eq", "ne", "gt", "ge", "lt", "le")),
    *(
        _plain(SCALAR, f"{one}_unary_tile", TENTH, init="binop_with_scalar_tile_init();")
        for one in ("add", "sub", "mul", "div", "rsub")
    ),
    *_functions("floor", "ceil", "trunc", "frac"),
    _function("round_tile", "2"),
    _function("mish_tile", template="false"),
    _function("elu_tile", HALF),
    _function("leaky_relu_tile", TENTH),
    _function("relu_max_tile", TWO),
    _function("relu_min_tile", HALF),
    _function("clamp_tile", MINUS_ONE, HALF),
    _function("hardtanh_tile", MINUS_ONE, HALF),
    _function("threshold_tile", HALF, TWENTY),
    _function("selu_tile", "0x3f867d5f", "0x3fd62d7d"),
    _function("softplus_tile", ONE, ONE, TWENTY),
    _function("prelu_tile", TENTH),
    _function("celu_tile", HALF, TWO),
    _function("softshrink_tile", HALF),
    _function("hardshrink_tile", HALF),
    _function("exp_tile", template="true"),
    _plain("eltwise_unary/xielu.h", "xielu_tile", HALF, TENTH),
    _function("fill_tile", "0.3f"),
    _function("rpow_tile", THREE),
    _function("rdiv_tile", THREE),
    _plain("eltwise_unary/rsub.h", "rsub_tile", TENTH),
    _plain("eltwise_unary/fmod.h", "fmod_tile", init=f"fmod_tile_init({DIVISOR});"),
    _plain("eltwise_unary/remainder.h", "remainder_tile", init=f"remainder_tile_init({DIVISOR});"),
    _plain("eltwise_unary/polygamma.h", "polygamma_tile", ONE, ONE),
    Call("eltwise_unary/logical_not.h", "logical_not_tile_init(); logical_not_tile<DataFormat::Float32>(0);"),
    _function("power_tile", "0x40133333"),
    _plain(API, "power_iterative_tile", "5"),
    _function("heaviside_tile", HALF),
    _function("unary_max_tile", HALF),
    _function("unary_min_tile", HALF),
    _function("log_with_base_tile", "0x3fb8aa3b"),
    _plain(API, "alt_complex_rotate90_tile"),
    _plain(API, "tiled_prod_tile"),
    Call("cumsum.h", "cumsum_tile_init(); cumsum_tile(0, i == 0);"),
)  # fmt: skip

# Functions that tell negative zero from zero.
SIGNED: tuple[Call, ...] = (
    *_functions("signbit", "abs"),
    *_group("eltwise_unary/recip.h", "recip"),
    *_functions("negative"),
)
REDUCTIONS: tuple[Call, ...] = tuple(
    Call(
        API,
        f"sfpu_reduce_init<PoolType::{pool}, DataFormat::Float32>();"
        f" sfpu_reduce<PoolType::{pool}, DataFormat::Float32, ReduceDim::REDUCE_{over}>(0);",
    )
    for pool in ("SUM", "AVG", "MAX", "MIN")
    for over in ("ROW", "COL")
    if (pool, over) != ("AVG", "ROW")  # the 0.77 headers refuse it
)


# Values and their indices of two tiles each, in DST 0 to 3; which of them is the result.
_SORTED = (
    "copy_init(0); copy_tile(0, 0, 0); copy_tile(0, 1, 1); reconfig_data_format_srca(0, 1); copy_init(1);"
    " copy_tile(1, 0, 2); copy_tile(1, 1, 3); topk_tile_init(); topk_local_sort(0, {direction}, {phase});"
    "{more} reconfig_data_format_srca(1, 0);"
)
SORTS: tuple[Call, ...] = tuple(
    Call(API, _SORTED.format(direction=direction, phase=phase, more=more))
    for direction, phase, more in (
        (0, 5, ""),
        (1, 5, ""),
        (0, 4, " topk_merge(0, 0, 32);"),
        (0, 4, " topk_merge(0, 0, 32); topk_rebuild(0, false, 0, 32, 5, 1);"),
    )
)
# Mean and variance end in two tiles of DST. The 0.77 header of these functions needs another before it.
_MEAN, _VARIANCE = (
    "constexpr std::array<uint32_t, 0> none{}; welford_init(); welford_update<0>(0, 0, none);"
    f" welford_finalize_to_row<0>(1, 31, none); copy_dest_values_init(); copy_dest_values({one}, 0);"
    for one in (1, 2)
)
STATISTICS: tuple[Call, ...] = (
    *_functions("square"),
    Call("copy_dest_values.h", _MEAN),
    Call("welford.h", _VARIANCE),
)


def _pair_of(name: str, template: str = "") -> Call:
    """A function of the table on two tiles."""
    made = f"<{template}>" if template else ""
    call = f"{name}{made}(0, 1, 0)"
    return Call(header_of(call).removeprefix("api/compute/"), f"{init_of(call)}; {call};")


def _pair(header: str, name: str, template: str = "", more: str = "", init: str | None = None) -> Call:
    made = f"<{template}>" if template else ""
    start = f"{name}_init();" if init is None else init
    return Call(header, f"{start} {name}{made}(0, 1, 0{more});")


BINARY: tuple[Call, ...] = (
    *(_pair_of(f"{one}_binary_tile") for one in ("add", "sub", "mul", "div", "rsub", "power")),
    *(_pair_of(f"{one}_binary_tile") for one in ("eq", "ne", "gt", "ge", "lt", "le")),
    _pair_of("binary_max_tile"),
    _pair_of("binary_min_tile"),
    _pair_of("fmod_binary_tile"),
    _pair("binary_remainder.h", "remainder_binary_tile"),
    _pair_of("atan2_binary_tile"),
    _pair_of("xlogy_binary_tile"),
    _pair("isclose.h", "isclose_binary_tile", more=", 0x3f000000, 0x3dcccccd"),
    Call("copy_dest_values.h", "copy_dest_values_init(); copy_dest_values(1, 0);"),
    Call("mask.h", "mask_tile_init(); mask_tile(0, 1);"),
    *(
        Call("sfpu_binary_bcast.h", f"sfpu_{one}_bcast_{over}_init(); sfpu_{one}_bcast_{over}(0, 1);")
        for one in ("add", "sub", "mul")
        for over in ("row", "col")
    ),
)


def ternary(form: str) -> tuple[Call, ...]:
    """On three tiles of Float32 or Float16_b."""
    made = f"<DataFormat::{form}>"
    return tuple(
        Call(f"eltwise_unary/{name}.h", f"{name}_tile_init(); {name}_tile{made}(0, 1, 2, 0{more});")
        for name, more in (("where", ""), ("lerp", ""), ("addcmul", f", {HALF}"), ("addcdiv", f", {HALF}"))
    )


def integer_unary(form: str) -> tuple[Call, ...]:
    """On one tile of Int32, UInt32 or UInt16."""
    made = f"DataFormat::{form}"
    same = tuple(
        _plain(
            "eltwise_unary/bitwise.h",
            f"bitwise_{one}_tile",
            "0x155",
            template=made,
            init=f"bitwise_{one}_tile_init();",
        )
        for one in ("and", "or", "xor")
    )
    shifts = tuple(_function(f"{one}_shift_tile", "3", template=made) for one in ("left", "right"))
    zero = tuple(
        Call(COMPARE, f"{one}z_tile_init(); {one}z_tile_{form.lower()}(0);")
        for one in ("eq", "ne", *(("gt", "ge", "lt", "le") if form == "Int32" else ()))
    )
    signed: tuple[Call, ...] = ()
    if form == "Int32":
        signed = (
            _function("bitwise_not_tile"),
            Call(API, "abs_tile_init(); abs_tile_int32(0);"),
            Call("eltwise_unary/negative.h", "negative_tile_init(); negative_tile_int32(0);"),
            Call("eltwise_unary/relu.h", "relu_tile_init(); relu_tile_int32(0);"),
            Call(API, "signbit_tile_int32_init(); signbit_tile_int32(0);"),
            Call("eltwise_unary/clamp.h", "clamp_tile_init(); clamp_tile_int32(0, 0xffffff9c, 1000);"),
            *(
                Call(COMPARE, f"unary_{one}_tile_init(); unary_{one}_tile_int32(0, 55);")
                for one in ("eq", "ne", "gt", "ge", "lt", "le")
            ),
        )  # fmt: skip
    fill = Call("eltwise_unary/fill.h", f"fill_tile_init(); fill_tile_int<{made}>(0, 12345);")
    negate = _function("logical_not_tile", template=made)
    return (*same, *shifts, *zero, *signed, fill, negate)


def integer_binary(form: str) -> tuple[Call, ...]:
    """On two tiles of Int32, UInt32 or UInt16."""
    made = f"DataFormat::{form}"
    sums = tuple(_pair_of(f"{one}_int_tile", made) for one in ("add", "sub"))
    product = Call("mul_int_sfpu.h", f"mul_int_tile_init<{made}>(); mul_int_tile<{made}>(0, 1, 0);")
    bits = tuple(_pair_of(f"bitwise_{one}_binary_tile", made) for one in ("and", "or", "xor"))
    compared = tuple(
        Call("binary_comp.h", f"{one}_int_tile_init<{made}>(); {one}_int_tile<{made}>(0, 1, 0);")
        for one in ("eq", "ne", "lt", "gt", "le", "ge")
    )
    if form != "Int32":
        return (*sums, product, *bits, *compared)
    shifts = tuple(_pair_of(f"binary_{one}_shift_tile", made) for one in ("left", "right", "logical_right"))
    more = (
        _pair_of("rsub_int_tile", made),
        _pair_of("binary_max_int32_tile"),
        _pair_of("binary_min_int32_tile"),
        _pair_of("gcd_tile"),
        Call("sub_int_sfpu.h", f"sub_int_tile_init(); sub_int_tile<{made}>(1, 0, 0);"),
        _pair("div_int32_sfpu.h", "div_int32_tile"),
        _pair_of("div_int32_floor_tile"),
        _pair_of("div_int32_trunc_tile"),
        _pair_of("remainder_int32_tile"),
        _pair_of("fmod_int32_tile"),
    )
    return (*sums, product, *bits, *compared, *shifts, *more)
