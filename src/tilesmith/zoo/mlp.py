"""A perceptron: the smallest model."""

from __future__ import annotations

from pathlib import Path

from torch import nn

from tilesmith.zoo.sample import Sample, noise, seeded
from tilesmith.zoo.weights import RANDOM, load_into


def _perceptron(wide: int, deep: int) -> nn.Module:
    hidden = [part for _ in range(deep) for part in (nn.Linear(wide, wide), nn.GELU())]
    return nn.Sequential(nn.Linear(64, wide), nn.GELU(), *hidden, nn.Linear(wide, 10))


def tiny() -> Sample:
    return Sample(seeded(lambda: _perceptron(64, 1)), (noise(32, 64),), RANDOM, classifies=True)


def full(path: Path | None) -> Sample:
    model = seeded(lambda: _perceptron(512, 3))
    if path is not None:
        load_into(model, path)
    return Sample(model, (noise(64, 64),), str(path or RANDOM), classifies=True)
