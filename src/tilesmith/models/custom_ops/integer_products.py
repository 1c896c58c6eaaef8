"""tilesmith::integer_linear and integer_conv2d: products of quantised values, whose sums are exact integers.

Quantised activations are floats that hold integers of -255 to 255 (their zero point taken off), weights are
int8. The sums are those of int32, handed on as float32: what scales them can be part of the same kernel.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import torch
from torch import Tensor

MOST_DEPTH = (1 << 31) // (255 * 128)
"""So many products cannot leave int32."""


@torch.library.custom_op("tilesmith::integer_linear", mutates_args=())
def integer_linear(x: Tensor, weight: Tensor) -> Tensor:
    """Rows times a weight that has its outputs first.

    >>> weight = torch.tensor([[127, -128]], dtype=torch.int8)
    >>> integer_linear(torch.tensor([[255.0, -255.0]]), weight).tolist()
    [[65025.0]]
    """
    return torch.nn.functional.linear(x.double(), weight.double()).float()


@integer_linear.register_fake
def _(x: Tensor, weight: Tensor) -> Tensor:
    return x.new_empty((*x.shape[:-1], weight.shape[0]), dtype=torch.float32)


@torch.library.custom_op("tilesmith::integer_conv2d", mutates_args=())
def integer_conv2d(
    x: Tensor, weight: Tensor, stride: list[int], padding: list[int], dilation: list[int], groups: int
) -> Tensor:
    """A convolution of images.

    >>> image, weight = torch.full((1, 1, 3, 3), -255.0), torch.full((1, 1, 3, 3), -128, dtype=torch.int8)
    >>> integer_conv2d(image, weight, [1, 1], [0, 0], [1, 1], 1).item() == 9 * 255 * 128
    True
    """
    return torch.conv2d(x.double(), weight.double(), None, stride, padding, dilation, groups).float()


@integer_conv2d.register_fake
def _(
    x: Tensor, weight: Tensor, stride: list[int], padding: list[int], dilation: list[int], groups: int
) -> Tensor:
    return torch.conv2d(x.float(), weight.float(), None, stride, padding, dilation, groups)
