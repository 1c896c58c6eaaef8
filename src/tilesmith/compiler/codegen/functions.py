"""C++ for `tile.fn` on data-movement cores: functions of single numbers."""

from __future__ import annotations

from tilesmith.compiler.codegen.cpp import Emitter, Expr, expresses
from tilesmith.compiler.dialects import tile

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
    "rsqrt": "1.0f / std::sqrt({})",
    "recip": "1.0f / {}",
    "sigmoid": "1.0f / (1.0f + std::exp(-({})))",
}


@expresses(tile.FnOp)
def _function(e: Emitter, op: tile.FnOp) -> Expr:
    e.include("<cmath>")
    name = op.fn.data
    args = [e.value(arg) for arg in op.args]
    if name in _FORMULAS:
        return Expr(f"({_FORMULAS[name].format(e.operand(op.args[0]))})")
    call = f"std::{name}" if name in _SAME_NAME else _RENAMED[name]
    return Expr(f"{call}({', '.join(args)})")
