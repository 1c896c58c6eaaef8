"""Unary operations of the vector unit, one row each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tilesmith.ops.elementwise.steps import Step, Unary, step

_MULTIPLY = "mul_binary_tile_init(); mul_binary_tile({d}, {s}, {d})"
_INTEGER_KINDS = ("int32", "uint32", "uint16")
_COPY = "copy_dest_values_init(); copy_dest_values({d}, {s})"


def _plain(name: str) -> Unary:
    """`<name>_tile(dst)`."""
    return Unary(name, step(f"{name}_tile({{d}})"))


def _comparison(name: str) -> Unary:
    """With zero; integers have functions of their own."""
    unsigned = name in ("eqz", "nez")
    return Unary(
        name,
        step(f"{name}_tile({{d}})"),
        int32=step(f"{name}_tile_int32({{d}})"),
        uint32=step(f"{name}_tile_uint32({{d}})") if unsigned else None,
        uint16=step(f"{name}_tile_uint16({{d}})") if unsigned else None,
    )


def _with(name: str, text: str, defaults: tuple[float, ...] = ()) -> Unary:
    return Unary(name, step(text), defaults)


def _limit(name: str) -> Unary:
    """relu_max, relu_min: integers have functions of their own."""
    int32, uint32, uint16 = (step(f"{name}_tile_{kind}({{d}}, {{0}})") for kind in _INTEGER_KINDS)
    return Unary(name, step(f"{name}_tile({{d}}, {{0}})"), int32=int32, uint32=uint32, uint16=uint16)


_NOTHING = Step((), "", "")
_SQUARE = step("mul_int_tile<{format}>({d}, {d}, {d})")
_LOGICAL_NOT = step("logical_not_tile<{format}>({d})")
_BITWISE_NOT = step("bitwise_not_tile({d})")
_ROWS = (
    *(_plain(name) for name in ("sigmoid", "silu", "tanh", "sign", "exp2", "expm1", "log")),
    *(_plain(name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh")),
    *(_plain(name) for name in ("asinh", "acosh", "atanh")),
    *(_plain(name) for name in ("isinf", "isnan", "isfinite", "isposinf", "isneginf")),
    *(_plain(name) for name in ("erf", "erfc")),
    *(_plain(name) for name in ("hardsigmoid", "softsign")),
    *(_plain(name) for name in ("erfinv", "i0", "i1", "cbrt", "digamma", "log1p", "tanhshrink")),
    *(_plain(name) for name in ("sqrt", "identity", "hardmish")),
    *(_comparison(name) for name in ("eqz", "nez", "gtz", "gez", "ltz", "lez")),
    *(_plain(name) for name in ("ceil", "floor", "trunc", "frac")),
    Unary("abs", step("abs_tile({d})"), int32=step("abs_tile_int32({d})")),
    Unary("neg", step("negative_tile({d})"), int32=step("negative_tile_int32({d})")),
    Unary(
        "relu",
        step("relu_tile({d})"),
        int32=step("relu_tile_int32({d})"),
        uint32=_NOTHING,
        uint16=_NOTHING,
    ),
    Unary("square", step("square_tile({d})"), int32=_SQUARE, uint32=_SQUARE, uint16=_SQUARE),
    Unary(
        "clamp",
        step("clamp_tile({d}, {0}, {1})"),
        int32=step("clamp_tile_int32({d}, {0}, {1})"),
        uint32=step(
            "unary_max_uint32_tile({d}, {0}); unary_min_uint32_tile_init(); unary_min_uint32_tile({d}, {1})"
        ),
    ),
    *(_limit(name) for name in ("relu_max", "relu_min")),
    Unary("signbit", step("signbit_tile({d})"), int32=step("signbit_tile_int32({d})")),
    Unary("logical_not", _LOGICAL_NOT, int32=_LOGICAL_NOT, uint32=_LOGICAL_NOT, uint16=_LOGICAL_NOT),
    Unary("bitwise_not", None, int32=_BITWISE_NOT, uint32=_BITWISE_NOT, uint16=_BITWISE_NOT),
    _with("exp", "exp_tile({d})"),
    _with("gelu", "gelu_tile<false>({d})"),
    _with("gelu_fast", "gelu_tile<true>({d})"),
    # x / 2 (1 + tanh(c (x + 0.044715 x^3))): the parameters are 0.044715, 1, c and 1/2.
    _with(
        "gelu_tanh",
        f"{_COPY}; square_tile_init(); square_tile({{s}}); binop_with_scalar_tile_init();"
        " mul_unary_tile({s}, {0}); add_unary_tile({s}, {1}); mul_unary_tile({s}, {2});"
        " mul_binary_tile_init(); mul_binary_tile({s}, {d}, {s}); tanh_tile_init(); tanh_tile({s});"
        " binop_with_scalar_tile_init(); add_unary_tile({s}, {1}); mul_unary_tile({s}, {3}); "
        f"{_MULTIPLY}",
        (0.044715, 1.0, 0.7978845608028654, 0.5),
    ),
    _with("rsqrt", "rsqrt_tile({d})"),
    _with("mish", "mish_tile<false>({d})"),
    _with("reciprocal", "exact_recip_tile<false>({d}, 0)"),
    # A helper of steps.hpp, which needs these headers.
    Unary(
        "log2",
        Step(
            ("comp", "bitwise", "copy_dest_values", "rounding", "typecast", "where", "log2"),
            "",
            "log2_tile({d}, {s}, {t}, {0})",
        ),
        (1.4426950408889634,),
    ),
    _with("log10", "log_with_base_tile({d}, {0})", (0.4342944819032518,)),
    _with("leaky_relu", "leaky_relu_tile({d}, {0})"),
    _with("relu6", "relu_max_tile({d}, {0})", (6.0,)),
    _with("elu", "elu_tile({d}, {0})", (1.0,)),
    _with("celu", "celu_tile({d}, {0}, {1})", (1.0, 1.0)),
    _with("selu", "selu_tile({d}, {0}, {1})", (1.0506999492645264, 1.673259973526001)),
    _with("softplus", "softplus_tile({d}, {0}, {1}, {2})", (1.0, 1.0, 20.0)),
    _with("hardtanh", "hardtanh_tile({d}, {0}, {1})", (-1.0, 1.0)),
    _with("hardshrink", "hardshrink_tile({d}, {0})", (0.5,)),
    _with("softshrink", "softshrink_tile({d}, {0})", (0.5,)),
    _with("threshold", "threshold_tile({d}, {0}, {1})"),
    _with("heaviside", "heaviside_tile({d}, {0})"),
    _with("prelu", "prelu_tile({d}, {0})"),
    # There is softcap_tile, but not for Wormhole.
    _with(
        "softcap",
        "mul_unary_tile({d}, {1}); tanh_tile_init(); tanh_tile({d});"
        " binop_with_scalar_tile_init(); mul_unary_tile({d}, {0})",
    ),
    _with("power", "power_tile({d}, {0})"),
    _with("rpow", "rpow_tile({d}, {0})"),
    _with("rdiv", "rdiv_tile({d}, {0})"),
    _with("scale", "mul_unary_tile({d}, {0})"),
    _with("shift", "add_unary_tile({d}, {0})"),
    _with(
        "round",
        "round_tile({d}, (int32_t)__builtin_bit_cast(float, {0}))",
        (0.0,),
    ),
    _with(
        "hardswish",
        f"{_COPY}; hardsigmoid_tile_init(); hardsigmoid_tile({{s}}); {_MULTIPLY}",
    ),
    _with(
        "log_sigmoid",
        f"{_COPY}; negative_tile_init(); negative_tile({{s}}); exp_tile_init(); exp_tile({{s}});"
        " logsigmoid_tile_init(); logsigmoid_tile({d}, {s}, {d})",
    ),
)

UNARY: Mapping[str, Unary] = MappingProxyType({row.name: row for row in _ROWS})
