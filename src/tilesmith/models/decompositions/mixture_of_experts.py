"""Rows that go to experts: each row is multiplied with the weight of the group it is in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def grouped_product(x: Tensor, weight: Tensor, ends: Tensor, *_: None) -> Tensor:
    """Rows up to ends[0] times weight[0], those from there to ends[1] times weight[1] ...

    All rows are multiplied with every weight, and what does not belong is left out.

    >>> weight = torch.tensor([[[1.0]], [[10.0]]])
    >>> grouped_product(torch.ones(3, 1), weight, torch.tensor([1, 3])).tolist()
    [[1.0], [10.0], [10.0]]
    """
    rows = torch.arange(x.shape[0])
    starts = torch.cat([ends.new_zeros(1), ends[:-1]])
    inside = (rows >= starts[:, None]) & (rows < ends[:, None])
    made = torch.matmul(x.unsqueeze(0), weight)
    return torch.where(inside.unsqueeze(-1), made, 0.0).sum(0)


def counted(x: Tensor, bins: int = 100, least: float = 0, most: float = 0) -> Tensor:
    """torch.histc between two limits: how many numbers are in each bin.

    >>> counted(torch.tensor([0.0, 2.0, 2.0]), 3, 0, 2).tolist()
    [1.0, 0.0, 2.0]
    """
    flat = x.reshape(1, -1)
    number = torch.floor((flat - least) * (bins / (most - least))).clamp(max=bins - 1)
    inside = (flat >= least) & (flat <= most)
    hits = (number == torch.arange(bins, dtype=x.dtype)[:, None]) & inside
    return hits.to(x.dtype).sum(-1)


EXPERTS: dict[str, Callable[..., Any]] = {
    "transformers::grouped_mm_fallback": grouped_product,
    "aten::_grouped_mm": grouped_product,
    "aten::histc": counted,
}
"""What each is made of, by name: some are operators of packages that need not be there."""


def can_route(name: str, args: Any) -> bool:
    """Whether a call is one of those: a histogram says its limits, a product has a weight for each group."""
    if name == "aten::histc":
        return len(args) == 4 and args[3] > args[2]
    plain = len(args) > 2 and args[2] is not None and all(one is None for one in args[3:])
    return bool(plain and args[0].meta["val"].dim() == 2 and args[1].meta["val"].dim() == 3)
