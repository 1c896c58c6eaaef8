"""The matrices of Winograd's convolutions: what images, filters and results are multiplied with."""

from __future__ import annotations

from dataclasses import dataclass

import torch

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Transform:
    """F(size x size, 3x3): `image` is B^T, `weight` G and `result` A^T in Lavin and Gray's letters."""

    size: int
    image: Matrix
    weight: Matrix
    result: Matrix

    @property
    def places(self) -> int:
        """Along one dimension.

        >>> [one.places for one in TRANSFORMS.values()]
        [4, 6]
        """
        return self.size + 2

    def weights(self, weight: torch.Tensor) -> torch.Tensor:
        """Filters of 3x3 as (place along rows, place along columns, channel, filter).

        >>> TRANSFORMS[2].weights(torch.ones(5, 7, 3, 3)).shape
        torch.Size([4, 4, 7, 5])
        """
        matrix = torch.tensor(self.weight, dtype=torch.float64)
        result = torch.einsum("ui,ocij,vj->vuco", matrix, weight.double(), matrix)
        return result.to(weight.dtype)


TRANSFORMS = {
    2: Transform(
        2,
        image=((1, 0, -1, 0), (0, 1, 1, 0), (0, -1, 1, 0), (0, 1, 0, -1)),
        weight=((1, 0, 0), (0.5, 0.5, 0.5), (0.5, -0.5, 0.5), (0, 0, 1)),
        result=((1, 1, 1, 0), (0, 1, -1, -1)),
    ),
    4: Transform(
        4,
        image=(
            (4, 0, -5, 0, 1, 0),
            (0, -4, -4, 1, 1, 0),
            (0, 4, -4, -1, 1, 0),
            (0, -2, -1, 2, 1, 0),
            (0, 2, -1, -2, 1, 0),
            (0, 4, 0, -5, 0, 1),
        ),
        weight=(
            (1 / 4, 0, 0),
            (-1 / 6, -1 / 6, -1 / 6),
            (-1 / 6, 1 / 6, -1 / 6),
            (1 / 24, 1 / 12, 1 / 6),
            (1 / 24, -1 / 12, 1 / 6),
            (0, 0, 1),
        ),
        result=(
            (1, 1, 1, 1, 1, 0),
            (0, 1, -1, 2, -2, 0),
            (0, 1, 1, 4, 4, 0),
            (0, 1, -1, 8, -8, 1),
        ),
    ),
}
"""By the size of their tiles."""
