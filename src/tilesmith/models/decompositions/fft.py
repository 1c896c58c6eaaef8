"""Fourier transforms of a line as products: the matrices of cosines and sines, as PyTorch scales them."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, prod

import torch
from torch import Tensor

LONGEST = 4096
"""The longest line that is transformed by a product."""


def dft_matrix(size: int, count: int | None = None) -> tuple[Tensor, Tensor]:
    """Cosines and sines (size, count) of the first `count` frequencies of a line.

    >>> [part.round().tolist() for part in dft_matrix(2)]
    [[[1.0, 1.0], [1.0, -1.0]], [[0.0, 0.0], [0.0, 0.0]]]
    """
    places = torch.arange(size, dtype=torch.float64)[:, None]
    turns = (places * torch.arange(count or size, dtype=torch.float64)) % size
    angle = turns * (2 * pi / size)
    return angle.cos().float(), angle.sin().float()


def half_back(size: int) -> tuple[Tensor, Tensor]:
    """What takes the first half of the frequencies of a real line back to it: the others mirror them.

    >>> line = torch.tensor([[1.0, 5.0, 2.0]])
    >>> there = torch.fft.rfft(line)
    >>> cosines, sines = half_back(3)
    >>> torch.allclose((there.real @ cosines + there.imag @ sines) / 3, line)
    True
    """
    half = size // 2 + 1
    cosines, sines = dft_matrix(size, half)
    twice = torch.full((half, 1), 2.0)
    twice[0] = 1.0
    if size % 2 == 0:
        twice[-1] = 1.0
    return cosines.T * twice, -sines.T * twice


def scale_of(norm: int, sizes: Sequence[int]) -> float:
    """The factor of a transform over dimensions of these sizes: none, by the root of their product, by it.

    >>> scale_of(1, [4, 4]), scale_of(0, [4])
    (0.25, 1.0)
    """
    return float({0: 1.0, 1: prod(sizes) ** -0.5, 2: 1.0 / prod(sizes)}[norm])
