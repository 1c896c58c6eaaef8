"""Sums, norms and softmaxes in forms that no kernel has, written with those that one has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from tilesmith.models.decompositions.registry import decomposition, value_of
from tilesmith.models.planning.exactness import is_decisive

aten = torch.ops.aten


_MOST_FACTORS = 16


def has_dims(node: Node) -> bool:
    """a tensor with dimensions"""
    return bool(value_of(node.args[0]).dim())


def is_euclidean(node: Node) -> bool:
    """order 2"""
    return has_dims(node) and (len(node.args) < 2 or bool(node.args[1] == 2))


def is_over_several_dims(node: Node) -> bool:
    """over several dimensions"""
    args: Any = node.args
    return has_dims(node) and len(args[1]) > 1


def has_few_factors(node: Node) -> bool:
    """at most 16 factors"""
    args: Any = node.args
    return has_dims(node) and bool(value_of(args[0]).shape[args[1]] <= _MOST_FACTORS)


def is_along_another_dim(node: Node) -> bool:
    """along another dimension than the last"""
    return has_dims(node) and node.args[1] not in (-1, value_of(node.args[0]).dim() - 1)


def is_gradient_along_another_dim(node: Node) -> bool:
    """along another dimension than the last"""
    return has_dims(node) and node.args[2] not in (-1, value_of(node.args[0]).dim() - 1)


def decides_nothing(node: Node) -> bool:
    """a tensor with dimensions, unless running sums are compared, ordered or made into integers"""
    return has_dims(node) and not is_decisive(node)


@decomposition(aten.cumsum.default, when=decides_nothing)
def cumsum(x: Tensor, dim: int, *, dtype: torch.dtype | None = None) -> Tensor:
    """A product with a triangle of ones.

    >>> cumsum(torch.tensor([[1.0, 2.0, 3.0]]), 1).tolist()
    [[1.0, 3.0, 6.0]]
    """
    size = x.shape[dim]
    last = x.movedim(dim, -1)
    rows = last.reshape(-1, size)
    triangle = torch.ones(size, size, dtype=x.dtype).triu()
    result = (rows @ triangle).reshape(last.shape).movedim(-1, dim)
    return result if dtype is None else result.to(dtype)


@decomposition(aten.linalg_vector_norm.default, when=is_euclidean)
def vector_norm(
    x: Tensor, _order: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None
) -> Tensor:
    """The root of the sum of squares.

    >>> float(vector_norm(torch.tensor([3.0, 4.0])))
    5.0
    """
    dims = dim or list(range(x.dim()))
    x = x if dtype is None else x.to(dtype)
    return (x * x).sum(dims, keepdim=keepdim).sqrt()


@decomposition(aten.var.correction, when=has_dims)
def variance(x: Tensor, dim: Any = None, *, correction: Any = 1, keepdim: bool = False) -> Tensor:
    """The mean square distance from the mean.

    >>> float(variance(torch.tensor([1.0, 3.0])))
    2.0
    """
    dims = list(range(x.dim())) if not dim else [one % x.dim() for one in dim]
    count = 1
    for axis in dims:
        count *= x.shape[axis]
    away = x - x.mean(dims, keepdim=True)
    return (away * away).sum(dims, keepdim=keepdim) / max(
        count - (1 if correction is None else correction), 0
    )


@decomposition(aten.var_mean.correction, when=has_dims)
def variance_and_mean(x: Tensor, dim: Any = None, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """Each by itself."""
    dims = dim or list(range(x.dim()))
    return variance(x, dim, **kwargs), x.mean(dims, keepdim=kwargs.get("keepdim", False))


@decomposition(aten.max.default, when=has_dims)
def largest(x: Tensor) -> Tensor:
    """amax over all dimensions."""
    return x.amax()


@decomposition(aten.min.default, when=has_dims)
def smallest(x: Tensor) -> Tensor:
    """amin over all dimensions."""
    return x.amin()


@decomposition(aten.prod.dim_int, when=has_few_factors)
def prod(x: Tensor, dim: int, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Tensor:
    """Products of elements, one after the other.

    >>> prod(torch.tensor([[2.0, 3.0]]), 1).tolist()
    [6.0]
    """
    parts = (x if dtype is None else x.to(dtype)).unbind(dim)
    result = parts[0]
    for part in parts[1:]:
        result = result * part
    return result.unsqueeze(dim) if keepdim else result


def with_last(operator: Any) -> Callable[..., Tensor]:
    """A softmax along any dimension."""

    def make(x: Tensor, dim: int, *rest: Any) -> Tensor:
        """The same along the last dimension: that one goes last, and back."""
        result: Tensor = operator(x.movedim(dim, -1), -1, *rest)
        return result.movedim(-1, dim)

    return make


def gradient_with_last(operator: Any) -> Callable[..., Tensor]:
    """The gradient of a softmax along any dimension."""

    def make(grad: Tensor, result: Tensor, dim: int, dtype: torch.dtype) -> Tensor:
        """The same along the last dimension: that one goes last, and back."""
        grad_input: Tensor = operator(grad.movedim(dim, -1), result.movedim(dim, -1), -1, dtype)
        return grad_input.movedim(-1, dim)

    return make


@decomposition(aten.layer_norm.default, when=is_over_several_dims)
def layer_norm(
    x: Tensor,
    shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    epsilon: float = 1e-5,
    _: bool = True,
) -> Tensor:
    """A layer norm over all of them in a row."""
    rows = x.reshape([*x.shape[: x.dim() - len(shape)], -1])
    flat = [None if one is None else one.reshape(-1) for one in (weight, bias)]
    result: Tensor = torch.ops.tilesmith.layer_norm(rows, [rows.shape[-1]], *flat, epsilon)
    return result.reshape(x.shape)


@decomposition(aten._native_batch_norm_legit_no_training.default, when=has_dims)
def batch_norm(
    x: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    mean: Tensor,
    square: Tensor,
    _momentum: float,
    epsilon: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """A batch norm with known mean and variance. The mean goes first: its product with the factor rounds."""
    factor = (square + epsilon).rsqrt()
    factor = factor if weight is None else factor * weight
    along = [1, -1] + [1] * (x.dim() - 2)
    result = (x - mean.reshape(along)) * factor.reshape(along)
    empty = x.new_zeros((0,))
    return result if bias is None else result + bias.reshape(along), empty, empty


@decomposition(aten._native_batch_norm_legit.no_stats, when=has_dims)
def instance_norm(
    x: Tensor, weight: Tensor | None, bias: Tensor | None, _training: bool, _momentum: float, epsilon: float
) -> tuple[Tensor, Tensor, Tensor]:
    """A batch norm by the mean and variance of what it is given."""
    dims = [dim for dim in range(x.dim()) if dim != 1]
    along = [1, -1] + [1] * (x.dim() - 2)
    mean = x.mean(dims, keepdim=True)
    away = x - mean
    scale = ((away * away).mean(dims, keepdim=True) + epsilon).rsqrt()
    result = away * scale
    result = result if weight is None else result * weight.reshape(along)
    result = result if bias is None else result + bias.reshape(along)
    return result, mean.reshape(-1), scale.reshape(-1)


for _op in (aten.softmax.int, aten._softmax.default, aten.log_softmax.int, aten._log_softmax.default):
    decomposition(_op, when=is_along_another_dim)(with_last(_op))
for _op in (aten._softmax_backward_data.default, aten._log_softmax_backward_data.default):
    decomposition(_op, when=is_gradient_along_another_dim)(gradient_with_last(_op))
