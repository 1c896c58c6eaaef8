"""Convolutions over one dimension and over three, as convolutions of images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from tilesmith.models.decompositions.registry import decomposition, value_of

aten = torch.ops.aten


def conv1d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """A convolution of images of one line.

    >>> conv1d(torch.ones(1, 1, 3), torch.ones(1, 1, 2)).tolist()
    [[[2.0, 2.0]]]
    """
    stride, padding, dilation = (_one(value) for value in (stride, padding, dilation))
    return convolution(x, weight, bias, [stride], [padding], [dilation], False, [0], groups)


def convolution(
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
    """A convolution of images: of one line, or of the images that a window sees as channels.

    >>> video, taps = torch.ones(1, 1, 3, 2, 2), torch.ones(1, 1, 2, 1, 1)
    >>> convolution(video, taps, None, [1] * 3, [0] * 3, [1] * 3, False, [0] * 3, 1).shape
    torch.Size([1, 1, 2, 2, 2])
    """
    dims = weight.dim() - 2
    stride, padding, dilation, output_padding = (
        for_each(setting, dims) for setting in (stride, padding, dilation, output_padding)
    )
    if dims == 1:
        geometry = ([1, *stride], [0, *padding], [1, *dilation], transposed, [0, *output_padding], groups)
        result: Tensor = aten.convolution(x.unsqueeze(2), weight.unsqueeze(2), bias, *geometry)
        return result.squeeze(2)
    if transposed:
        return _turned(x, weight, bias, stride, padding, dilation, output_padding, groups)
    if dims == 3:
        return _over_time(x, weight, bias, stride, padding, dilation, groups)
    whole = weight if groups == 1 else _ungrouped(weight, groups)
    plain: Tensor = aten.convolution(x, whole, bias, stride, padding, dilation, False, [0, 0], 1)
    return plain


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
    result: Tensor = aten.conv2d(images, flat, bias, stride[1:], padding[1:], dilation[1:], groups)
    return result.reshape(batch, steps, *result.shape[1:]).permute(0, 2, 1, 3, 4)


def _turned(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    output_padding: Sequence[int],
    groups: int,
) -> Tensor:
    """A transposed convolution: a plain one of pixels as far apart as the stride, its weight turned around.

    >>> x, weight = torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2)
    >>> _turned(x, weight, None, [2, 2], [0, 0], [1, 1], [0, 0], 1).shape
    torch.Size([1, 1, 4, 4])
    """
    dims = weight.dim() - 2
    reach = [(size - 1) * step for size, step in zip(weight.shape[2:], dilation, strict=True)]
    border = [wide - given for wide, given in zip(reach, padding, strict=True)]
    whole = weight if groups == 1 else _ungrouped(weight, groups)
    turned = whole.transpose(0, 1).flip(*range(2, 2 + dims))
    result: Tensor = aten.convolution(
        zero_stuffed(x, stride), turned, bias, [1] * dims, border, dilation, False, [0] * dims, 1
    )
    for dim in range(dims):
        size = (x.shape[2 + dim] - 1) * stride[dim] + reach[dim] - 2 * padding[dim] + output_padding[dim] + 1
        result = result.narrow(2 + dim, 0, size)
    return result


def _ungrouped(weight: Tensor, groups: int) -> Tensor:
    """The weight of one group that does what several do: zeros between channels of different groups."""
    outer, inner, *taps = weight.shape
    own = torch.eye(groups, dtype=weight.dtype).reshape(groups, 1, groups, 1, 1)
    rows = weight.reshape(groups, outer // groups, 1, inner, prod(taps))
    return (rows * own).reshape(outer, groups * inner, *taps)


def zero_stuffed(x: Tensor, stride: Sequence[int]) -> Tensor:
    """The pixels of an image, or of images in a row, with zeros between and after them.

    >>> zero_stuffed(torch.ones(1, 1, 1, 2), (1, 2)).tolist()
    [[[[1.0, 0.0, 1.0, 0.0]]]]
    """
    if len(stride) == 3:
        between = x.new_zeros((*x.shape[:3], stride[0] - 1, *x.shape[3:]))
        apart = torch.cat([x.unsqueeze(3), between], 3) if stride[0] > 1 else x
        images = apart.reshape(x.shape[0], -1, *x.shape[3:])
        result = zero_stuffed(images, stride[1:])
        return result.reshape(*x.shape[:2], -1, *result.shape[2:])
    if tuple(stride) == (1, 1):
        return x
    high, wide = (size * step for size, step in zip(x.shape[2:], stride, strict=True))
    repeated: Tensor = aten.upsample_nearest2d(x, [high, wide])
    down, along = (
        (torch.arange(size, device=x.device) % step == 0).to(x.dtype)
        for size, step in ((high, stride[0]), (wide, stride[1]))
    )
    return repeated * (down[:, None] * along).expand(repeated.shape).contiguous()


def for_each(value: Sequence[int], dims: int) -> list[int]:
    """One number for each dimension: torch takes one for all of them.

    >>> for_each([2], 3)
    [2, 2, 2]
    """
    return list(value) * dims if len(value) == 1 else list(value)


def _one(value: Any) -> int:
    return int(value[0]) if isinstance(value, list | tuple) else int(value)


# ---- which calls ----


def has_no_batch(node: Node) -> bool:
    """an image without a batch"""
    args: Any = node.args
    return value_of(args[0]).dim() < value_of(args[1]).dim()


def has_sizes_of_padding(node: Node) -> bool:
    """padding given in numbers"""
    args: Any = node.args
    return not isinstance(args[4] if len(args) > 4 else 0, str)


def has_given_groups(node: Node) -> bool:
    """a weight in groups that comes with the call"""
    args: Any = node.args
    return len(args) == 7 and _is_given_in_groups(args[1], int(args[6]))


def has_other_form(node: Node) -> bool:
    """over one dimension or three, or with a weight in groups or transposed that comes with the call"""
    args: Any = node.args
    weight, transposed = value_of(args[1]), args[6]
    dims = weight.dim() - 2
    stride, padding, dilation, more = (for_each(args[number], dims) for number in (3, 4, 5, 7))
    if transposed and dims > 1:
        reach = [(size - 1) * step for size, step in zip(weight.shape[2:], dilation, strict=True)]
        if any(wide < border for wide, border in zip(reach, padding, strict=True)):
            return False
        if any(further >= step for further, step in zip(more, stride, strict=True)):
            return False
    given = args[1].op != "get_attr"
    return dims != 2 or (given if transposed else _is_given_in_groups(args[1], args[8]))


def _is_given_in_groups(weight: Any, groups: int) -> bool:
    """Whether a weight comes with the call, and channels share it in groups of several."""
    filters, depth = value_of(weight).shape[:2]
    depthwise = depth == 1 and filters == groups
    return bool(weight.op != "get_attr" and groups > 1 and not depthwise)


# ---- the table ----


def in_a_batch(target: Any) -> Callable[..., Tensor]:
    """A convolution of one image."""

    def convolve(x: Tensor, weight: Tensor, *rest: Any) -> Tensor:
        """A batch of one."""
        batch: Tensor = target(x.unsqueeze(0), weight, *rest)
        return batch.squeeze(0)

    return convolve


for _op in (aten.conv1d.default, aten.conv2d.default, aten.conv2d.padding):
    decomposition(_op, when=has_no_batch)(in_a_batch(_op))
decomposition(aten.conv1d.default, when=has_sizes_of_padding)(conv1d)
decomposition(aten.convolution.default, when=has_other_form)(convolution)


@decomposition(aten.conv2d.default, when=has_given_groups)
def grouped_conv2d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Tensor:
    """A convolution of one group, with zeros between channels of different groups."""
    return convolution(x, weight, bias, stride, padding, dilation, False, [0, 0], groups)
