"""ttnn.operations.activations: activations in torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilesmith.ops.elementwise.activation import UnaryOpType
from tilesmith.ops.elementwise.reference import UNARY


def get_golden_function_for_activation(activation: Any) -> Callable[..., Any] | None:
    """The function in torch of an activation: its name, its UnaryOpType, or one with numbers."""
    if activation is None:
        return None
    if isinstance(activation, str):
        return UNARY[activation]
    if isinstance(activation, UnaryOpType):
        return UNARY[activation.name.lower()]
    numbers = tuple(getattr(activation, "params", ()))
    function = UNARY[activation.op_type.name.lower()]
    return lambda tensor, **_: function(tensor, *numbers)
