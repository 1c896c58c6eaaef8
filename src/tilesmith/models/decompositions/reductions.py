"""Sums, norms and softmaxes in forms that no kernel has, written with those that one has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def running_sum(x: Tensor, dim: int, *, dtype: torch.dtype | None = None) -> Tensor:
    """torch.cumsum: a product with a triangle of ones.

    >>> running_sum(torch.tensor([[1.0, 2.0, 3.0]]), 1).tolist()
    [[1.0, 3.0, 6.0]]
    """
    size = x.shape[dim]
    last = x.movedim(dim, -1)
    rows = last.reshape(-1, size)
    triangle = torch.ones(size, size, dtype=x.dtype).triu()
    made = (rows @ triangle).reshape(last.shape).movedim(-1, dim)
    return made if dtype is None else made.to(dtype)


def vector_norm(
    x: Tensor, _order: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None
) -> Tensor:
    """The length of vectors.

    >>> float(vector_norm(torch.tensor([3.0, 4.0])))
    5.0
    """
    dims = dim or list(range(x.dim()))
    x = x if dtype is None else x.to(dtype)
    return (x * x).sum(dims, keepdim=keepdim).sqrt()


def variance(x: Tensor, dim: Any = None, *, correction: Any = 1, keepdim: bool = False) -> Tensor:
    """The mean square distance from the mean.

    >>> float(variance(torch.tensor([1.0, 3.0])))
    2.0
    """
    dims = list(range(x.dim())) if not dim else [one % x.dim() for one in dim]
    count = 1
    for one in dims:
        count *= x.shape[one]
    away = x - x.mean(dims, keepdim=True)
    return (away * away).sum(dims, keepdim=keepdim) / max(
        count - (1 if correction is None else correction), 0
    )


def variance_and_mean(x: Tensor, dim: Any = None, **kwargs: Any) -> tuple[Tensor, Tensor]:
    dims = dim or list(range(x.dim()))
    return variance(x, dim, **kwargs), x.mean(dims, keepdim=kwargs.get("keepdim", False))


def product_along(x: Tensor, dim: int, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Tensor:
    """torch.prod, element by element.

    >>> product_along(torch.tensor([[2.0, 3.0]]), 1).tolist()
    [6.0]
    """
    parts = (x if dtype is None else x.to(dtype)).unbind(dim)
    made = parts[0]
    for part in parts[1:]:
        made = made * part
    return made.unsqueeze(dim) if keepdim else made


def with_last(operator: Any) -> Callable[..., Tensor]:
    """A softmax along any dimension: that one goes last, and back."""

    def make(x: Tensor, dim: int, *rest: Any) -> Tensor:
        made: Tensor = operator(x.movedim(dim, -1), -1, *rest)
        return made.movedim(-1, dim)

    return make


def gradient_with_last(operator: Any) -> Callable[..., Tensor]:
    def make(grad: Tensor, result: Tensor, dim: int, kind: torch.dtype) -> Tensor:
        made: Tensor = operator(grad.movedim(dim, -1), result.movedim(dim, -1), -1, kind)
        return made.movedim(-1, dim)

    return make


def norm_of_many(
    x: Tensor,
    shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    epsilon: float = 1e-5,
    _: bool = True,
) -> Tensor:
    """A layer norm over several dimensions is one over all of them in a row."""
    rows = x.reshape([*x.shape[: x.dim() - len(shape)], -1])
    flat = [None if one is None else one.reshape(-1) for one in (weight, bias)]
    made: Tensor = torch.ops.tilesmith.layer_norm(rows, [rows.shape[-1]], *flat, epsilon)
    return made.reshape(x.shape)


def batch_norm(
    x: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    mean: Tensor,
    square: Tensor,
    _momentum: float,
    epsilon: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """A batch norm with known mean and variance: a factor and a summand for each channel."""
    factor = (square + epsilon).rsqrt()
    factor = factor if weight is None else factor * weight
    summand = -mean * factor
    summand = summand if bias is None else summand + bias
    along = [1, -1] + [1] * (x.dim() - 2)
    empty = x.new_zeros((0,))
    return x * factor.reshape(along) + summand.reshape(along), empty, empty


def instance_norm(
    x: Tensor, weight: Tensor | None, bias: Tensor | None, _training: bool, _momentum: float, epsilon: float
) -> tuple[Tensor, Tensor, Tensor]:
    """A batch norm by the mean and variance of what it is given."""
    dims = [dim for dim in range(x.dim()) if dim != 1]
    along = [1, -1] + [1] * (x.dim() - 2)
    mean = x.mean(dims, keepdim=True)
    away = x - mean
    scale = ((away * away).mean(dims, keepdim=True) + epsilon).rsqrt()
    made = away * scale
    made = made if weight is None else made * weight.reshape(along)
    made = made if bias is None else made + bias.reshape(along)
    return made, mean.reshape(-1), scale.reshape(-1)


SUMS: dict[Any, Callable[..., Any]] = {
    aten.cumsum.default: running_sum,
    aten.linalg_vector_norm.default: vector_norm,
    aten.var.correction: variance,
    aten.var_mean.correction: variance_and_mean,
    aten.prod.dim_int: product_along,
    aten.max.default: lambda x: x.amax(),
    aten.min.default: lambda x: x.amin(),
    aten.layer_norm.default: norm_of_many,
    aten._native_batch_norm_legit_no_training.default: batch_norm,
    aten._native_batch_norm_legit.no_stats: instance_norm,
    **{one: with_last(one) for one in (aten.softmax.int, aten._softmax.default)},
    **{one: with_last(one) for one in (aten.log_softmax.int, aten._log_softmax.default)},
    aten._softmax_backward_data.default: gradient_with_last(aten._softmax_backward_data.default),
    aten._log_softmax_backward_data.default: gradient_with_last(aten._log_softmax_backward_data.default),
}
"""What each is made of."""

_MOST_FACTORS = 16


def can_sum(target: Any, args: Sequence[Any]) -> bool:
    """Whether a call is one that its kernel does not do, and that can be done so; tensors are nodes here."""
    value = args[0].meta["val"]
    if not value.dim():  # of one number, without dimensions
        return False
    if target is aten.linalg_vector_norm.default:
        return len(args) < 2 or args[1] == 2
    if target is aten.layer_norm.default:
        return len(args[1]) > 1
    if target is aten.prod.dim_int:
        return bool(value.shape[args[1]] <= _MOST_FACTORS)
    if target in (aten.softmax.int, aten._softmax.default, aten.log_softmax.int, aten._log_softmax.default):
        return args[1] not in (-1, value.dim() - 1)
    if target in (aten._softmax_backward_data.default, aten._log_softmax_backward_data.default):
        return args[2] not in (-1, value.dim() - 1)
    return True
