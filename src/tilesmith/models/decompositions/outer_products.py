"""Products over one element are elementwise: the matrix unit would round what positions are made from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def outer_linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """A linear layer of one input.

    >>> outer_linear(torch.tensor([[2.0]]), torch.tensor([[3.0], [4.0]])).tolist()
    [[6.0, 8.0]]
    """
    made = x * weight.reshape(-1)
    return made if bias is None else made + bias


OUTER_PRODUCTS: dict[Any, Callable[..., Any]] = {
    aten.linear.default: outer_linear,
    **dict.fromkeys((aten.matmul.default, aten.mm.default, aten.bmm.default), lambda x, w: x * w),
}
"""What each is made of."""


def is_outer(args: Sequence[Any]) -> bool:
    """Whether a product is over one element; tensors are nodes here."""
    x, weight = (one.meta["val"] for one in args[:2])
    return bool(min(x.dim(), weight.dim()) >= 2 and x.shape[-1] == 1)
