"""Functions made from rows of a table: their arguments, and the step they stand for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import Any

from tilesmith.ops.elementwise.activation import Activation
from tilesmith.ops.elementwise.api import elementwise
from tilesmith.ops.tensor import Tensor

_KEYWORDS = ("memory_config", "output_tensor", "sub_core_grids")


@dataclass(frozen=True)
class UnaryFunction:
    """`needed` and `optional` are arguments by ttnn's names; `numbers` makes the step's parameters of it."""

    name: str
    doc: str
    step: str = ""  # the name in the table of steps, where it differs
    needed: tuple[str, ...] = ()
    optional: tuple[tuple[str, Any], ...] = ()
    numbers: Callable[..., tuple[float, ...]] = lambda *given: given

    @property
    def signature(self) -> Signature:
        """ttnn's: the tensor, numbers that are needed, and keywords."""
        either, keyword = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
        options = (*self.optional, *((name, None) for name in _KEYWORDS))
        return Signature(
            [
                *(Parameter(name, either) for name in ("input_tensor", *self.needed)),
                *(Parameter(name, keyword, default=value) for name, value in options),
            ],
            return_annotation=Tensor,
        )

    def function(self) -> Callable[..., Tensor]:
        """The function, with ttnn's name and signature."""
        signature = self.signature
        own = (*self.needed, *(name for name, _ in self.optional))
        step = self.step or self.name

        def call(*args: Any, **kwargs: Any) -> Tensor:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            given = bound.arguments
            return apply(
                step,
                given["input_tensor"],
                self.numbers(*(given[name] for name in own)),
                given["memory_config"],
                given["output_tensor"],
            )

        call.__name__ = call.__qualname__ = self.name
        call.__doc__ = self.doc
        call.__signature__ = signature  # type: ignore[attr-defined]  # what inspect and help show
        return call


def apply(
    name: str,
    tensor: Tensor,
    parameters: tuple[float, ...] = (),
    memory_config: Any = None,
    output_tensor: Tensor | None = None,
) -> Tensor:
    """One unary step on a tensor."""
    return elementwise(
        "",
        [tensor],
        after=[Activation(name, *parameters)],
        memory_config=memory_config,
        output_tensor=output_tensor,
    )
