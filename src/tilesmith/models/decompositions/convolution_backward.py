"""The gradients of a convolution, as convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from tilesmith.models.decompositions.convolution import zero_stuffed
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
    output_padding: Sequence[int],
    groups: int,
    wanted: Sequence[bool],
) -> Any:
    """Gradients of image, weight and bias of a convolution over two dimensions, without groups."""
    reach = [(size - 1) * step for size, step in zip(weight.shape[2:], dilation, strict=True)]
    if transposed or any(output_padding) or groups != 1 or weight.dim() != 4:
        return NotImplemented
    if any(wide < border for wide, border in zip(reach, padding, strict=True)):
        return NotImplemented
    border = [wide - given for wide, given in zip(reach, padding, strict=True)]
    return (
        _for_image(grad, x, weight, stride, border, dilation) if wanted[0] else None,
        _for_weight(grad, x, weight, stride, padding, dilation) if wanted[1] else None,
        grad.sum((0, 2, 3)) if wanted[2] else None,
    )


def _for_image(
    grad: Tensor,
    x: Tensor,
    weight: Tensor,
    stride: Sequence[int],
    border: Sequence[int],
    dilation: Sequence[int],
) -> Tensor:
    """Every pixel of the gradient goes back through the weight turned around, as far apart as the stride."""
    turned = weight.flip(2, 3).transpose(0, 1).contiguous()
    geometry = ([1, 1], border, dilation, False, [0, 0], 1)
    made: Tensor = aten.convolution(zero_stuffed(grad, stride), turned, None, *geometry)
    height, width = x.shape[2:]
    if made.shape[2:] == x.shape[2:]:
        return made
    return made[:, :, :height, :width].contiguous()


def _for_weight(
    grad: Tensor,
    x: Tensor,
    weight: Tensor,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
) -> Tensor:
    """The image convolved with the gradient: images and channels change places."""
    swapped = [tensor.transpose(0, 1).contiguous() for tensor in (x, grad)]
    made: Tensor = aten.convolution(*swapped, None, dilation, padding, stride, False, [0, 0], 1)
    height, width = weight.shape[2:]
    return made[:, :, :height, :width].transpose(0, 1).contiguous()
