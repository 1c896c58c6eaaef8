"""Activations as callers name them: a string, ttnn.UnaryOpType, or ttnn.UnaryWithParam."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from tilesmith.ops.checks import fatal
from tilesmith.ops.elementwise.steps import Applied
from tilesmith.ops.elementwise.unary_table import UNARY

# ttnn's names of UnaryOpType that differ from those of the functions.
_TTNN_NAMES = {
    "recip": "reciprocal",
    "logical_not_unary": "logical_not",
    "clamp_tsfpu": "clamp",
    "pow": "power",
    "swish": "silu",
}

# Strings that name a way to compute as well.
_APPROXIMATIONS = {"gelu_approx": "gelu_fast", "sigmoid_approx": "sigmoid"}

# Their number in ttnn says how they are computed, and is no operand.
_MODES = {"gelu", "gelu_tanh", "sigmoid", "sqrt", "rsqrt", "exp", "log", "log2", "log10", "log1p", "tanh"}
_MODES |= {"erf", "erfc", "reciprocal", "silu", "relu", "mish"}

# ttnn's other members: they can be named, and are refused where they are applied.
_UNSERVED = (
    "ABS_INT32 POWER_ITERATIVE RSUB ADD_UNARY_SFPU SUB_UNARY_SFPU MUL_UNARY_SFPU DIV_UNARY_SFPU"
    " UNARY_NE UNARY_EQ UNARY_GT UNARY_LT UNARY_GE UNARY_LE TILED_PROD BITCAST BITWISE_XOR BITWISE_AND"
    " BITWISE_OR RIGHT_SHIFT LEFT_SHIFT REMAINDER FMOD DROPOUT FILL PRELU_SFPU ZERO_POINT"
    " ALT_COMPLEX_ROTATE90 MAXIMUM MINIMUM WHERE_TSS MAC_TSS CLAMP_TSS LOGSIGMOID LOGIT XIELU LGAMMA"
    " POLYGAMMA"
)
UnaryOpType = Enum(  # type: ignore[misc]  # members come from the table
    "UnaryOpType",
    {
        **{name: name.lower() for name in _UNSERVED.split()},
        **{name.upper(): name for name in (*UNARY, *_TTNN_NAMES, "typecast")},
    },
)


class SigmoidMode(Enum):
    """ttnn's ways to compute sigmoid; here there is one, the accurate one."""

    Accurate = 0
    AccurateWithFastExp = 1
    FastApproximate = 2


class GeluVariant(Enum):
    """ttnn's ways to compute gelu."""

    Accurate = 0
    FastLut = 1
    Tanh = 2


@dataclass(frozen=True)
class Activation:
    """ttnn.UnaryWithParam: an operation and its parameters.

    >>> Activation("leaky_relu", 0.1).parameters
    (0.1,)
    """

    name: str
    parameters: tuple[float, ...]

    def __init__(self, op: str | UnaryOpType, *parameters: float | Iterable[float]) -> None:
        flat = [one for value in parameters for one in (value if isinstance(value, Iterable) else (value,))]
        name = op if isinstance(op, str) else str(op.value)
        names = {**_TTNN_NAMES, **_APPROXIMATIONS}
        object.__setattr__(self, "name", names.get(name.lower(), name.lower()))
        object.__setattr__(self, "parameters", tuple(map(float, flat)))

    @property
    def op_type(self) -> UnaryOpType:
        return UnaryOpType(self.name)

    @property
    def params(self) -> list[float]:
        return list(self.parameters)


Activations: TypeAlias = "Iterable[Activation | Applied | UnaryOpType | str] | str | None"


def applied(chain: Activations) -> tuple[Applied, ...]:
    """A list of activations as steps.

    >>> applied(["relu", Activation("leaky_relu", 0.5)])
    (Applied(name='relu', parameters=()), Applied(name='leaky_relu', parameters=(0.5,)))
    """
    if not chain:
        return ()
    listed = [chain] if isinstance(chain, str) else list(chain)
    activations = [one if isinstance(one, (Activation, Applied)) else Activation(one) for one in listed]
    for activation in activations:
        known = activation.name in UNARY or activation.name == "typecast"
        fatal(known, f"Unknown unary op: {activation.name}", remedy=f"choose one of: {', '.join(UNARY)}")
    return tuple(map(_in_one_way, activations))


def _in_one_way(activation: Activation | Applied) -> Applied:
    """An activation without the number that says how ttnn computes it.

    >>> _in_one_way(Activation("gelu", 1.0)), _in_one_way(Activation("tanh", 0.0))
    (Applied(name='gelu_fast', parameters=()), Applied(name='tanh', parameters=()))
    """
    if activation.name not in _MODES:
        return Applied(activation.name, activation.parameters)
    is_fast = activation.name == "gelu" and any(activation.parameters)
    return Applied("gelu_fast" if is_fast else activation.name)
