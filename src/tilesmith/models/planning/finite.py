"""Whether tensors hold NaN or infinity, in one pass: asking each element costs twenty times as much."""

from __future__ import annotations

from math import isfinite, isinf, isnan

import torch


def largest(value: torch.Tensor) -> float:
    """The largest magnitude of a floating-point tensor: NaN if it holds one.

    >>> largest(torch.tensor([1.0, -3.0])), largest(torch.tensor([float("-inf"), float("nan")]))
    (3.0, nan)
    """
    if value.numel() == 0:
        return 0.0
    # What an expanded tensor repeats is looked at once: torch would make a copy of all of it.
    once = value.detach()[tuple(slice(1) if stride == 0 else slice(None) for stride in value.stride())]
    least, most = torch.aminmax(once.float() if once.element_size() == 1 else once)
    return max(-float(least), float(most))


def has_nan(value: torch.Tensor) -> bool:
    return value.is_floating_point() and isnan(largest(value))


def has_infinity(value: torch.Tensor) -> bool:
    """NaN beside it does not hide it."""
    if not value.is_floating_point():
        return False
    most = largest(value)
    return isinf(most) or (isnan(most) and bool(torch.isinf(value.float()).any()))


def is_finite(value: torch.Tensor) -> bool:
    return not value.is_floating_point() or isfinite(largest(value))
