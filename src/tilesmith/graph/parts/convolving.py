"""Convolutions over one dimension and over three, as convolutions of images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def along_a_line(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """conv1d: images of one line.

    >>> along_a_line(torch.ones(1, 1, 3), torch.ones(1, 1, 2)).tolist()
    [[[2.0, 2.0]]]
    """
    stride, padding, dilation = (_one(value) for value in (stride, padding, dilation))
    return convolved(x, weight, bias, [stride], [padding], [dilation], False, [0], groups)


def convolved(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Tensor:
    """aten.convolution over one dimension or three.

    >>> video, taps = torch.ones(1, 1, 3, 2, 2), torch.ones(1, 1, 2, 1, 1)
    >>> convolved(video, taps, None, [1] * 3, [0] * 3, [1] * 3, False, [0] * 3, 1).shape
    torch.Size([1, 1, 2, 2, 2])
    """
    if weight.dim() == 5:
        return _over_time(x, weight, bias, stride, padding, dilation, groups)
    geometry = (
        [1, *stride],
        [0, *padding],
        [1, *dilation],
        transposed,
        [0, *output_padding],
        groups,
    )
    made: Tensor = aten.convolution(x.unsqueeze(2), weight.unsqueeze(2), bias, *geometry)
    return made.squeeze(2)


def _over_time(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Tensor:
    """The images that a window sees lie one behind the other, as channels of one image."""
    batch, channels, _, height, width = x.shape
    filters, depth, long, *taps = weight.shape
    if padding[0]:
        x = torch.nn.functional.pad(x, (0, 0, 0, 0, padding[0], padding[0]))
    reach = (long - 1) * dilation[0] + 1
    steps = (x.shape[2] - reach) // stride[0] + 1
    if long == stride[0] and dilation[0] == 1:
        seen = x[:, :, : steps * long].reshape(batch, channels, steps, long, height, width)
    else:
        windows = x.unfold(2, reach, stride[0])[..., :: dilation[0]]
        seen = windows.permute(0, 1, 2, 5, 3, 4)
    images = seen.permute(0, 2, 1, 3, 4, 5).reshape(batch * steps, channels * long, height, width)
    flat = weight.reshape(filters, depth * long, *taps)
    made: Tensor = aten.conv2d(images, flat, bias, stride[1:], padding[1:], dilation[1:], groups)
    return made.reshape(batch, steps, *made.shape[1:]).permute(0, 2, 1, 3, 4)


def _one(value: Any) -> int:
    return int(value[0]) if isinstance(value, list | tuple) else int(value)


CONVOLUTIONS: dict[Any, Callable[..., Any]] = {
    aten.conv1d.default: along_a_line,
    aten.convolution.default: convolved,
}
"""What each is made of."""


def can_convolve(target: Any, args: Sequence[Any]) -> bool:
    """Whether a call is one that no kernel does, and that can be done so; tensors are nodes here."""
    if target is aten.conv1d.default:
        return not isinstance(args[4] if len(args) > 4 else 0, str)
    rank, transposed = args[1].meta["val"].dim(), args[6]
    return rank == 3 or (rank == 5 and not transposed)
