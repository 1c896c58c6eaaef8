"""The gradients of a convolution, as convolutions: over one dimension to three, in groups, transposed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from tilesmith.models.decompositions.convolution import for_each
from tilesmith.models.decompositions.registry import decomposition

aten = torch.ops.aten


@decomposition(aten.convolution_backward.default, stage="autograd")
def convolution_backward(
    grad: Tensor,
    x: Tensor,
    weight: Tensor,
    bias_sizes: Sequence[int] | None,  # noqa: ARG001 - as ATen calls it
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],  # noqa: ARG001 - the sizes of the gradient say it
    groups: int,
    wanted: Sequence[bool],
) -> Any:
    """Gradients of image, weight and bias: convolutions of the gradient."""
    dims = weight.dim() - 2
    if not 1 <= dims <= 3 or not (grad.numel() and x.numel() and weight.numel()):
        return NotImplemented
    stride, padding, dilation = (for_each(one, dims) for one in (stride, padding, dilation))
    for_weight = None
    if wanted[1] and transposed:  # of the convolution that goes the other way
        for_weight = _for_weight(x, grad, weight, stride, padding, dilation, groups)
    elif wanted[1]:
        for_weight = _for_weight(grad, x, weight, stride, padding, dilation, groups)
    return (
        _for_image(grad, x, weight, stride, padding, dilation, transposed, groups) if wanted[0] else None,
        for_weight,
        grad.sum([0, *range(2, grad.dim())]) if wanted[2] else None,
    )


def _for_image(
    grad: Tensor,
    x: Tensor,
    weight: Tensor,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    groups: int,
) -> Tensor:
    """Every pixel of the gradient goes back through the weight: the convolution transposed."""
    less = [0] * len(stride)
    if not transposed:
        least = [
            (size - 1) * step - 2 * border + (taps - 1) * apart + 1
            for size, step, border, taps, apart in zip(
                grad.shape[2:], stride, padding, weight.shape[2:], dilation, strict=True
            )
        ]
        less = [size - small for size, small in zip(x.shape[2:], least, strict=True)]
    result: Tensor = aten.convolution(
        grad, weight, None, stride, padding, dilation, not transposed, less, groups
    )
    return result


def _for_weight(
    grad: Tensor,
    x: Tensor,
    weight: Tensor,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Tensor:
    """The image convolved with the gradient: images and channels change places, and stride and dilation."""
    filters, depth = weight.shape[:2]
    geometry = (None, dilation, padding, stride, False, [0] * len(stride))
    batch = len(x)
    if groups > 1 and depth == 1 and filters == groups:  # every channel by itself
        images = x.reshape(1, batch * groups, *x.shape[2:])
        taps = grad.reshape(batch * groups, 1, *grad.shape[2:])
        each: Tensor = aten.convolution(images, taps, *geometry, batch * groups)
        result = _cropped(each, weight).reshape(batch, filters, 1, *weight.shape[2:])
        return result.sum(0)
    rest = range(3, x.dim() + 1)
    images = x.reshape(batch, groups, depth, *x.shape[2:]).permute(2, 1, 0, *rest)
    images = images.reshape(depth, groups * batch, *x.shape[2:])
    taps = grad.reshape(batch, groups, filters // groups, *grad.shape[2:]).permute(1, 2, 0, *rest)
    taps = taps.reshape(filters, batch, *grad.shape[2:])
    found: Tensor = aten.convolution(images, taps, *geometry, groups)
    return _cropped(found, weight).transpose(0, 1).contiguous()


def _cropped(result: Tensor, weight: Tensor) -> Tensor:
    """As many taps as the weight has: strides may have left pixels over that no tap sees."""
    for dim in range(2, weight.dim()):
        if result.shape[dim] != weight.shape[dim]:
            result = result.narrow(dim, 0, weight.shape[dim])
    return result
