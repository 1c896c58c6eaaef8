"""Products with factors: addmm whose `alpha` and `beta` are not 1, and attention in forms no kernel has."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from tilesmith.models.decompositions.registry import decomposition

aten = torch.ops.aten


def has_factors(node: Node) -> bool:
    """alpha or beta is not 1"""
    return any(node.kwargs.get(name, 1) != 1 for name in ("alpha", "beta"))


def drops(node: Node) -> bool:
    """Whether attention drops weights by chance."""
    return bool(node.args[4] if len(node.args) > 4 else 0.0)


def has_kernel_form(node: Node) -> bool:
    """Whether the kernel of attention takes the shapes of a call: (batch, head, row, column), one batch."""
    given: Sequence[Any] = node.args
    query, key, value = (tuple(one.meta["val"].shape) for one in given[:3])
    causal = bool(given[5]) if len(given) > 5 else False
    if len(query) != 4 or len(key) != 4 or len(value) != 4:
        return False
    if causal and query[-2] != key[-2]:
        return False
    grouped = node.kwargs.get("enable_gqa", False) and query[1] % key[1] == 0
    return query[0] == key[0] == value[0] and key[1] == value[1] and (query[1] == key[1] or bool(grouped))


def needs_other_form(node: Node) -> bool:
    """no dropout, and other shapes than (batch, head, row, column) of one batch"""
    return not drops(node) and not has_kernel_form(node)


@decomposition(aten.addmm.default, when=has_factors)
def addmm(x: Tensor, a: Tensor, b: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """A product, scaled, and what is added to it: nothing where beta is zero, not even NaN.

    >>> addmm(torch.full((1, 1), torch.nan), torch.ones(1, 2), torch.ones(2, 1), beta=0, alpha=3)
    tensor([[6.]])
    """
    result = torch.mm(a, b)
    result = result if alpha == 1 else result * alpha
    if beta == 0:
        return result
    return result + (x if beta == 1 else x * beta)


@decomposition(aten.scaled_dot_product_attention.default, when=needs_other_form)
def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    _dropout: float = 0.0,
    causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Attention over any batch dimensions, which are broadcast, as attention over (batch, head, row, column).

    >>> q, k = torch.zeros(2, 8), torch.zeros(3, 8)
    >>> attention(q.double(), k.double(), k.double() + 1, causal=True).unique().tolist()
    [1.0]
    """
    factor = query.shape[-1] ** -0.5 if scale is None else scale
    rows, keys = query.shape[-2], key.shape[-2]
    if causal and rows != keys:  # the first row sees the first key alone
        mask, causal = torch.ones(rows, keys, dtype=torch.bool).tril(), False
    if enable_gqa and query.dim() > 2 and query.shape[-3] != key.shape[-3]:
        key, value = (_repeated_heads(one, query.shape[-3]) for one in (key, value))
    lead = torch.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    four = [prod(lead[:-1]), lead[-1] if lead else 1]
    q, k, v = (
        tensor.expand(*lead, *tensor.shape[-2:]).reshape(*four, *tensor.shape[-2:])
        for tensor in (query, key, value)
    )
    if mask is not None and len(lead) != 2:
        mask = mask.expand(*lead, rows, keys).reshape(*four, rows, keys) if mask.dim() > 2 else mask
    result: Tensor = torch.ops.tilesmith.attention(q, k, v, mask, causal, factor)
    return result.reshape(*lead, rows, value.shape[-1])


def _repeated_heads(shared: Tensor, heads: int) -> Tensor:
    return shared.repeat_interleave(heads // shared.shape[-3], -3)
