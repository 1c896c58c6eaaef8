"""Loads that bring the same data to a whole row or column of cores."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Operation, OpResult, SSAValue

from tilesmith.compiler.analysis.index_expressions import leaves_of
from tilesmith.compiler.analysis.memory_effects import effects_of
from tilesmith.compiler.dialects.tile import GetOp, GridOp, LoadOp
from tilesmith.compiler.dialects.walk import walk

Sharing = dict[LoadOp, str]


def shared_loads(grid: GridOp, columns: int, rows: int) -> Sharing:
    """For a mesh of cores: the loads every core of a "row" or "column" runs alike, as often as the others.

    Cores of a row differ in block index 0, cores of a column in block index 1.
    """
    written = {place for op in walk(grid.body) for place in effects_of(op).writes}
    sharing: Sharing = {}
    for load in walk(grid.body):
        if isinstance(load, LoadOp) and load.tensor not in written:
            along = _shared_along(load, grid, columns, rows)
            if along:
                sharing[load] = along
    return sharing


def _shared_along(load: LoadOp, grid: GridOp, columns: int, rows: int) -> str:
    decides = _what_decides(load, grid)
    if decides is None:
        return ""
    x, y, *_ = grid.body.block.args
    sizes = {"row": columns if x not in decides else 1, "column": rows if y not in decides else 1}
    best = max(sizes, key=lambda along: sizes[along])
    return best if sizes[best] > 1 else ""


def _what_decides(load: LoadOp, grid: GridOp) -> set[SSAValue] | None:
    """The values that decide what a load brings and how often it runs; None if that cannot be told."""
    values: list[SSAValue] = [*load.offsets, *load.limits]
    at: Operation | None = load.parent_op()
    while at is not None and at is not grid:
        if isinstance(at, scf.ForOp):
            values += [at.lb, at.ub, at.step]
        elif isinstance(at, scf.IfOp):
            values.append(at.cond)
        else:
            return None
        at = at.parent_op()
    leaves = leaves_of(values)
    return None if any(_is_variable(leaf) for leaf in leaves) else leaves


def _is_variable(leaf: SSAValue) -> bool:
    return isinstance(leaf, OpResult) and isinstance(leaf.op, GetOp)
