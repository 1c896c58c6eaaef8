"""The product of two matrices of int8, summed up in int32: every element is exact."""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tilelang.language as T  # noqa: N812

from tilesmith.kernels.authoring import TILE, prim_func
from tilesmith.kernels.macros import macro
from tilesmith.kernels.operands import Operand


@dataclass(frozen=True)
class IntegerProduct:
    """y = x w for matrices whose sizes are whole tiles; all three lie in rows."""

    rows: int
    cols: int
    depth: int

    @property
    def name(self) -> str:
        return "int8_product"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        return Operand("x", "rows", "int8"), Operand("w", "rows", "int8"), Operand("y", "rows", "int32")

    def prim_func(self) -> Any:
        m, n, k = self.rows, self.cols, self.depth
        bm, bn, bk = _block(m, 2 * TILE), _block(n, 2 * TILE), _block(k, 4 * TILE)

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(n // bn, m // bm, threads=128) as (bx, by):
                x = T.alloc_shared((bm, bk), "int8")
                w = T.alloc_shared((bk, bn), "int8")
                y = T.alloc_fragment((bm, bn), "int32")
                T.clear(y)
                for step in T.Pipelined(k // bk, num_stages=2):
                    T.copy(tensors["x"][by * bm, step * bk], x)
                    T.copy(tensors["w"][step * bk, bx * bn], w)
                    T.gemm(x, w, y)
                T.copy(y, tensors["y"][by * bm, bx * bn])

        shapes = {"x": ((m, k), "int8"), "w": ((k, n), "int8"), "y": ((m, n), "int32")}
        return prim_func(self.name, shapes, (), body)


def _block(size: int, most: int) -> int:
    """The largest number of whole tiles, up to `most`, that divides a size.

    >>> _block(96, 64), _block(128, 64)
    (32, 64)
    """
    return next(block for block in range(most, 0, -TILE) if size % block == 0)
