"""Cores that share the operands of a product: who reads what, and sends it to whom."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mesh:
    """Cores in a rectangle, a block each: those of one of its rows work on the same rows of x, sent to all.

    There are `down` blocks of rows, and `columns` x `rows` blocks of columns for each of them.
    """

    columns: int
    rows: int
    down: int

    @property
    def cores(self) -> tuple[int, int]:
        """
        >>> Mesh(8, 3, 2).cores
        (8, 6)
        """
        return self.columns, self.rows * self.down


@dataclass(frozen=True)
class Rectangle:
    """`columns` x `rows` cores with `across` x `down` blocks each: a row of cores shares x, a column weights.

    The first core of a row reads each block of x and sends it to the others over one NoC; the first of a
    column does so with weights over the other. `steps` blocks lie along k. With batches, `batch` blocks lie
    along the rows of each; all have the same weights.
    """

    columns: int
    rows: int
    across: int
    down: int
    steps: int
    batch: int = 0

    @property
    def cores(self) -> tuple[int, int]:
        """
        >>> Rectangle(8, 4, 1, 2, 16).cores
        (8, 4)
        """
        return self.columns, self.rows


@dataclass(frozen=True)
class Stationary:
    """`columns` x `rows` cores that hold all weights, sent to them once, with `turns` blocks of rows each.

    A block is as wide as the result and as deep as the weights.
    """

    columns: int
    rows: int
    turns: int

    @property
    def cores(self) -> tuple[int, int]:
        """
        >>> Stationary(8, 7, 2).cores
        (8, 7)
        """
        return self.columns, self.rows


Cores = Mesh | Rectangle | Stationary
