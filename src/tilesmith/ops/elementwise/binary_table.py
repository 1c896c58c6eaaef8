"""Operations on two DST tiles, one row each: for real numbers, for integers, and on the matrix engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from tilesmith.formats import DataFormat
from tilesmith.ops.elementwise.steps import Step

_REAL = "eltwise_binary_sfpu"
_ALL = (DataFormat.Int32, DataFormat.UInt32, DataFormat.UInt16)


@dataclass(frozen=True)
class Binary:
    """`matrix` is the stem of the matrix engine's functions, for formats it computes exactly enough."""

    name: str
    real: Step | None
    integer: Step | None = None
    integers: tuple[DataFormat, ...] = _ALL
    matrix: str = ""
    own: tuple[tuple[DataFormat, Step], ...] = ()  # for formats with a step of their own

    def step(self, format: DataFormat) -> Step | None:
        """The step for operands of a format; None when the chip has none."""
        for special, step in self.own:
            if special is format:
                return step
        if format.is_integer:
            return self.integer if format in self.integers else None
        return self.real


def _two(function: str, *headers: str, template: str = "", init: str = "") -> Step:
    """function(DST 0, DST 1) to DST 0."""
    return Step(headers, f"{init or function + '_init'}()", f"{function}{template}(0, 1, 0)")


def _real(name: str, function: str = "", header: str = _REAL) -> Step:
    return _two(f"{function or name}_binary_tile", header)


def _arithmetic(name: str, header: str, templated_init: bool = False) -> Binary:
    init = f"{name}_int_tile_init" + ("<{format}>" if templated_init else "")
    integer = _two(f"{name}_int_tile", header, template="<{format}>", init=init)
    return Binary(name, _real(name), integer, matrix="" if name == "rsub" else name)


def _comparison(name: str) -> Binary:
    integer = _two(
        f"{name}_int_tile", "binary_comp", template="<{format}>", init=f"{name}_int_tile_init<{{format}}>"
    )
    return Binary(name, _real(name), integer)


def _extreme(name: str, function: str) -> Binary:
    integer = _two(f"binary_{function}_int32_tile", "binary_max_min")
    unsigned = (DataFormat.UInt32, _two(f"binary_{function}_uint32_tile", "binary_max_min"))
    real = _two(f"binary_{function}_tile", "binary_max_min")
    return Binary(name, real, integer, (DataFormat.Int32,), own=(unsigned,))


def _bitwise(name: str) -> Binary:
    call = _two(
        f"{name}_binary_tile", "binary_bitwise_sfpu", template="<{format}>", init="binary_bitwise_tile_init"
    )
    return Binary(name, None, call)


def _shift(name: str, function: str) -> Binary:
    call = _two(
        f"binary_{function}_tile", "binary_shift", template="<{format}>", init="binary_shift_tile_init"
    )
    return Binary(name, None, call)


def _signed_right_shift() -> Binary:
    """By more than 31 bits it is the sign that is left, as in torch."""
    plain = _shift("bitwise_right_shift", "right_shift")
    assert plain.integer is not None
    limit = (
        "fill_tile_init(); fill_tile_int<DataFormat::Int32>(2, 31);"
        " binary_min_int32_tile_init(); binary_min_int32_tile(1, 2, 1); "
    )
    headers = ("binary_shift", "binary_max_min", "fill")
    call = f"{limit}{plain.integer.init}; {plain.integer.call}"
    return replace(plain, own=((DataFormat.Int32, Step(headers, "", call)),))


def _logical(name: str, combine: str) -> Binary:
    """Both as 0 or 1 first, then combined."""
    to_flags = "nez_tile_init(); nez_tile(0); nez_tile(1)"
    ints = "nez_tile_init(); nez_tile_int32(0); nez_tile_int32(1)"
    unsigned = ints.replace("int32", "uint32")
    whole = {"mul": "mul_int_tile", "max": "add_int_tile", "ne": "ne_int_tile"}[combine]
    header = {"mul": "mul_int_sfpu", "max": "add_int_sfpu", "ne": "binary_comp"}[combine]
    init = f"{whole}_init()" if whole == "add_int_tile" else f"{whole}_init<{{format}}>()"
    after = "; nez_tile_init(); nez_tile_int32(0)" if combine == "max" else ""
    real = {"mul": "mul_binary_tile", "max": "binary_max_tile", "ne": "ne_binary_tile"}[combine]
    real_header = "binary_max_min" if combine == "max" else _REAL
    return Binary(
        name,
        Step(("comp", real_header), "", f"{to_flags}; {real}_init(); {real}(0, 1, 0)"),
        Step(("comp", header), "", f"{ints}; {init}; {whole}<{{format}}>(0, 1, 0){after}"),
        (DataFormat.Int32,),
        own=(
            (
                DataFormat.UInt32,
                Step(("comp", header), "", f"{unsigned}; {init}; {whole}<{{format}}>(0, 1, 0){after}"),
            ),
        ),
    )


_SQUARED = "sub_binary_tile_init(); sub_binary_tile(0, 1, 0); square_tile_init(); square_tile(0)"
_HYPOT = (
    "square_tile_init(); square_tile(0); square_tile(1); add_binary_tile_init(); add_binary_tile(0, 1, 0);"
    " sqrt_tile_init(); sqrt_tile(0)"
)
_LDEXP = "exp2_tile_init(); exp2_tile(1); mul_binary_tile_init(); mul_binary_tile(0, 1, 0)"
_NO_NAN = (  # 0 where the divisor is 0: the quotient is multiplied out of the way by a choice
    "copy_dest_values_init(); copy_dest_values(1, 2); div_binary_tile_init(); div_binary_tile(0, 1, 0);"
    " fill_tile_init(); fill_tile(1, 0.0f); where_tile_init(); where_tile<{format}>(2, 0, 1, 0)"
)
# What is left, plus the divisor where their signs differ: a rounded quotient would be one off.
_REMAINDER = (
    "fmod_binary_tile_init(); fmod_binary_tile(0, 1, 0); mul_binary_tile_init(); mul_binary_tile(0, 1, 2);"
    " ltz_tile_init(); ltz_tile(2); add_binary_tile_init(); add_binary_tile(0, 1, 1);"
    " where_tile_init(); where_tile<{format}>(2, 1, 0, 0)"
)
_FLOOR_DIV = "div_binary_tile_init(); div_binary_tile(0, 1, 0); rounding_op_tile_init(); floor_tile(0)"
_TRUNC_DIV = "div_binary_tile_init(); div_binary_tile(0, 1, 0); rounding_op_tile_init(); trunc_tile(0)"
_INT = (DataFormat.Int32,)
_ADD, _SUB, _MUL, _DIV = (
    f"{name}_binary_tile_init(); {name}_binary_tile" for name in ("add", "sub", "mul", "div")
)
_SQUARED_INT = Step(
    ("sub_int_sfpu", "mul_int_sfpu"),
    "",
    "sub_int_tile_init(); sub_int_tile<{format}>(0, 1, 0);"
    " mul_int_tile_init<{format}>(); mul_int_tile<{format}>(0, 0, 0)",
)
_MAC_INT = Step(
    ("mul_int_sfpu", "add_int_sfpu"),
    "",
    "mul_int_tile_init<{format}>(); mul_int_tile<{format}>(0, 1, 0);"
    " add_int_tile_init(); add_int_tile<{format}>(0, 2, 0)",
)
_ADDCMUL_INT = Step(
    ("mul_int_sfpu", "add_int_sfpu"),
    "",
    "mul_int_tile_init<{format}>(); mul_int_tile<{format}>(1, 2, 1);"
    " add_int_tile_init(); add_int_tile<{format}>(0, 1, 0)",
)
_ROWS = (
    _arithmetic("add", "add_int_sfpu"),
    _arithmetic("sub", "sub_int_sfpu"),
    _arithmetic("mul", "mul_int_sfpu", templated_init=True),
    _arithmetic("rsub", "sub_int_sfpu"),
    Binary("div", _real("div")),
    Binary(
        "floor_div",
        Step((_REAL, "rounding"), "", _FLOOR_DIV),
        _two("div_int32_floor_tile", "div_int32_floor"),
        _INT,
    ),
    Binary(
        "trunc_div",
        Step((_REAL, "rounding"), "", _TRUNC_DIV),
        _two("div_int32_trunc_tile", "div_int32_floor"),
        _INT,
    ),
    Binary("div_no_nan", Step((_REAL, "copy_dest_values", "fill", "where"), "", _NO_NAN)),
    Binary("pow", _real("pow", "power")),
    *(_comparison(name) for name in ("eq", "ne", "lt", "gt", "le", "ge")),
    _extreme("maximum", "max"),
    _extreme("minimum", "min"),
    *(_bitwise(name) for name in ("bitwise_and", "bitwise_or", "bitwise_xor")),
    _shift("bitwise_left_shift", "left_shift"),
    _signed_right_shift(),
    _shift("logical_right_shift", "logical_right_shift"),
    _shift("logical_left_shift", "left_shift"),
    _logical("logical_and", "mul"),
    _logical("logical_or", "max"),
    _logical("logical_xor", "ne"),
    Binary("atan2", _real("atan2", header="atan2")),
    Binary("xlogy", _real("xlogy", header="xlogy")),
    Binary("logaddexp", _real("logaddexp", header="logaddexp")),
    Binary("logaddexp2", _real("logaddexp2", header="logaddexp2")),
    Binary("fmod", _real("fmod", header="binary_fmod"), _two("fmod_int32_tile", "binary_fmod"), _INT),
    Binary(
        "remainder",
        Step((_REAL, "binary_fmod", "comp", "copy_dest_values", "where"), "", _REMAINDER),
        _two("remainder_int32_tile", "binary_remainder"),
        _INT,
        own=((DataFormat.UInt32, _two("remainder_uint32_tile", "binary_remainder")),),
    ),
    Binary("gcd", None, _two("gcd_tile", "gcd"), _INT),
    Binary("lcm", None, _two("lcm_tile", "lcm"), _INT),
    Binary("squared_difference", Step((_REAL,), "", _SQUARED), _SQUARED_INT),
    Binary("hypot", Step((_REAL, "sqrt"), "", _HYPOT)),
    Binary("ldexp", Step((_REAL,), "", _LDEXP)),
    # Of three operands: DST 0, 1 and 2.
    Binary("addcmul", Step((_REAL,), "", f"{_MUL}(1, 2, 1); {_ADD}(0, 1, 0)"), _ADDCMUL_INT),
    Binary("addcdiv", Step((_REAL,), "", f"{_DIV}(1, 2, 1); {_ADD}(0, 1, 0)")),
    Binary("lerp", Step((_REAL,), "", f"{_SUB}(1, 0, 1); {_MUL}(1, 2, 1); {_ADD}(0, 1, 0)")),
    Binary("mac", Step((_REAL,), "", f"{_MUL}(0, 1, 0); {_ADD}(0, 2, 0)"), _MAC_INT),
)

BINARY: Mapping[str, Binary] = MappingProxyType({row.name: row for row in _ROWS})
