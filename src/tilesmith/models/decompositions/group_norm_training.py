"""The gradient of a group norm, by distances from the mean."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from tilesmith.models.decompositions.registry import decomposition

aten = torch.ops.aten


@decomposition(aten.native_group_norm_backward.default, stage="autograd")
def group_norm_backward(
    grad: Tensor,
    x: Tensor,
    mean: Tensor,
    scale: Tensor,
    weight: Tensor | None,
    batch: int,
    channels: int,
    area: int,
    groups: int,
    mask: Sequence[bool],
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """PyTorch's own takes the mean from sums over values: of values far from zero nothing would be left.

    >>> x = Tensor([[[1.0], [2.0], [4.0], [8.0]]])
    >>> _, mean, scale = torch.native_group_norm(x, None, None, 1, 4, 1, 2, 0.0)
    >>> made = group_norm_backward(x, x, mean, scale, torch.ones(4), 1, 4, 1, 2, [True] * 3)
    >>> made[1].tolist(), made[2].tolist()
    ([-1.0, 2.0, -4.0, 8.0], [1.0, 2.0, 4.0, 8.0])
    """
    wide = torch.promote_types(x.dtype, torch.float32)
    parts, along = [batch, groups, channels // groups, area], [batch, groups, 1, 1]
    scale, wanted = scale.to(wide).reshape(along), grad.to(wide).reshape(parts)
    normal = (x.to(wide).reshape(parts) - mean.to(wide).reshape(along)) * scale
    of_x, of_weight, of_bias = None, None, None
    if mask[0]:
        factor = 1.0 if weight is None else weight.to(wide).reshape(1, groups, -1, 1)
        given = wanted * factor
        away = given - given.mean([2, 3], keepdim=True)
        of_x = (away - normal * (given * normal).mean([2, 3], keepdim=True)) * scale
        of_x = of_x.reshape(x.shape).to(x.dtype)
    kept = x.dtype if weight is None else weight.dtype
    if mask[1]:
        of_weight = (wanted * normal).sum([0, 3]).reshape(channels).to(kept)
    if mask[2]:
        of_bias = wanted.sum([0, 3]).reshape(channels).to(kept)
    return of_x, of_weight, of_bias
