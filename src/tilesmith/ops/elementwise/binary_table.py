"""Operations on two DST tiles, one row each: for real numbers, for integers, and on the matrix engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tilesmith.formats import DataFormat
from tilesmith.ops.elementwise.steps import Step, step

_INT = (DataFormat.Int32,)
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
        for special, own in self.own:
            if special is format:
                return own
        if format.is_integer:
            return self.integer if format in self.integers else None
        return self.real


def _two(function: str, template: str = "") -> Step:
    """function(DST 0, DST 1) to DST 0."""
    return step(f"{function}{template}(0, 1, 0)")


def _real(name: str, function: str = "") -> Step:
    return _two(f"{function or name}_binary_tile")


def _typed(function: str) -> Step:
    return _two(function, "<{format}>")


def _arithmetic(name: str) -> Binary:
    return Binary(name, _real(name), _typed(f"{name}_int_tile"), matrix="" if name == "rsub" else name)


def _comparison(name: str) -> Binary:
    return Binary(name, _real(name), _typed(f"{name}_int_tile"))


def _extreme(name: str, function: str) -> Binary:
    unsigned = (DataFormat.UInt32, _two(f"binary_{function}_uint32_tile"))
    signed = _two(f"binary_{function}_int32_tile")
    return Binary(name, _two(f"binary_{function}_tile"), signed, _INT, own=(unsigned,))


def _right_shift() -> Binary:
    """By more than 31 bits it is the sign that is left, as in torch.

    Unsigned words have a sign here, too: the vendor's function takes them for signed ones.
    """
    plain = _typed("binary_right_shift_tile")
    limited = []
    for stored, word in ((DataFormat.Int32, "int32"), (DataFormat.UInt32, "uint32")):
        limit = (
            f"fill_tile_init(); fill_tile_int<DataFormat::{stored.name}>(2, 31);"
            f" binary_min_{word}_tile_init(); binary_min_{word}_tile(1, 2, 1); "
        )
        limited.append((stored, step(f"{limit}{plain.init}; {plain.call}")))
    return Binary("bitwise_right_shift", None, plain, own=tuple(limited))


def _logical(name: str, combine: str) -> Binary:
    """Both as 0 or 1 first, then combined."""
    to_flags = "nez_tile_init(); nez_tile(0); nez_tile(1)"
    ints = "nez_tile_init(); nez_tile_int32(0); nez_tile_int32(1)"
    unsigned = ints.replace("int32", "uint32")
    whole = _typed({"mul": "mul_int_tile", "max": "add_int_tile", "ne": "ne_int_tile"}[combine])
    real = _two({"mul": "mul_binary_tile", "max": "binary_max_tile", "ne": "ne_binary_tile"}[combine])
    after = "; nez_tile_init(); nez_tile_int32(0)" if combine == "max" else ""
    return Binary(
        name,
        step(f"{to_flags}; {real.init}; {real.call}"),
        step(f"{ints}; {whole.init}; {whole.call}{after}"),
        _INT,
        own=((DataFormat.UInt32, step(f"{unsigned}; {whole.init}; {whole.call}{after}")),),
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
_ADD, _SUB, _MUL, _DIV = (
    f"{name}_binary_tile_init(); {name}_binary_tile" for name in ("add", "sub", "mul", "div")
)
_SQUARED_INT = step(
    "sub_int_tile_init(); sub_int_tile<{format}>(0, 1, 0);"
    " mul_int_tile_init<{format}>(); mul_int_tile<{format}>(0, 0, 0)",
)
_MAC_INT = step(
    "mul_int_tile_init<{format}>(); mul_int_tile<{format}>(0, 1, 0);"
    " add_int_tile_init(); add_int_tile<{format}>(0, 2, 0)",
)
_ADDCMUL_INT = step(
    "mul_int_tile_init<{format}>(); mul_int_tile<{format}>(1, 2, 1);"
    " add_int_tile_init(); add_int_tile<{format}>(0, 1, 0)",
)
_ROWS = (
    _arithmetic("add"),
    _arithmetic("sub"),
    _arithmetic("mul"),
    _arithmetic("rsub"),
    Binary("div", _real("div")),
    Binary(
        "floor_div",
        step(_FLOOR_DIV),
        _two("div_int32_floor_tile"),
        _INT,
    ),
    Binary(
        "trunc_div",
        step(_TRUNC_DIV),
        _two("div_int32_trunc_tile"),
        _INT,
    ),
    Binary("div_no_nan", step(_NO_NAN)),
    Binary("pow", _real("pow", "power")),
    *(_comparison(name) for name in ("eq", "ne", "lt", "gt", "le", "ge")),
    _extreme("maximum", "max"),
    _extreme("minimum", "min"),
    *(
        Binary(name, None, _typed(f"{name}_binary_tile"))
        for name in ("bitwise_and", "bitwise_or", "bitwise_xor")
    ),
    Binary("bitwise_left_shift", None, _typed("binary_left_shift_tile")),
    _right_shift(),
    Binary("logical_right_shift", None, _typed("binary_logical_right_shift_tile")),
    Binary("logical_left_shift", None, _typed("binary_left_shift_tile")),
    _logical("logical_and", "mul"),
    _logical("logical_or", "max"),
    _logical("logical_xor", "ne"),
    Binary("atan2", _real("atan2")),
    Binary("xlogy", _real("xlogy")),
    Binary("logaddexp", _real("logaddexp")),
    Binary("logaddexp2", _real("logaddexp2")),
    Binary("fmod", _real("fmod"), _two("fmod_int32_tile"), _INT),
    Binary(
        "remainder",
        step(_REMAINDER),
        _two("remainder_int32_tile"),
        _INT,
        own=((DataFormat.UInt32, _two("remainder_uint32_tile")),),
    ),
    Binary("gcd", None, _two("gcd_tile"), _INT),
    Binary("lcm", None, _two("lcm_tile"), _INT),
    Binary("squared_difference", step(_SQUARED), _SQUARED_INT),
    Binary("hypot", step(_HYPOT)),
    Binary("ldexp", step(_LDEXP)),
    # Of three operands: DST 0, 1 and 2.
    Binary("addcmul", step(f"{_MUL}(1, 2, 1); {_ADD}(0, 1, 0)"), _ADDCMUL_INT),
    Binary("addcdiv", step(f"{_DIV}(1, 2, 1); {_ADD}(0, 1, 0)")),
    Binary("lerp", step(f"{_SUB}(1, 0, 1); {_MUL}(1, 2, 1); {_ADD}(0, 1, 0)")),
    Binary("mac", step(f"{_MUL}(0, 1, 0); {_ADD}(0, 2, 0)"), _MAC_INT),
)

BINARY: Mapping[str, Binary] = MappingProxyType({row.name: row for row in _ROWS})
