"""The sizes that programs are planned in: a tensor's last four dimensions, and its tiles."""

from __future__ import annotations

import math
from typing import NamedTuple

from tilesmith.runtime import Tensor


class Sizes(NamedTuple):
    """`n` holds every dimension before the last three. Tiles count padding, elements do not."""

    n: int
    c: int
    h: int
    w: int
    ht: int
    wt: int

    @property
    def nc(self) -> int:
        return self.n * self.c

    @property
    def rows(self) -> int:
        return self.nc * self.h

    @property
    def tiles(self) -> int:
        return self.nc * self.ht * self.wt


def sizes(tensor: Tensor) -> Sizes:
    """The sizes of a device tensor.

    >>> from tilesmith.runtime import open_device
    >>> with open_device("n150") as device:
    ...     sizes(device.empty((2, 3, 40, 70)))
    Sizes(n=2, c=3, h=40, w=70, ht=2, wt=3)
    """
    *_, c, h, w = (1, 1, 1, *tensor.shape)
    tile = tensor.spec.tile
    return Sizes(math.prod(tensor.shape[:-3]), c, h, w, -(-h // tile.rows), -(-w // tile.cols))
