"""A batch norm that learns, as sums over each channel and elementwise work."""

from __future__ import annotations

import torch
from torch import Tensor

from tilesmith.models.decompositions.registry import decomposition

aten = torch.ops.aten


@decomposition(aten._native_batch_norm_legit_functional.default, stage="autograd")
def batch_norm_training(
    x: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_variance: Tensor | None,
    training: bool,
    momentum: float,
    epsilon: float,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None, Tensor | None]:
    """The result, the mean and the scale that its gradient needs, and the statistics carried on.

    >>> made = batch_norm_training(Tensor([[1.0], [3.0]]), None, None, None, None, True, 0.1, 0.0)
    >>> [one.tolist() for one in made[:3]]
    [[[-1.0], [1.0]], [2.0], [1.0]]
    """
    dims = [dim for dim in range(x.dim()) if dim != 1]
    along = [1, -1] + [1] * (x.dim() - 2)
    if training or running_mean is None or running_variance is None:
        mean = x.mean(dims)
        away = x - mean.reshape(along)
        variance = (away * away).mean(dims)
    else:
        mean, variance = running_mean, running_variance
        away = x - mean.reshape(along)
    scale = (variance + epsilon).rsqrt()
    factor = scale if weight is None else scale * weight
    result = away * factor.reshape(along)
    result = result if bias is None else result + bias.reshape(along)
    if not training:  # its gradient needs the statistics it was given alone
        empty = x.new_zeros(0)
        return result, empty, empty.clone(), running_mean, running_variance
    if running_mean is None or running_variance is None:
        return result, mean, scale, running_mean, running_variance
    count = x.numel() // x.shape[1]
    return (
        result,
        mean,
        scale,
        running_mean * (1 - momentum) + mean * momentum,
        running_variance * (1 - momentum) + variance * (momentum * count / max(1, count - 1)),
    )
