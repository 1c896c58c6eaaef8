"""The registry of decompositions: which operator is written with which others, and for which calls.

>>> import torch
>>> @decomposition(torch.ops.aten.square.default, registry=Registry())
... def square(x: torch.Tensor) -> torch.Tensor:
...     return x * x
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import torch
from torch.fx import Node

Function = TypeVar("Function", bound=Callable[..., Any])
Stage = Literal["graph", "autograd"]


def every_call(_node: Node) -> bool:
    """every call"""
    return True


@dataclass(frozen=True)
class Decomposition:
    """One way to write an operator with others. `stage` is "autograd" where AOTAutograd is to apply it."""

    op: Any
    function: Callable[..., Any]
    when: Callable[[Node], bool]
    stage: Stage = "graph"

    @property
    def name(self) -> str:
        """The operator as torch writes it, such as "aten::cumsum"."""
        if isinstance(self.op, str):
            return self.op
        overload = self.op._overloadname
        return str(self.op._schema.name) + ("" if overload == "default" else f".{overload}")


@dataclass
class Registry:
    """Every decomposition, by operator, or by name where the package of the operator need not be there."""

    _of: dict[Any, list[Decomposition]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Decomposition]:
        for entries in self._of.values():
            yield from entries

    def add(self, entry: Decomposition) -> None:
        self._of.setdefault(entry.op, []).append(entry)

    def find(self, node: Node) -> Decomposition | None:
        """The first decomposition whose condition the call meets."""
        if node.op != "call_function":
            return None
        schema = getattr(node.target, "_schema", None)
        entries = self._of.get(node.target) or self._of.get(getattr(schema, "name", None)) or ()
        return next((one for one in entries if one.stage == "graph" and one.when(node)), None)

    def of_autograd(self) -> dict[Any, Callable[..., Any]]:
        """What AOTAutograd applies while it derives the backward graph."""
        return {entry.op: entry.function for entry in self if entry.stage == "autograd"}


REGISTRY = Registry()


def decomposition(
    *ops: Any,
    when: Callable[[Node], bool] = every_call,
    stage: Stage = "graph",
    registry: Registry = REGISTRY,
) -> Callable[[Function], Function]:
    """Register a function of the operator's own arguments as its decomposition, for calls `when` says yes to.

    An operator may have several; the first that takes a call is used. `when` sees the node of the call.
    """

    def register(function: Function) -> Function:
        for op in ops:
            registry.add(Decomposition(op, function, when, stage))
        return function

    return register


def value_of(argument: Any) -> torch.Tensor:
    """The shape and dtype that a node stands for."""
    value: torch.Tensor = argument.meta["val"]
    return value
