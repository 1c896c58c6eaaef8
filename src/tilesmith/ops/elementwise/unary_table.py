"""Unary operations of the vector unit, one row each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tilesmith.ops.elementwise.steps import Step, Unary

_MULTIPLY = "mul_binary_tile_init(); mul_binary_tile({d}, {s}, {d})"
_COPY = "copy_dest_values_init(); copy_dest_values({d}, {s})"


def _step(call: str, *headers: str, init: str | None = None) -> Step:
    """A step whose initialisation is named after it, unless said otherwise."""
    function = call.partition("(")[0].partition("<")[0]
    return Step(headers, f"{function}_init()" if init is None else init, call)


def _plain(name: str, header: str = "", function: str = "") -> Unary:
    """`<name>_tile(dst)`; those without a header are in compute_kernel_api.h."""
    return Unary(name, _step(f"{function or name}_tile({{d}})", *([header] if header else [])))


def _comparison(name: str) -> Unary:
    """With zero; integers have functions of their own behind the same initialisation."""
    init = f"{name}_tile_init()"
    unsigned = name in ("eqz", "nez")
    return Unary(
        name,
        _step(f"{name}_tile({{d}})", "comp"),
        int32=_step(f"{name}_tile_int32({{d}})", "comp", init=init),
        uint32=_step(f"{name}_tile_uint32({{d}})", "comp", init=init) if unsigned else None,
        uint16=_step(f"{name}_tile_uint16({{d}})", "comp", init=init) if unsigned else None,
    )


def _rounding(name: str) -> Unary:
    return Unary(name, _step(f"{name}_tile({{d}})", "rounding", init="rounding_op_tile_init()"))


def _with(
    name: str, call: str, *headers: str, defaults: tuple[float, ...] = (), init: str | None = None
) -> Unary:
    return Unary(name, _step(call, *headers, init=init), defaults)


def _limit(name: str) -> Unary:
    """relu_max, relu_min: integers have functions of their own behind the same initialisation."""

    def of(kind: str) -> Step:
        return _step(f"{name}_tile_{kind}({{d}}, {{0}})", "relu", init=f"{name}_tile_init()")

    real = _step(f"{name}_tile({{d}}, {{0}})", "relu")
    return Unary(name, real, int32=of("int32"), uint32=of("uint32"), uint16=of("uint16"))


_NOTHING = Step((), "", "")
_SQUARE = _step("mul_int_tile<{format}>({d}, {d}, {d})", "mul_int_sfpu", init="mul_int_tile_init<{format}>()")
_LOGICAL_NOT = _step("logical_not_tile<{format}>({d})", "logical_not", init="logical_not_tile_init()")
_BITWISE_NOT = _step("bitwise_not_tile({d})", "bitwise_not")
_ROWS = (
    *(_plain(name) for name in ("sigmoid", "silu", "tanh", "sign", "exp2", "expm1", "log")),
    *(_plain(name, "trigonometry") for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh")),
    *(_plain(name, "trigonometry") for name in ("asinh", "acosh", "atanh")),
    *(_plain(name, "isinf_isnan") for name in ("isinf", "isnan", "isfinite", "isposinf", "isneginf")),
    *(_plain(name, "erf_erfc") for name in ("erf", "erfc")),
    *(_plain(name, "activations") for name in ("hardsigmoid", "softsign")),
    *(_plain(name, name) for name in ("erfinv", "i0", "i1", "cbrt", "digamma", "log1p", "tanhshrink")),
    *(_plain(name, name) for name in ("sqrt", "identity", "hardmish")),
    *(_comparison(name) for name in ("eqz", "nez", "gtz", "gez", "ltz", "lez")),
    *(_rounding(name) for name in ("ceil", "floor", "trunc", "frac")),
    Unary("abs", _step("abs_tile({d})"), int32=_step("abs_tile_int32({d})", init="abs_tile_init()")),
    Unary(
        "neg",
        _step("negative_tile({d})", "negative"),
        int32=_step("negative_tile_int32({d})", "negative", init="negative_tile_init()"),
    ),
    Unary(
        "relu",
        _step("relu_tile({d})", "relu"),
        int32=_step("relu_tile_int32({d})", "relu", init="relu_tile_init()"),
        uint32=_NOTHING,
        uint16=_NOTHING,
    ),
    Unary("square", _step("square_tile({d})"), int32=_SQUARE, uint32=_SQUARE, uint16=_SQUARE),
    Unary(
        "clamp",
        _step("clamp_tile({d}, {0}, {1})", "clamp"),
        int32=_step("clamp_tile_int32({d}, {0}, {1})", "clamp", init="clamp_tile_init()"),
        uint32=_step(
            "unary_max_uint32_tile({d}, {0}); unary_min_uint32_tile_init(); unary_min_uint32_tile({d}, {1})",
            "binop_with_scalar",
            init="unary_max_uint32_tile_init()",
        ),
    ),
    *(_limit(name) for name in ("relu_max", "relu_min")),
    Unary("signbit", _step("signbit_tile({d})"), int32=_step("signbit_tile_int32({d})")),
    Unary("logical_not", _LOGICAL_NOT, int32=_LOGICAL_NOT, uint32=_LOGICAL_NOT, uint16=_LOGICAL_NOT),
    Unary("bitwise_not", None, int32=_BITWISE_NOT, uint32=_BITWISE_NOT, uint16=_BITWISE_NOT),
    _with("exp", "exp_tile({d})", "exp"),
    _with("gelu", "gelu_tile<false>({d})", "gelu", init="gelu_tile_init<false>()"),
    _with("gelu_fast", "gelu_tile<true>({d})", "gelu", init="gelu_tile_init<true>()"),
    # x / 2 (1 + tanh(c (x + 0.044715 x^3))): the parameters are 0.044715, 1, c and 1/2.
    _with(
        "gelu_tanh",
        f"{_COPY}; square_tile_init(); square_tile({{s}}); binop_with_scalar_tile_init();"
        " mul_unary_tile({s}, {0}); add_unary_tile({s}, {1}); mul_unary_tile({s}, {2});"
        " mul_binary_tile_init(); mul_binary_tile({s}, {d}, {s}); tanh_tile_init(); tanh_tile({s});"
        " binop_with_scalar_tile_init(); add_unary_tile({s}, {1}); mul_unary_tile({s}, {3}); "
        f"{_MULTIPLY}",
        "binop_with_scalar",
        "copy_dest_values",
        "eltwise_binary_sfpu",
        init="",
        defaults=(0.044715, 1.0, 0.7978845608028654, 0.5),
    ),
    _with("rsqrt", "rsqrt_tile({d})", "rsqrt"),
    _with("mish", "mish_tile<false>({d})", "mish", init="mish_tile_init<false>()"),
    _with("reciprocal", "exact_recip_tile<false>({d}, 0)", "recip", init="exact_recip_tile_init<false>(0)"),
    _with(
        "log2",
        "log2_tile({d}, {s}, {t}, {0})",
        "comp",
        "bitwise",
        "copy_dest_values",
        "rounding",
        "typecast",
        "where",
        "log2",
        init="",
        defaults=(1.4426950408889634,),
    ),
    _with("log10", "log_with_base_tile({d}, {0})", defaults=(0.4342944819032518,)),
    _with("leaky_relu", "leaky_relu_tile({d}, {0})", "relu"),
    _with("relu6", "relu_max_tile({d}, {0})", "relu", defaults=(6.0,)),
    _with("elu", "elu_tile({d}, {0})", "elu", defaults=(1.0,)),
    _with("celu", "celu_tile({d}, {0}, {1})", "activations", defaults=(1.0, 1.0)),
    _with("selu", "selu_tile({d}, {0}, {1})", "selu", defaults=(1.0506999492645264, 1.673259973526001)),
    _with("softplus", "softplus_tile({d}, {0}, {1}, {2})", "softplus", defaults=(1.0, 1.0, 20.0)),
    _with("hardtanh", "hardtanh_tile({d}, {0}, {1})", "hardtanh", defaults=(-1.0, 1.0)),
    _with("hardshrink", "hardshrink_tile({d}, {0})", "activations", defaults=(0.5,)),
    _with("softshrink", "softshrink_tile({d}, {0})", "activations", defaults=(0.5,)),
    _with("threshold", "threshold_tile({d}, {0}, {1})", "threshold"),
    _with("heaviside", "heaviside_tile({d}, {0})"),
    _with("prelu", "prelu_tile({d}, {0})", "prelu"),
    # There is softcap_tile, but not for Wormhole.
    _with(
        "softcap",
        "mul_unary_tile({d}, {1}); tanh_tile_init(); tanh_tile({d});"
        " binop_with_scalar_tile_init(); mul_unary_tile({d}, {0})",
        "binop_with_scalar",
        init="binop_with_scalar_tile_init()",
    ),
    _with("power", "power_tile({d}, {0})"),
    _with("rpow", "rpow_tile({d}, {0})", "rpow"),
    _with("rdiv", "rdiv_tile({d}, {0})", "rdiv"),
    _with("scale", "mul_unary_tile({d}, {0})", "binop_with_scalar", init="binop_with_scalar_tile_init()"),
    _with("shift", "add_unary_tile({d}, {0})", "binop_with_scalar", init="binop_with_scalar_tile_init()"),
    _with(
        "round",
        "round_tile({d}, (int32_t)__builtin_bit_cast(float, {0}))",
        "rounding",
        init="rounding_op_tile_init()",
        defaults=(0.0,),
    ),
    _with(
        "hardswish",
        f"{_COPY}; hardsigmoid_tile_init(); hardsigmoid_tile({{s}}); {_MULTIPLY}",
        "activations",
        "copy_dest_values",
        "eltwise_binary_sfpu",
        init="",
    ),
    _with(
        "log_sigmoid",
        f"{_COPY}; negative_tile_init(); negative_tile({{s}}); exp_tile_init(); exp_tile({{s}});"
        " logsigmoid_tile_init(); logsigmoid_tile({d}, {s}, {d})",
        "exp",
        "negative",
        "copy_dest_values",
        "logsigmoid",
        init="",
    ),
)

UNARY: Mapping[str, Unary] = MappingProxyType({row.name: row for row in _ROWS})
