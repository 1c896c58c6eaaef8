"""Quantised linears, convolutions and tensors, written with operators that kernels do."""

from __future__ import annotations

import torch
from torch import Tensor, nn

import tilesmith.models.custom_ops  # noqa: F401 - importing it registers the operators of tilesmith

ours = torch.ops.tilesmith
_STEPS = {"fbgemm": 127.0, "x86": 127.0}
"""Into how many steps torch divides the range of an input: some engines leave a bit free in sums of int16."""
_LEAST = 6.1e-5


def dynamic_scale(x: Tensor) -> tuple[Tensor, Tensor]:
    """The scale torch chooses for an input when it comes, from its range, and its least value or zero.

    >>> scale, least = dynamic_scale(torch.tensor([[-1.27, 0.0]]))
    >>> round(float(scale) * 127, 4), round(float(least), 4)
    (1.27, -1.27)
    """
    least = x.amin(-1).amin().clamp(max=0.0)
    span = x.amax(-1).amax().clamp(min=0.0) - least
    return (span / _STEPS.get(torch.backends.quantized.engine, 255.0)).clamp(min=_LEAST), least


def as_integers(x: Tensor, scale: Tensor | float) -> Tensor:
    """The integers that reals of a scale stand for, their zero point taken off."""
    return (x / scale).round()


def requantised(x: Tensor, scale: float, zero_point: int, dtype: torch.dtype) -> Tensor:
    """Reals as a quantised tensor has them.

    >>> requantised(torch.tensor([0.26, 9.0, -1.0]), 0.5, 2, torch.quint8).tolist()
    [0.5, 9.0, -1.0]
    """
    low, high = (-128, 127) if dtype == torch.qint8 else (0, 255)
    whole = (x / scale).round().clamp(low - zero_point, high - zero_point)
    return whole * scale


def requantised_as(x: Tensor, scale: Tensor, least: Tensor) -> Tensor:
    """Reals as integers of eight bits have them whose lowest stands for about `least`."""
    low = (least / scale).round()
    whole = torch.minimum(torch.maximum((x / scale).round(), low), low + 255)
    return whole * scale


class Requantised(nn.Module):
    """Reals as a quantised tensor has them."""

    def __init__(self, scale: float, zero_point: int, dtype: torch.dtype) -> None:
        super().__init__()
        self.scale, self.zero_point, self.dtype = scale, zero_point, dtype

    def forward(self, x: Tensor) -> Tensor:
        return requantised(x, self.scale, self.zero_point, self.dtype)


class IntegerLinear(nn.Module):
    """A product of integers, scaled to reals: `scales` has one for each output."""

    weight: Tensor
    scales: Tensor
    bias: Tensor | None

    def __init__(self, weight: Tensor, scales: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        self.register_buffer("weight", weight)
        self.register_buffer("scales", scales)
        self.register_buffer("bias", None if bias is None else bias.detach())

    def forward(self, x: Tensor, scale: Tensor | float) -> Tensor:
        result: Tensor = ours.integer_linear(x, self.weight) * self.scales * scale
        return result if self.bias is None else result + self.bias


class IntegerConv(nn.Module):
    """A convolution of integers, scaled to reals."""

    weight: Tensor
    scales: Tensor
    bias: Tensor | None

    def __init__(
        self, weight: Tensor, scales: Tensor, bias: Tensor | None, window: list[list[int]], groups: int
    ) -> None:
        super().__init__()
        shape = (1, -1, 1, 1)
        self.register_buffer("weight", weight)
        self.register_buffer("scales", scales.reshape(shape))
        self.register_buffer("bias", None if bias is None else bias.detach().reshape(shape))
        self.window, self.groups = window, groups

    def forward(self, x: Tensor, scale: Tensor | float) -> Tensor:
        sums = ours.integer_conv2d(x, self.weight, *self.window, self.groups)
        result: Tensor = sums * self.scales * scale
        return result if self.bias is None else result + self.bias
