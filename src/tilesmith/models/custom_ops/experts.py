"""tilesmith::grouped_linear and group_rows: rows, each multiplied with the weight of its expert."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import torch
from torch import Tensor


@torch.library.custom_op("tilesmith::grouped_linear", mutates_args=())
def grouped_linear(x: Tensor, weight: Tensor, ids: Tensor, outputs_first: bool) -> Tensor:
    """Row i times weight[ids[i]] of (group, column, output), or (group, output, column) with `outputs_first`.

    `ids` has one column; a row is zero where there is no such group. Rows may come in any order: a kernel is
    fastest where they come group by group.

    >>> weight = torch.tensor([[[1.0]], [[10.0]]])
    >>> grouped_linear(torch.ones(3, 1), weight, torch.tensor([[1], [0], [2]]), False).tolist()
    [[10.0], [1.0], [0.0]]
    """
    weights = weight.transpose(1, 2) if outputs_first else weight
    result = x.new_zeros(x.shape[0], weights.shape[2])
    flat = ids.reshape(-1)
    for group in (int(one) for one in flat.unique().tolist()):
        if 0 <= group < len(weights):
            rows = (flat == group).nonzero().reshape(-1)
            result[rows] = x[rows] @ weights[group]
    return result


@grouped_linear.register_fake
def _(x: Tensor, weight: Tensor, ids: Tensor, outputs_first: bool) -> Tensor:
    torch._check(
        x.dim() == ids.dim() == 2
        and weight.dim() == 3
        and x.shape[1] == weight.shape[2 if outputs_first else 1],
        lambda: "tilesmith::grouped_linear takes rows, a weight for each group and a column of numbers",
    )
    return x.new_empty((x.shape[0], weight.shape[1 if outputs_first else 2]))


@torch.library.custom_op("tilesmith::group_rows", mutates_args=())
def group_rows(ids: Tensor, share: int) -> tuple[Tensor, Tensor, Tensor]:
    """How rows lie group by group, where `share` rows one after another were one before.

    The numbers of their groups in order; which one each comes from; and where each went.

    >>> [one.tolist() for one in group_rows(torch.tensor([1, 0, 1, 1]), 2)]
    [[0, 1, 1, 1], [0, 0, 1, 1], [1, 0, 2, 3]]
    """
    ordered, rows = torch.sort(ids, stable=True)
    places = torch.empty_like(rows)
    places[rows] = torch.arange(len(rows))
    return ordered, rows // share, places


@group_rows.register_fake
def _(ids: Tensor, share: int) -> tuple[Tensor, Tensor, Tensor]:
    rows, places = (ids.new_empty(ids.shape, dtype=torch.int64) for _ in range(2))
    return torch.empty_like(ids), rows, places


def grouped_formula(ids: Tensor, share: int) -> tuple[Tensor, Tensor, Tensor]:
    """By comparing every number with every other: a row goes behind those of earlier groups."""
    size = len(ids)
    own, other = ids.unsqueeze(-1), ids.unsqueeze(0)
    earlier = torch.ones(size, size, dtype=torch.bool).tril(-1)
    places = ((other < own) | ((other == own) & earlier)).sum(-1).clamp(max=size - 1)
    taken = places.unsqueeze(0) == torch.arange(size).unsqueeze(-1)
    ordered = torch.where(taken, other, 0).sum(-1)
    source = torch.where(taken, torch.arange(size) // share, 0).sum(-1).clamp(max=(size - 1) // share)
    return ordered.to(ids.dtype), source, places
