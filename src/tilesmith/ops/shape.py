"""Shape: a tensor's sizes, as ttnn shows them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Shape(tuple[int, ...]):
    """A tuple that prints as ttnn's and equals lists.

    >>> Shape([2, 33]), Shape([2, 33]) == [2, 33], Shape([2, 33]).rank
    (Shape([2, 33]), True, 2)
    """

    __slots__ = ()

    def __new__(cls, sizes: Iterable[int] = ()) -> Shape:
        return super().__new__(cls, map(int, sizes))

    @property
    def rank(self) -> int:
        return len(self)

    def to_rank(self, rank: int) -> Shape:
        """With ones in front, or without them.

        >>> Shape([1, 1, 4, 8]).to_rank(2), Shape([8]).to_rank(3)
        (Shape([4, 8]), Shape([1, 1, 8]))
        """
        from tilesmith.ops.checks import fatal

        extra = len(self) - rank
        fatal(all(size == 1 for size in self[: max(extra, 0)]), f"Can't convert shape rank to {rank}")
        return Shape((1,) * -extra + tuple(self)) if extra < 0 else Shape(self[extra:])

    def __eq__(self, other: Any) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, (tuple, list)) else NotImplemented

    def __ne__(self, other: Any) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return tuple.__hash__(self)

    def __repr__(self) -> str:
        return f"Shape({list(self)})"
