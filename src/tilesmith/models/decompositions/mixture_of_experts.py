"""Rows that go to experts: each row is multiplied with the weight of the group it is in."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from tilesmith.models.decompositions.registry import decomposition, value_of

aten = torch.ops.aten


def has_weight_per_group(node: Node) -> bool:
    """rows, a weight for each group and where groups end, nothing else"""
    args: Any = node.args
    plain = len(args) > 2 and args[2] is not None and all(one is None for one in args[3:])
    return bool(plain and value_of(args[0]).dim() == 2 and value_of(args[1]).dim() == 3)


def has_limits(node: Node) -> bool:
    """the limits are given"""
    args: Any = node.args
    return len(args) == 4 and args[3] > args[2]


# By name: some are operators of packages that need not be there.
@decomposition("transformers::grouped_mm_fallback", "aten::_grouped_mm", when=has_weight_per_group)
def grouped_mm(x: Tensor, weight: Tensor, ends: Tensor, *_: None) -> Tensor:
    """Rows up to ends[0] times weight[0], those from there to ends[1] times weight[1] ...

    All rows are multiplied with every weight, and what does not belong is left out.

    >>> weight = torch.tensor([[[1.0]], [[10.0]]])
    >>> grouped_mm(torch.ones(3, 1), weight, torch.tensor([1, 3])).tolist()
    [[1.0], [10.0], [10.0]]
    """
    rows = torch.arange(x.shape[0])
    starts = torch.cat([ends.new_zeros(1), ends[:-1]])
    inside = (rows >= starts[:, None]) & (rows < ends[:, None])
    result = torch.matmul(x.unsqueeze(0), weight)
    return torch.where(inside.unsqueeze(-1), result, 0.0).sum(0)


@decomposition("aten::histc", when=has_limits)
def histc(x: Tensor, bins: int = 100, least: float = 0, most: float = 0) -> Tensor:
    """torch.histc between two limits: how many numbers are in each bin.

    >>> histc(torch.tensor([0.0, 2.0, 2.0]), 3, 0, 2).tolist()
    [1.0, 0.0, 2.0]
    """
    flat = x.reshape(1, -1)
    number = torch.floor((flat - least) * (bins / (most - least))).clamp(max=bins - 1)
    inside = (flat >= least) & (flat <= most)
    hits = (number == torch.arange(bins, dtype=x.dtype)[:, None]) & inside
    return hits.to(x.dtype).sum(-1)
