"""Norms and gradients as autograd leaves them, written with products, sums and elementwise work."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from tilesmith.models.custom_ops.attention import backward_products
from tilesmith.models.decompositions.interpolate import lines, repeats_evenly
from tilesmith.models.decompositions.registry import decomposition, value_of

aten = torch.ops.aten


def repeats_pixels(node: Node) -> bool:
    """every pixel was repeated as often"""
    args: Any = node.args
    return repeats_evenly(args[2][2:], args[1], args[3:])


def has_even_windows(node: Node) -> bool:
    """windows side by side that fill the image"""
    args: Any = node.args
    grad, x, window, stride, padding, ceil = args[:6]
    sizes = zip(value_of(grad).shape[2:], window, value_of(x).shape[2:], strict=True)
    divisor = args[7] if len(args) > 7 else None
    even = list(stride or window) == list(window) and not any(padding) and not ceil and not divisor
    return even and all(count * wide == size for count, wide, size in sizes)


@decomposition(aten.native_layer_norm.default)
def layer_norm(
    x: Tensor, shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, epsilon: float
) -> tuple[Tensor, Tensor, Tensor]:
    """A layer norm that also gives the mean and the scale its gradient needs.

    >>> [one.tolist() for one in layer_norm(torch.tensor([[1.0, 3.0]]), [2], None, None, 0.0)]
    [[[-1.0, 1.0]], [[2.0]], [[1.0]]]
    """
    dims = list(range(x.dim() - len(shape), x.dim()))
    mean = x.mean(dims, keepdim=True)
    away = x - mean
    scale = ((away * away).mean(dims, keepdim=True) + epsilon).rsqrt()
    result = away * scale
    result = result if weight is None else result * weight
    return result if bias is None else result + bias, mean, scale


@decomposition(aten.native_group_norm.default)
def group_norm(
    x: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    batch: int,
    channels: int,
    _area: int,
    groups: int,
    epsilon: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """The same over groups of channels."""
    rows = x.reshape(batch, groups, -1)
    result, mean, scale = layer_norm(rows, rows.shape[2:], None, None, epsilon)
    result = result.reshape(x.shape)
    along = [1, channels] + [1] * (x.dim() - 2)
    result = result if weight is None else result * weight.reshape(along)
    result = result if bias is None else result + bias.reshape(along)
    return result, mean.reshape(batch, groups), scale.reshape(batch, groups)


@decomposition(aten._scaled_dot_product_flash_attention_for_cpu_backward.default, stage="autograd")
def attention_gradient(
    grad: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    _out: Tensor,
    _sums: Tensor,
    dropout: float,
    causal: bool,
    *,
    attn_mask: Tensor | None = None,
    scale: float | None = None,
) -> Any:
    """Products with the weights of attention, which are computed again.

    PyTorch's decomposition of the forward operator gives those weights in place of the sums that its gradient
    wants, so that the operator itself would be wrong, at any level.
    """
    if dropout:
        return NotImplemented
    factor = query.shape[-1] ** -0.5 if scale is None else scale
    return backward_products(grad, query, key, value, attn_mask, causal, factor)


@decomposition(aten.upsample_nearest2d_backward.default, when=repeats_pixels)
def nearest_gradient(grad: Tensor, size: Sequence[int], given: Sequence[int], *_: Any) -> Tensor:
    """Every pixel gets the sum over its repetitions.

    >>> nearest_gradient(torch.ones(1, 1, 2, 4), [2, 4], [1, 1, 1, 2]).tolist()
    [[[[4.0, 4.0]]]]
    """
    batch, channels, height, width = given
    apart = grad.reshape(batch, channels, height, size[0] // height, width, size[1] // width)
    return apart.sum((3, 5))


@decomposition(aten.upsample_bilinear2d_backward.default)
def smooth_gradient(
    grad: Tensor,
    size: Sequence[int],
    given: Sequence[int],
    corners: bool,
    high: float | None = None,
    long: float | None = None,
) -> Tensor:
    """Two products with the matrices of lines and columns."""
    down, along = (
        lines(aten.upsample_bilinear2d.vec, given[2 + dim], size[dim], corners, factor).to(grad.dtype)
        for dim, factor in enumerate((high, long))
    )
    return torch.matmul(torch.matmul(down, grad), along.T)


@decomposition(aten._adaptive_avg_pool2d_backward.default)
def pool_gradient(grad: Tensor, x: Tensor) -> Tensor:
    """Of an adaptive average pool: each window gives every pixel its share."""
    down, along = (
        lines(aten._adaptive_avg_pool2d.default, x.shape[2 + dim], grad.shape[2 + dim]).to(grad.dtype)
        for dim in (0, 1)
    )
    return torch.matmul(torch.matmul(down, grad), along.T)


@decomposition(aten.avg_pool2d_backward.default, when=has_even_windows)
def even_pool_gradient(grad: Tensor, _x: Tensor, window: Sequence[int], *_: Any) -> Tensor:
    """Of an average pool whose windows lie side by side."""
    share = grad * (1.0 / prod(window))
    high, wide = grad.shape[2] * window[0], grad.shape[3] * window[1]
    result: Tensor = aten.upsample_nearest2d(share, [high, wide])
    return result
