"""C++ for `tile.fn` on data-movement cores: functions of single numbers."""

from __future__ import annotations

from tilesmith.compiler.codegen.cpp import Emitter, Expr, expresses
from tilesmith.compiler.codegen.float8 import need_float8
from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.float8 import FLOAT8

_SAME_NAME = frozenset(
    {
        *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "erf", "erfc", "pow", "hypot"),
        *(
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "atan2",
            "sinh",
            "cosh",
            "tanh",
            "asinh",
            "acosh",
            "atanh",
        ),
        *("floor", "ceil", "trunc", "fmod", "copysign", "isnan", "isinf", "isfinite", "abs"),
    }
)
# To nearest, ties to even, as the vector unit and numpy do; std::round goes away from zero.
_RENAMED = {"round": "std::nearbyint", "popcount": "__builtin_popcount"}
_FORMULAS = {
    "exp10": "std::pow(10.0f, {})",
    "rsqrt": "1.0f / std::sqrt({} + 0.0f)",  # of negative zero what it is of zero, as on tiles
    "recip": "1.0f / {}",
    "sigmoid": "1.0f / (1.0f + std::exp(-({})))",
}


_FLOAT8 = {float8.function: float8 for float8 in FLOAT8.values()}

_TO_BFLOAT16 = """
// Rounded to bfloat16, to nearest even.
inline float to_bfloat16(float value) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    const float rounded = __builtin_bit_cast(float, (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000);
    return value != value ? value : rounded;
}
"""

_TO_HALF = """
// Rounded to float16, to nearest even; infinite beyond its largest number.
inline float to_half(float value) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    const float rounded = __builtin_bit_cast(float, (bits + 0xFFF + ((bits >> 13) & 1)) & 0xFFFFE000);
    return value != value ? value : rounded * 0x1p112f * 0x1p-112f;
}
"""


@expresses(tile.FnOp)
def _function(e: Emitter, op: tile.FnOp) -> Expr:
    e.include("<cmath>")
    name = op.fn.data
    args = [e.value(arg) for arg in op.args]
    if name == "half":
        e.helper("to_half", _TO_HALF)
        return Expr(f"to_half({args[0]})")
    if name == "bfloat16":
        e.helper("to_bfloat16", _TO_BFLOAT16)
        return Expr(f"to_bfloat16({args[0]})")
    if name in _FLOAT8:
        need_float8(e, _FLOAT8[name])
        return Expr(f"to_{name}({args[0]})")
    if name in _FORMULAS:
        return Expr(f"({_FORMULAS[name].format(e.operand(op.args[0]))})")
    call = f"std::{name}" if name in _SAME_NAME else _RENAMED[name]
    return Expr(f"{call}({', '.join(args)})")
