"""Every function of the kernel API that works on tiles in DST: how it is called, its formats and its meaning.

The one place that knows: the compiler's vector functions (`isa/sfpu.py`) and the operations' steps
(`ops/elementwise`) look functions up here, by the text of a call. So do the emulator's clock
(`isa/cycles.py`), the cases for the vendor's simulator and the table in docs/kernel-api.md. A new function is
one word in `_HEADERS` and its meaning in `isa/reference.py`, and a word below where its name does not say it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tilesmith.errors import InternalFault
from tilesmith.formats import DataFormat
from tilesmith.isa.reference import REFERENCES, Reference

GENERAL = "api/compute/compute_kernel_api.h"
"""The header that collects the functions without one of their own."""

_OWN_HEADER = (
    "bitwise_not cbrt digamma elu erfinv exp gelu hardmish hardtanh i0 i1 identity log1p logical_not"
    " mish prelu rdiv rpow rsqrt selu softplus sqrt tanhshrink threshold typecast where"
)
_HEADERS = {
    "compute_kernel_api": (
        "abs_tile abs_tile_int32 exp2_tile expm1_tile heaviside_tile log_tile log_with_base_tile power_tile"
        " sfpu_reduce sigmoid_tile sign_tile signbit_tile signbit_tile_int32 silu_tile square_tile tanh_tile"
        " unary_max_tile unary_max_uint32_tile unary_min_tile unary_min_uint32_tile"
    ),
    "add_int_sfpu": "add_int_tile",
    "atan2": "atan2_binary_tile",
    "binary_bitwise_sfpu": "bitwise_and_binary_tile bitwise_or_binary_tile bitwise_xor_binary_tile",
    "binary_comp": "eq_int_tile ge_int_tile gt_int_tile le_int_tile lt_int_tile ne_int_tile",
    "binary_fmod": "fmod_binary_tile fmod_int32_tile",
    "binary_max_min": (
        "binary_max_int32_tile binary_max_tile binary_max_uint32_tile"
        " binary_min_int32_tile binary_min_tile binary_min_uint32_tile"
    ),
    "binary_remainder": "remainder_int32_tile remainder_uint32_tile",
    "binary_shift": "binary_left_shift_tile binary_logical_right_shift_tile binary_right_shift_tile",
    "copy_dest_values": "copy_dest_values",
    "cumsum": "cumsum_tile",
    "div_int32_floor": "div_int32_floor_tile div_int32_trunc_tile",
    "eltwise_binary_sfpu": (
        "add_binary_tile div_binary_tile eq_binary_tile ge_binary_tile gt_binary_tile le_binary_tile"
        " lt_binary_tile mul_binary_tile ne_binary_tile power_binary_tile rsub_binary_tile sub_binary_tile"
    ),
    "gcd": "gcd_tile",
    "lcm": "lcm_tile",
    "logaddexp": "logaddexp_binary_tile",
    "logaddexp2": "logaddexp2_binary_tile",
    "logsigmoid": "logsigmoid_tile",
    "mul_int_sfpu": "mul_int_tile",
    "sfpu_binary_bcast": "sfpu_mul_bcast_row",
    "sub_int_sfpu": "rsub_int_tile sub_int_tile",
    "transpose_dest": "transpose_dest",
    "xlogy": "xlogy_binary_tile",
    "eltwise_unary/activations": "celu_tile hardshrink_tile hardsigmoid_tile softshrink_tile softsign_tile",
    "eltwise_unary/binop_with_scalar": (
        "add_unary_tile add_unary_tile_int32 mul_unary_tile rsub_unary_tile sub_unary_tile"
    ),
    "eltwise_unary/bitwise": "bitwise_and_tile",
    "eltwise_unary/clamp": "clamp_tile clamp_tile_int32",
    "eltwise_unary/comp": (
        "eqz_tile eqz_tile_int32 eqz_tile_uint16 eqz_tile_uint32 gez_tile gez_tile_int32 gtz_tile"
        " gtz_tile_int32 lez_tile lez_tile_int32 ltz_tile ltz_tile_int32"
        " nez_tile nez_tile_int32 nez_tile_uint16 nez_tile_uint32"
        " unary_eq_tile unary_ge_tile unary_gt_tile unary_le_tile unary_lt_tile unary_ne_tile"
    ),
    "eltwise_unary/erf_erfc": "erf_tile erfc_tile",
    "eltwise_unary/fill": "fill_tile fill_tile_bitcast fill_tile_int",
    "eltwise_unary/isinf_isnan": "isfinite_tile isinf_tile isnan_tile isneginf_tile isposinf_tile",
    "eltwise_unary/negative": "negative_tile negative_tile_int32",
    "eltwise_unary/recip": "exact_recip_tile",
    "eltwise_unary/relu": (
        "leaky_relu_tile relu_max_tile relu_max_tile_int32 relu_max_tile_uint16 relu_max_tile_uint32"
        " relu_min_tile relu_min_tile_int32 relu_min_tile_uint16 relu_min_tile_uint32"
        " relu_tile relu_tile_int32"
    ),
    "eltwise_unary/rounding": "ceil_tile floor_tile frac_tile round_tile trunc_tile",
    "eltwise_unary/shift": "left_shift_tile right_shift_tile",
    "eltwise_unary/trigonometry": (
        "acos_tile acosh_tile asin_tile asinh_tile atan_tile atanh_tile"
        " cos_tile cosh_tile sin_tile sinh_tile tan_tile"
    ),
    **{f"eltwise_unary/{name}": f"{name}_tile" for name in _OWN_HEADER.split()},
}
"""Functions by the header that declares them."""

_SHARED = {
    "binop_with_scalar_tile_init()": _HEADERS["eltwise_unary/binop_with_scalar"],
    "rounding_op_tile_init()": _HEADERS["eltwise_unary/rounding"],
    "fill_tile_init()": _HEADERS["eltwise_unary/fill"],
    "binary_shift_tile_init()": _HEADERS["binary_shift"],
    "binary_bitwise_tile_init()": _HEADERS["binary_bitwise_sfpu"],
}
_TEMPLATED = (
    "eq_int_tile ge_int_tile gt_int_tile le_int_tile lt_int_tile ne_int_tile mul_int_tile"
    " erf_tile exp_tile gelu_tile mish_tile typecast_tile transpose_dest"
)
"""Their inits take the template arguments of the call."""

_INITS = {
    **{name: init for init, names in _SHARED.items() for name in names.split()},
    **{name: f"{name}_init<>()" for name in _TEMPLATED.split()},
    "exact_recip_tile": "exact_recip_tile_init<>(0)",
    "sfpu_reduce": "sfpu_reduce_init<>()",
    "signbit_tile_int32": "signbit_tile_int32_init()",
}
_TEMPLATES = {
    "DataFormat": (
        "add_int_tile sub_int_tile rsub_int_tile mul_int_tile"
        " bitwise_and_tile left_shift_tile right_shift_tile"
        " eq_int_tile ge_int_tile gt_int_tile le_int_tile lt_int_tile ne_int_tile"
        " bitwise_and_binary_tile bitwise_or_binary_tile bitwise_xor_binary_tile"
        " binary_left_shift_tile binary_logical_right_shift_tile binary_right_shift_tile"
        " fill_tile_int logical_not_tile where_tile"
    ),
    "bool": "mish_tile",
    "uint32_t, uint32_t": "typecast_tile",
    "PoolType, DataFormat, ReduceDim": "sfpu_reduce",
}
"""Template arguments that a call must give; the same from 0.77 to 0.81. All others have defaults."""

_LATER = {
    **dict.fromkeys(("logaddexp_binary_tile", "logaddexp2_binary_tile"), "0.81"),
    "transpose_dest": "0.77",
}
"""The first release that has a function; the others stood under the old headers, too."""

_PAIRS = (
    "add_int_sfpu atan2 binary_bitwise_sfpu binary_comp binary_fmod binary_max_min binary_remainder"
    " binary_shift copy_dest_values div_int32_floor eltwise_binary_sfpu gcd lcm logaddexp logaddexp2"
    " logsigmoid mul_int_sfpu sfpu_binary_bcast sub_int_sfpu xlogy"
)
"""Headers whose functions read two tiles."""

_CLOCKS = {
    **dict.fromkeys(_HEADERS["binary_bitwise_sfpu"].split(), "binary_bitwise"),
    **dict.fromkeys(_HEADERS["binary_shift"].split(), "binary_shift"),
    **dict.fromkeys(_HEADERS["eltwise_unary/fill"].split(), "fill"),
    "exact_recip_tile": "recip",
    "sfpu_mul_bcast_row": "sfpu_bcast_row",
    "signbit_tile_int32": "signbit_int32",
}
"""What the clock calls functions whose cost has another name than theirs."""

_FLOATS = (DataFormat.Float32, DataFormat.Float16_b)
_INTEGERS = (DataFormat.Int32, DataFormat.UInt32, DataFormat.UInt16)
_BY_NAME = {
    "uint16": (DataFormat.UInt16,),
    "uint32": (DataFormat.UInt32,),
    "int32": (DataFormat.Int32,),
    "int": _INTEGERS,
    "bitwise": _INTEGERS,
    "shift": _INTEGERS,
    "gcd": (DataFormat.Int32,),
    "lcm": (DataFormat.Int32,),
}
"""Formats of functions that have one of these words in their names."""
_BOTH = (
    *("logical_not_tile", "where_tile", "typecast_tile"),
    *("copy_dest_values", "transpose_dest", "fill_tile_bitcast"),
)
_CALL = re.compile(r"\b([a-z]\w*)(<[^;>]*>)?\(")
_INTEGER = re.compile(r"_tile_u?int(16|32)$")


@dataclass(frozen=True)
class TileFunction:
    """One function. `<>` in `init` stands for the template arguments of the call.

    `template` are the arguments that a call must give, `tiles` how many slots of DST it reads, `since` the
    first release that has it, `clock` the name of its cost in the arch data.
    """

    name: str
    header: str
    init: str
    template: str
    tiles: int
    formats: tuple[DataFormat, ...]
    since: str
    clock: str
    reference: Reference

    @property
    def old_header(self) -> str:
        """Where kernels up to 0.66 include it from; nothing if they cannot.

        >>> TILE_FUNCTIONS["exp_tile"].old_header
        'compute_kernel_api/eltwise_unary/exp.h'
        """
        if self.since != "0.66":
            return ""
        inside = self.header.removeprefix("api/compute/")
        return "compute_kernel_api.h" if self.header == GENERAL else f"compute_kernel_api/{inside}"


def _init_of(name: str) -> str:
    """Integers have functions of their own behind the init for floats."""
    return _INITS.get(name, f"{_INTEGER.sub('_tile', name)}_init()")


def _stem(name: str) -> str:
    """
    >>> _stem("relu_max_tile_int32"), _stem("binary_max_uint32_tile"), _stem("add_int_tile")
    ('relu_max', 'binary_max', 'add_int')
    """
    plain = _INTEGER.sub("_tile", name).removesuffix("_bitcast").removesuffix("_tile_int")
    plain = plain.removesuffix("_tile")
    return plain if plain in REFERENCES else re.sub(r"_u?int32$", "", plain)


def _formats_of(name: str) -> tuple[DataFormat, ...]:
    if name in _BOTH:
        return (*_FLOATS, *_INTEGERS)
    words = name.split("_")
    return next((formats for word, formats in _BY_NAME.items() if word in words), _FLOATS)


def _function(name: str, header: str) -> TileFunction:
    templates = {one: template for template, names in _TEMPLATES.items() for one in names.split()}
    return TileFunction(
        name,
        f"api/compute/{header}.h",
        _init_of(name),
        templates.get(name, ""),
        3 if name == "where_tile" else 2 if header in _PAIRS.split() else 1,
        _formats_of(name),
        _LATER.get(name, "0.66"),
        _CLOCKS.get(name, _INTEGER.sub("_tile", name).removesuffix("_tile")),
        REFERENCES[_stem(name)],
    )


TILE_FUNCTIONS: dict[str, TileFunction] = {
    name: _function(name, header) for header, names in _HEADERS.items() for name in names.split()
}


def called_in(text: str) -> Iterator[tuple[TileFunction, str]]:
    """The functions that statements call, inits left out, each with its template arguments.

    >>> [(one.name, made) for one, made in called_in("gelu_tile_init<true>(); gelu_tile<true>({d})")]
    [('gelu_tile', '<true>')]
    """
    for match in _CALL.finditer(text):
        name, template = match[1], match[2] or ""
        if name.endswith("_init"):
            continue
        if name not in TILE_FUNCTIONS:
            raise InternalFault(f"{name} is not in isa/tile_functions.py: add it with its header")
        yield TILE_FUNCTIONS[name], template


def init_of(call: str) -> str:
    """What sets the unit up for a call.

    >>> init_of("gelu_tile<true>({d})"), init_of("floor_tile(0)"), init_of("where_tile<{format}>(0, 1, 2, 0)")
    ('gelu_tile_init<true>()', 'rounding_op_tile_init()', 'where_tile_init()')
    """
    function, template = next(called_in(call))
    return function.init.replace("<>", template)


def header_of(call: str) -> str:
    """
    >>> header_of("floor_tile(0)")
    'api/compute/eltwise_unary/rounding.h'
    """
    return next(called_in(call))[0].header
