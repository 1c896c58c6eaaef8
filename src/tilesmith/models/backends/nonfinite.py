"""NaN and infinity: kernels cannot tell them apart, so calls that meet them are computed with torch.

A kernel reads NaN as infinity, and makes infinity where torch makes NaN. Infinity that was put in, as masks
do, passes through kernels as it should. So a call goes to the host if NaN is brought to the device, and if
its results are not finite, unless the model itself puts infinity there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isinf
from typing import Any

import torch
from torch.fx import GraphModule, Interpreter, Node
from torch.fx.node import Target

from tilesmith.models.capture.output_strides import strides_of
from tilesmith.models.custom_ops.eager import on_host
from tilesmith.models.passes.edit import runnable
from tilesmith.models.planning.dtypes import is_real
from tilesmith.models.planning.finite import has_infinity, has_nan, is_finite
from tilesmith.models.planning.op_tables import MOVES, VIEWS
from tilesmith.models.planning.plan import constants_of
from tilesmith.models.planning.pointwise import is_pointwise


class GivenNaN(Exception):
    """NaN is about to be brought to the device."""


def refuse_nan(name: str, value: torch.Tensor) -> None:
    """
    >>> refuse_nan("x", torch.tensor([1.0, float("inf")]))
    """
    if has_nan(value):
        raise GivenNaN(f"NaN in {name}")


def refuse_infinity(name: str, value: torch.Tensor) -> None:
    """
    >>> refuse_infinity("x", torch.tensor([1.0]))
    """
    if not is_finite(value):
        raise GivenNaN(f"{name} is not finite, and may be NaN")


class Reference:
    """A graph as it was captured, to run with torch."""

    def __init__(self, module: GraphModule) -> None:
        self._module = module
        results = next(node for node in reversed(module.graph.nodes) if node.op == "output").args[0]
        constants = constants_of(module)
        assert isinstance(results, list | tuple)
        self._infinite = [isinstance(one, Node) and _puts_infinity(one, constants) for one in results]
        self.strides = [strides_of(one) for one in results]

    def doubts(self, results: Sequence[Any]) -> bool:
        """Whether results hold NaN, or infinity that the model did not put there."""
        for value, expected in zip(results, self._infinite, strict=True):
            if isinstance(value, torch.Tensor) and (has_nan(value) if expected else not is_finite(value)):
                return True
        return False

    def run(self, inputs: Sequence[Any], values: Mapping[str, Any]) -> list[Any]:
        """The results; what was drawn at random in `values` is not drawn again."""
        with torch.no_grad(), on_host():
            return list(_Replay(self._module, values).run(*inputs))


class _Replay(Interpreter):
    def __init__(self, module: GraphModule, values: Mapping[str, Any]) -> None:
        super().__init__(module)
        self._values = values

    def run_node(self, n: Node) -> Any:
        tags = getattr(n.target, "tags", ())
        if torch.Tag.nondeterministic_seeded in tags and n.name in self._values:
            return self._values[n.name]
        return super().run_node(n)

    def call_function(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return super().call_function(runnable(target), args, kwargs)


def _puts_infinity(node: Node, constants: Mapping[Node, torch.Tensor], depth: int = 12) -> bool:
    """Whether a result may be infinite because the model says so: a mask, or elements that are hidden."""
    if node in constants:
        return has_infinity(constants[node])
    if node.op != "call_function" or depth == 0:
        return False
    if any(isinstance(arg, float) and isinf(arg) for arg in node.args):
        return is_real(node)
    moved = node.target in VIEWS or node.target in MOVES or is_pointwise(node)
    return moved and any(_puts_infinity(one, constants, depth - 1) for one in node.all_input_nodes)
