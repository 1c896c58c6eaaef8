"""Graphs that torch.ao's FX mode made: calls on quantised tensors become calls on reals."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule, Node

from tilesmith.models.decompositions.quantized import requantised

_QUANTISE = torch.quantize_per_tensor
_METHODS = ("dequantize",)


def has_quantised_calls(module: GraphModule) -> bool:
    """Whether a graph quantises, dequantises, or computes with quantised tensors."""
    return any(_replacement(node) is not None for node in module.graph.nodes)


def plain_graph(module: GraphModule) -> GraphModule:
    """The same graph over reals. Modules it calls are those the given one has now."""
    graph = copy.deepcopy(module.graph)
    for node in graph.nodes:
        replaced = _replacement(node)
        if replaced is not None:
            node.op, node.target = "call_function", replaced
            node.args = tuple(_known(module, arg) for arg in node.args)
            node.kwargs = {key: _known(module, arg) for key, arg in node.kwargs.items()}
    result = GraphModule(module, graph)
    result.graph.eliminate_dead_code()
    result.recompile()
    return result


def _known(module: GraphModule, arg: Any) -> Any:
    """An argument; a scale or zero point that the graph holds as a tensor is the number in it."""
    if not isinstance(arg, Node) or arg.op != "get_attr":
        return arg
    value: Any = module
    for part in str(arg.target).split("."):
        value = getattr(value, part)
    return value.item() if isinstance(value, Tensor) and value.numel() == 1 else arg


def _replacement(node: Node) -> Callable[..., Any] | None:
    if node.op == "call_method":
        return _dequantise if node.target in _METHODS else None
    if node.op != "call_function":
        return None
    if node.target is _QUANTISE:
        return _quantise
    if node.target is torch.dequantize:
        return _dequantise
    return _CALLS.get(_name(node.target))


def _name(target: Any) -> str:
    schema = getattr(target, "_schema", None)
    return str(schema.name) if schema is not None else str(getattr(target, "_qualified_op_name", ""))


def _quantise(x: Tensor, scale: Any, zero_point: Any, dtype: torch.dtype) -> Tensor:
    return requantised(x, float(scale), int(zero_point), dtype)


def _dequantise(x: Tensor) -> Tensor:
    return x


def _again(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A function of reals whose result is quantised with the scale and zero point given last."""

    def call(*args: Any) -> Tensor:
        *values, scale, zero_point = args
        return requantised(function(*values), float(scale), int(zero_point), torch.quint8)

    return call


_CALLS: dict[str, Callable[..., Tensor]] = {
    "quantized::add": _again(torch.add),
    "quantized::add_relu": _again(lambda a, b: torch.add(a, b).relu()),
    "quantized::mul": _again(torch.mul),
    "quantized::mul_relu": _again(lambda a, b: torch.mul(a, b).relu()),
    "quantized::cat": lambda values, dim, scale, zero: _again(torch.cat)(values, dim, scale, zero),
}
"""What FX mode calls besides modules, by the name of the operator."""
