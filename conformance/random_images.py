"""Steps of random models that work on images: convolutions, pools, norms, other sizes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from conformance.random_steps import STEPS, Operand, Step

CHANNELS = (1, 2, 3, 4, 6, 8, 32, 40)
SIDES = (1, 4, 5, 7, 8, 9, 12, 17)


def image_shape(rng: random.Random) -> list[int]:
    """The shape of a few small images."""
    return [rng.choice((1, 1, 2, 3)), rng.choice(CHANNELS), rng.choice(SIDES), rng.choice(SIDES)]


def _divisor(rng: random.Random, number: int) -> int:
    return rng.choice([one for one in (1, 1, 2, 4, number) if number % one == 0])


def _taps(rng: random.Random, x: Tensor) -> list[int]:
    return [min(rng.choice((1, 2, 3, 3)), size) for size in x.shape[2:]]


def _convolved(rng: random.Random, x: Tensor, operand: Operand) -> Tensor:
    groups = _divisor(rng, x.shape[1])
    filters, taps = groups * rng.choice((1, 2, 5)), _taps(rng, x)
    weight = operand([filters, x.shape[1] // groups, *taps]) * 0.3
    bias = operand([filters]) if rng.random() < 0.6 else None
    if rng.random() < 0.2:
        return functional.conv2d(x, weight, bias, 1, rng.choice(("same", "valid")), 1, groups)
    stride, padding = [rng.choice((1, 1, 2, 3)) for _ in taps], [rng.choice((0, 1, 1, 2)) for _ in taps]
    dilation = [rng.choice((1, 1, 2)) if 2 * size <= side else 1 for size, side in zip(taps, x.shape[2:])]  # noqa: B905
    return functional.conv2d(x, weight, bias, stride, padding, dilation, groups)


def _convolved_back(rng: random.Random, x: Tensor, operand: Operand) -> Tensor:
    groups, taps = _divisor(rng, x.shape[1]), _taps(rng, x)
    weight = operand([x.shape[1], rng.choice((1, 2, 3)), *taps]) * 0.3
    stride = [rng.choice((1, 2)) for _ in taps]
    padding = [rng.choice((0, (size - 1) // 2)) for size in taps]
    extra = [rng.randint(0, step - 1) for step in stride]
    return functional.conv_transpose2d(x, weight, None, stride, padding, extra, groups)


def _averaged(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    taps = _taps(rng, x)
    padding = [rng.randint(0, size // 2) for size in taps]
    stride = [rng.choice((1, 2, 3)) for _ in taps]
    divisor = rng.choice((None, None, None, 2, 5))
    ceil, include = rng.random() < 0.3, rng.random() < 0.5
    return functional.avg_pool2d(x, taps, stride, padding, ceil, include, divisor)


def _largest(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    taps = _taps(rng, x)
    padding = [rng.randint(0, size // 2) for size in taps]
    stride = [rng.choice((1, 2, 3)) for _ in taps]
    return functional.max_pool2d(x, taps, stride, padding, 1, ceil_mode=rng.random() < 0.3)


def _adapted(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    size = rng.choice((1, 1, 2, 3, x.shape[2])), rng.choice((1, 1, 2, 3, x.shape[3]))
    return rng.choice((functional.adaptive_avg_pool2d, functional.adaptive_max_pool2d))(x, size)


def _resized(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    mode = rng.choice(("nearest", "nearest-exact", "bilinear", "bilinear", "bicubic", "area"))
    given: dict[str, Any] = {"mode": mode}
    if mode in ("bilinear", "bicubic"):
        given["align_corners"] = rng.random() < 0.5
    if rng.random() < 0.5:
        return functional.interpolate(x, [rng.randint(1, 14) for _ in range(2)], **given)
    return functional.interpolate(x, scale_factor=rng.choice((1.5, 2.0, 2.0, 3.0)), **given)


def _framed(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    mode = rng.choice(("constant", "reflect", "replicate", "circular"))
    most = min(3, x.shape[3] - 1), min(3, x.shape[2] - 1)
    around = [rng.randint(0, size) for size in (most[0], most[0], most[1], most[1])]
    return functional.pad(x, around, mode, rng.choice((0.0, 1.5)) if mode == "constant" else None)


def _normalised(rng: random.Random, x: Tensor, operand: Operand) -> Tensor:
    """Some are of values far from zero."""
    x = x + rng.choice((0.0, 0.0, 20.0))
    channels = x.shape[1]
    weight, bias = (operand([channels]), operand([channels])) if rng.random() < 0.7 else (None, None)
    kind = rng.choice(("group", "instance", "batch", "batch"))
    if kind == "group" and x[0].numel() > channels:
        return functional.group_norm(x, _divisor(rng, channels), weight, bias)
    if kind == "instance" and x.shape[2] * x.shape[3] > 1:
        return functional.instance_norm(x, weight=weight, bias=bias)
    known = operand([channels]) + rng.choice((0.0, 20.0)), operand([channels]).abs() + 0.5
    return functional.batch_norm(x, *known, weight, bias)


def _shuffled(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    if x.shape[1] % 4 == 0 and rng.random() < 0.5:
        return functional.pixel_shuffle(x, 2)
    if x.shape[2] % 2 == 0 and x.shape[3] % 2 == 0:
        return functional.pixel_unshuffle(x, 2)
    return functional.channel_shuffle(x, _divisor(rng, x.shape[1]))


def _sampled(rng: random.Random, x: Tensor, operand: Operand) -> Tensor:
    places = operand([x.shape[0], rng.randint(1, 5), rng.randint(1, 5), 2]).tanh() * 1.2
    beyond, corners = rng.choice(("zeros", "border", "reflection")), rng.random() < 0.5
    return functional.grid_sample(x, places, "bilinear", beyond, corners)


def _patches(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    taps = _taps(rng, x)
    padding, stride = (size // 2 for size in taps), (rng.choice((1, 2)) for _ in taps)
    return functional.unfold(x, tuple(taps), 1, tuple(padding), tuple(stride))


def _turned_over(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    dims = rng.sample((1, 2, 3), rng.randint(1, 2))
    other: Callable[..., Tensor] = rng.choice(
        (torch.flip, lambda x, dims: torch.roll(x, [1] * len(dims), dims))
    )
    return other(x, dims)


IMAGES: tuple[Step, ...] = (
    *STEPS,
    *(_convolved, _convolved, _convolved, _convolved_back, _averaged, _averaged, _largest, _adapted),
    *(_resized, _resized, _framed, _normalised, _normalised, _shuffled, _sampled, _patches, _turned_over),
)
"""What is done to images, beside what is done to any tensor."""
