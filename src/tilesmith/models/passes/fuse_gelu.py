"""GELU written out, with tanh or erf, becomes gelu."""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import insert, replace, tidy
from tilesmith.models.passes.match import factors, is_call, is_near, terms, with_number

aten = torch.ops.aten


def fuse_gelu(module: GraphModule) -> None:
    """Find 0.5 * x * (1 + f(x)) in the ways it is written."""
    for node in list(module.graph.nodes):
        found = _gelu(node)
        if found is not None:
            source, how = found
            replace(module, node, insert(module, node, aten.gelu.default, (source,), {"approximate": how}))
    tidy(module)


def _gelu(node: Any) -> tuple[Node, str] | None:
    pair = factors(node)
    for half, rest in () if pair is None else (pair, pair[::-1]):
        halved, shifted = with_number(factors(half)), with_number(terms(rest))
        if halved is None or shifted is None or halved[1] != 0.5 or shifted[1] != 1.0:
            continue
        source, bend = halved[0], shifted[0]
        if is_call(bend, aten.tanh.default) and _is_cubic(bend.args[0], source):
            return source, "tanh"
        if is_call(bend, aten.erf.default) and _is_scaled(bend.args[0], source):
            return source, "none"
    return None


def _is_scaled(node: Any, source: Node) -> bool:
    scaled = with_number(factors(node))
    if scaled is not None:
        return scaled[0] is source and is_near(scaled[1], sqrt(0.5))
    divided = (node.args[0], node.args[1]) if is_call(node, aten.div.Tensor) else None
    found = with_number(divided)
    return found is not None and found[0] is source and is_near(found[1], sqrt(2))


def _is_cubic(node: Any, source: Node) -> bool:
    scaled = with_number(factors(node))
    if scaled is None or not is_near(scaled[1], sqrt(2 / pi)):
        return False
    sides = terms(scaled[0])
    for first, second in () if sides is None else (sides, sides[::-1]):
        cube = with_number(factors(second))
        if first is source and cube is not None and is_near(cube[1], 0.044715):
            return is_call(cube[0], aten.pow.Tensor_Scalar) and cube[0].args == (source, 3)
    return False
