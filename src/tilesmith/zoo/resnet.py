"""Residual networks: ResNet-18 and ResNet-50, with the parameter names that published checkpoints have."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import nn

from tilesmith.zoo.sample import Sample, noise, seeded, settled
from tilesmith.zoo.weights import RANDOM, load_into


class Block(nn.Module):
    """Two 3x3 convolutions, or a 3x3 between two 1x1, around which the input goes straight."""

    def __init__(self, inputs: int, width: int, stride: int, expansion: int) -> None:
        super().__init__()
        outputs = width * expansion
        sizes = (
            ((1, width, 1), (3, width, stride), (1, outputs, 1))
            if expansion > 1
            else (
                (3, width, stride),
                (3, outputs, 1),
            )
        )
        before = inputs
        for number, (window, after, step) in enumerate(sizes, 1):
            setattr(self, f"conv{number}", nn.Conv2d(before, after, window, step, window // 2, bias=False))
            setattr(self, f"bn{number}", nn.BatchNorm2d(after))
            before = after
        self.depth = len(sizes)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            straight = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
            self.downsample = nn.Sequential(straight, nn.BatchNorm2d(outputs))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        built = x
        for number in range(1, self.depth + 1):
            built = getattr(self, f"bn{number}")(getattr(self, f"conv{number}")(built))
            built = torch.relu(built) if number < self.depth else built
        return torch.relu(built + (x if self.downsample is None else self.downsample(x)))


class ResNet(nn.Module):
    """`depths` blocks in each of four stages; `width` channels in the first."""

    def __init__(
        self, depths: Sequence[int], expansion: int = 1, width: int = 64, labels: int = 1000
    ) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        channels = width
        for stage, depth in enumerate(depths):
            wide = width << stage
            blocks = []
            for number in range(depth):
                blocks.append(Block(channels, wide, 2 if stage and not number else 1, expansion))
                channels = wide * expansion
            setattr(self, f"layer{stage + 1}", nn.Sequential(*blocks))
        self.stages = len(depths)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(channels, labels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.maxpool(torch.relu(self.bn1(self.conv1(x))))
        for stage in range(1, self.stages + 1):
            x = getattr(self, f"layer{stage}")(x)
        result: torch.Tensor = self.fc(torch.flatten(self.avgpool(x), 1))
        return result


def resnet18(**changes: int) -> ResNet:
    """The parameters of the published model unless changed.

    >>> sum(parameter.numel() for parameter in resnet18().parameters())
    11689512
    """
    return ResNet((2, 2, 2, 2), **changes)


def resnet50(**changes: int) -> ResNet:
    """
    >>> sum(parameter.numel() for parameter in resnet50().parameters())
    25557032
    """
    return ResNet((3, 4, 6, 3), expansion=4, **changes)


def tiny_18() -> Sample:
    model = settled(seeded(lambda: resnet18(width=32, labels=10)))
    return Sample(model, (noise(1, 3, 32, 32),), RANDOM, classifies=True)


def tiny_50() -> Sample:
    model = settled(seeded(lambda: resnet50(width=32, labels=10)))
    return Sample(model, (noise(1, 3, 32, 32),), RANDOM, classifies=True)


def _full(model: nn.Module, path: Path | None) -> Sample:
    if path is not None:
        load_into(model, path)
    return Sample(model, (noise(1, 3, 224, 224),), str(path or RANDOM), classifies=True)


def full_18(path: Path | None) -> Sample:
    return _full(settled(seeded(resnet18)), path)


def full_50(path: Path | None) -> Sample:
    return _full(settled(seeded(resnet50)), path)
