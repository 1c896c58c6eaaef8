"""Products over one element are elementwise: the matrix unit would round what positions are made from."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.fx import Node

from tilesmith.models.decompositions.registry import decomposition, value_of

aten = torch.ops.aten


def has_one_input(node: Node) -> bool:
    """the inner dimension is 1"""
    x, weight = (value_of(one) for one in node.args[:2])
    return bool(min(x.dim(), weight.dim()) >= 2 and x.shape[-1] == 1)


@decomposition(aten.linear.default, when=has_one_input)
def outer_linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """A linear layer of one input: a product of each element with each weight.

    >>> outer_linear(torch.tensor([[2.0]]), torch.tensor([[3.0], [4.0]])).tolist()
    [[6.0, 8.0]]
    """
    result = x * weight.reshape(-1)
    return result if bias is None else result + bias


@decomposition(aten.matmul.default, aten.mm.default, aten.bmm.default, when=has_one_input)
def outer_product(x: Tensor, weight: Tensor) -> Tensor:
    """A product of each element with each weight.

    >>> outer_product(torch.tensor([[2.0]]), torch.tensor([[3.0, 4.0]])).tolist()
    [[6.0, 8.0]]
    """
    return x * weight
