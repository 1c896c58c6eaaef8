"""Products of complex numbers that come from pairs of real ones and go back to them: products of the pairs.

Rotary positions are written so in some models. The chip has no complex numbers.
"""

from __future__ import annotations

import torch
from torch.fx import GraphModule, Node

from tilesmith.graph.passes.edit import insert, replace, tidy

aten = torch.ops.aten


def capture_complex(module: GraphModule) -> None:
    """view_as_real(view_as_complex(pairs) * factor) -> elementwise work on the pairs."""
    for node in list(module.graph.nodes):
        if node.target is aten.view_as_real.default:
            found = _pairs_and_factor(node.args[0])
            if found is not None:
                replace(module, node, _product(module, node, *found))
    tidy(module)


def _pairs_and_factor(product: object) -> tuple[Node, Node] | None:
    if not isinstance(product, Node) or product.target is not aten.mul.Tensor:
        return None
    first, second = product.args
    for one, other in ((first, second), (second, first)):
        if isinstance(one, Node) and isinstance(other, Node) and one.target is aten.view_as_complex.default:
            pairs = one.args[0]
            assert isinstance(pairs, Node)
            return pairs, other
    return None


def _product(module: GraphModule, at: Node, pairs: Node, factor: Node) -> Node:
    def call(target: object, *args: object) -> Node:
        return insert(module, at, target, args)

    a, b = (call(aten.select.int, pairs, -1, part) for part in (0, 1))
    both = call(aten.view_as_real.default, factor)
    c, d = (call(aten.select.int, both, -1, part) for part in (0, 1))
    real = call(aten.sub.Tensor, call(aten.mul.Tensor, a, c), call(aten.mul.Tensor, b, d))
    imaginary = call(aten.add.Tensor, call(aten.mul.Tensor, a, d), call(aten.mul.Tensor, b, c))
    made = [call(aten.unsqueeze.default, one, -1) for one in (real, imaginary)]
    return call(aten.cat.default, made, -1)
