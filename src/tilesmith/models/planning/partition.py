"""Which nodes of a graph run on the device. Views of host values, and whole numbers made of them, do not."""

from __future__ import annotations

import operator
from collections.abc import Collection
from math import inf

import torch
from torch.fx import Graph, Node

from tilesmith.models.planning.dtypes import is_complex, is_real
from tilesmith.models.planning.op_tables import ANCHORS, VIEWS
from tilesmith.models.planning.pointwise import is_pointwise

aten = torch.ops.aten


def on_device(graph: Graph, constants: Collection[Node]) -> set[Node]:
    """The nodes that kernels, or views of what kernels made, compute."""
    chosen: set[Node] = set()
    for node in graph.nodes:
        if node.op == "call_function" and node not in constants and _is_for_device(node, chosen):
            chosen.add(node)
    return chosen


def _is_for_device(node: Node, chosen: set[Node]) -> bool:
    fed = any(source in chosen for source in node.all_input_nodes)
    if node.target in VIEWS or node.target is operator.getitem:
        source = node.args[0]
        return isinstance(source, Node) and source in chosen
    value = node.meta.get("val")
    if not isinstance(value, torch.Tensor) or value.numel() == 0:
        return False
    if any(map(is_complex, (node, *node.all_input_nodes))):
        return False
    if _sees_nan(node) and not fed:
        return False
    if node.target is aten.clone.default and (not fed or all(user.op == "output" for user in node.users)):
        return False
    if is_pointwise(node):
        return fed or value.dtype.is_floating_point or any(map(is_real, node.all_input_nodes))
    return node.target in ANCHORS


def _sees_nan(node: Node) -> bool:
    """Whether a comparison tells NaN from infinity. Kernels that sum with 32 bits copy one as the other."""
    if node.target in (aten.eq.Tensor, aten.ne.Tensor):
        return node.args[0] is node.args[1]
    to_infinity = node.target in (aten.eq.Scalar, aten.ne.Scalar) and node.args[1] in (inf, -inf)
    return to_infinity or node.target is aten.isnan.default


def why_on_host(node: Node) -> str:
    """Why a node that computes something is left to the host."""
    value = node.meta.get("val")
    if any(map(is_complex, (node, *node.all_input_nodes))):
        return "complex numbers"
    if node.target is aten.clone.default:
        return "a copy of what is on the host"
    if not any(map(is_real, (node, *node.all_input_nodes))):
        return "whole numbers and truth values made from the model's inputs"
    if isinstance(value, torch.Tensor) and value.numel() == 0:
        return "an empty tensor"
    if _sees_nan(node):
        return "inputs lose NaN on their way through the matrix unit"
    return "no kernel does this operator"
