"""ttnn.operations.activations: activations in torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilesmith.errors import OperationError
from tilesmith.ops.elementwise.activation import UnaryOpType, applied
from tilesmith.ops.elementwise.reference import UNARY


def get_golden_function_for_activation(activation: Any) -> Callable[..., Any] | None:
    """The function in torch of an activation: its name, its UnaryOpType, or one with numbers."""
    if activation is None:
        return None
    if isinstance(activation, str):
        return _named(activation.removesuffix("_approx"))
    if isinstance(activation, UnaryOpType):
        return _named(activation.name.lower())
    (step,) = applied([activation])
    function = _named(step.name.removesuffix("_fast"))
    return lambda tensor, **_: function(tensor, *step.parameters)


def _named(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] | None = UNARY.get(name)
    if function is None:
        raise OperationError(f"Unsupported activation: {name}")
    return function
