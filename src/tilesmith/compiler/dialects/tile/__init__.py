"""The tile dialect: what happens to tiles, and nothing about how.

Buffers are memory: operations name the buffers they read and the buffer they write. Scalars are SSA values
of type index, i32, f32 or i1, whatever the element types of the buffers: reading an element widens it,
writing one rounds it. Indices and control flow are arith and scf.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from tilesmith.compiler.dialects.tile.common import ints, location_of, numbers, place_of
from tilesmith.compiler.dialects.tile.compute import (
    REDUCTIONS,
    CleanOp,
    FillOp,
    GemmOp,
    MapOp,
    ReduceOp,
    YieldOp,
)
from tilesmith.compiler.dialects.tile.kernel import FuncOp, GridOp
from tilesmith.compiler.dialects.tile.moves import ACCUMULATIONS, CopyOp, LoadOp, StoreOp
from tilesmith.compiler.dialects.tile.scalars import FUNCTIONS, FnOp, ReadOp, ScalarOp, WriteOp
from tilesmith.compiler.dialects.tile.storage import AllocOp, GetOp, SetOp, VarOp, ViewOp
from tilesmith.compiler.dialects.types import BufferType, TensorType, VarType

TileDialect = Dialect(
    "tile",
    [
        *(FuncOp, GridOp, YieldOp, AllocOp, ViewOp, VarOp, GetOp, SetOp, LoadOp, StoreOp, CopyOp, FillOp),
        *(GemmOp, MapOp, ReduceOp, ScalarOp, ReadOp, WriteOp, FnOp, CleanOp),
    ],
    [TensorType, BufferType, VarType],
)

__all__ = [
    "ACCUMULATIONS",
    "FUNCTIONS",
    "REDUCTIONS",
    "AllocOp",
    "CleanOp",
    "CopyOp",
    "FillOp",
    "FnOp",
    "FuncOp",
    "GemmOp",
    "GetOp",
    "GridOp",
    "LoadOp",
    "MapOp",
    "ReadOp",
    "ReduceOp",
    "ScalarOp",
    "SetOp",
    "StoreOp",
    "TileDialect",
    "VarOp",
    "ViewOp",
    "WriteOp",
    "YieldOp",
    "ints",
    "location_of",
    "numbers",
    "place_of",
]
