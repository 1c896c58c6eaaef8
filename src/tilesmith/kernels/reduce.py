"""TileLang's reductions for templates.

They are macros that TileLang makes anew in every call. Here their text is rewritten once.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from tilelang.language import reduce_op

from tilesmith.kernels.macros import macro

# TileLang's own function, in which the decorator of its macro is ours.
_reduce = FunctionType(
    reduce_op.reduce.__code__,
    {**vars(reduce_op), "macro": macro},
    reduce_op.reduce.__name__,
    reduce_op.reduce.__defaults__,
    reduce_op.reduce.__closure__,
)


def reduce_sum(buffer: Any, out: Any, dim: int, clear: bool = True) -> None:
    _reduce(buffer, out, "sum", dim, clear)


def reduce_max(buffer: Any, out: Any, dim: int, clear: bool = True) -> None:
    _reduce(buffer, out, "max", dim, clear)


def reduce_min(buffer: Any, out: Any, dim: int, clear: bool = True) -> None:
    _reduce(buffer, out, "min", dim, clear)
