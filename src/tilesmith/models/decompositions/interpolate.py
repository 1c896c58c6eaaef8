"""Images of another size: two products with matrices that say how much of each line goes to which.

Interpolation works on lines and columns alike, one after the other, and is linear. So its matrix is what the
operator itself makes of ones on a diagonal, which is computed when the model is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from tilesmith.models.decompositions.registry import decomposition, value_of

aten = torch.ops.aten

_CHANNELS = 32


def lines(
    operator: Any, size: int, wanted: int, corners: bool | None = None, factor: float | None = None
) -> Tensor:
    """The matrix (size, wanted) by which an operator resamples a line; a factor may say more than the size.

    >>> lines(aten.upsample_bilinear2d.vec, 2, 3, True).tolist()
    [[1.0, 0.5, 0.0], [0.0, 0.5, 1.0]]
    """
    # Two equal columns: torch's filters read an image of one column in the wrong order.
    diagonal = torch.eye(size).reshape(1, size, size, 1).expand(1, size, size, 2).contiguous()
    if corners is None:
        result: Tensor = operator(diagonal, [wanted, 2])
    elif factor is None:
        result = operator(diagonal, [wanted, 2], corners, None)
    else:
        result = operator(diagonal, None, corners, [factor, 1.0])
    return result[..., 0].reshape(size, wanted)


def resampled(operator: Any) -> Callable[..., Tensor]:
    """An operator that interpolates."""

    def make(x: Tensor, size: Any, corners: bool, factors: Any = None) -> Tensor:
        """Two products with the matrices of lines and columns."""
        tall, wide = _wanted(x, size, factors)
        high, long = (None, None) if factors is None else factors
        down = lines(operator, x.shape[2], tall, corners, high).to(x.dtype)
        along = lines(operator, x.shape[3], wide, corners, long).to(x.dtype)
        return _resampled(x, down, along)

    return make


def _resampled(x: Tensor, down: Tensor, along: Tensor) -> Tensor:
    """Lines, then columns. Channels that fill tiles stay beside each other, as they lie in images."""
    if x.shape[1] < _CHANNELS:
        return torch.matmul(torch.matmul(down.T, x), along)
    columns = torch.matmul(down.T.contiguous(), x.permute(0, 3, 2, 1))
    return torch.matmul(along.T.contiguous(), columns.permute(0, 2, 1, 3)).permute(0, 3, 1, 2)


def _wanted(x: Tensor, size: Any, factors: Any) -> tuple[int, int]:
    if size is not None:
        return int(size[0]), int(size[1])
    return int(x.shape[2] * factors[0]), int(x.shape[3] * factors[1])


@decomposition(aten.upsample_linear1d.vec)
def upsample_linear1d(x: Tensor, size: Any, corners: bool, factors: Any = None) -> Tensor:
    """A product with the matrix of a line."""
    wanted = int(size[0]) if size is not None else int(x.shape[2] * factors[0])
    factor = None if factors is None else factors[0]
    matrix = lines(aten.upsample_bilinear2d.vec, x.shape[2], wanted, corners, factor)
    return torch.matmul(x, matrix.to(x.dtype))


def repeats_evenly(given: Sequence[int], size: Sequence[int], factors: Sequence[Any]) -> bool:
    """Whether nearest neighbours are whole repetitions: a factor that is not the ratio of sizes moves them.

    >>> repeats_evenly([2], [4], [None]), repeats_evenly([2], [4], [2.4])
    (True, False)
    """
    ratios = [wide / have for have, wide in zip(given, size, strict=True)]
    named = [one for one in factors if one is not None]
    return all(one % 1 == 0 for one in ratios) and (not named or list(named) == ratios)


def has_uneven_windows(node: Node) -> bool:
    """windows of different sizes"""
    args: Any = node.args
    value = value_of(args[0])
    sizes = zip(value.shape[2:], args[1], strict=True)
    return value.dim() == 4 and any(have % int(want) for have, want in sizes)


@decomposition(aten.adaptive_avg_pool2d.default, aten._adaptive_avg_pool2d.default, when=has_uneven_windows)
def adaptive_avg_pool2d(x: Tensor, size: Any) -> Tensor:
    """Two products with the matrices of lines and columns."""
    down, along = (
        lines(aten._adaptive_avg_pool2d.default, x.shape[2 + dim], int(size[dim])) for dim in (0, 1)
    )
    return _resampled(x, down.to(x.dtype), along.to(x.dtype))


_SMOOTH = (
    *(aten.upsample_bilinear2d.vec, aten.upsample_bicubic2d.vec),
    *(aten._upsample_bilinear2d_aa.vec, aten._upsample_bicubic2d_aa.vec),
)
for _op in _SMOOTH:
    decomposition(_op)(resampled(_op))
