"""Loads that bring the same data to a whole row or column of cores."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from tilesmith.compiler.analysis.index_expressions import computed_from, leaves_of
from tilesmith.compiler.analysis.memory_effects import effects_of
from tilesmith.compiler.dialects.tile import GridOp, LoadOp, ReadOp
from tilesmith.compiler.dialects.types import TensorType
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
            along = _shared_along(load, grid, (columns, rows), written)
            if along:
                sharing[load] = along
    return sharing


def _shared_along(load: LoadOp, grid: GridOp, mesh: tuple[int, int], written: set[SSAValue]) -> str:
    decides = _what_decides(load, grid, written)
    if decides is None:
        return ""
    x, y, *_ = grid.body.block.args
    columns, rows = mesh
    sizes = {"row": columns if x not in decides else 1, "column": rows if y not in decides else 1}
    best = max(sizes, key=lambda along: sizes[along])
    return best if sizes[best] > 1 else ""


def _what_decides(load: LoadOp, grid: GridOp, written: set[SSAValue]) -> set[SSAValue] | None:
    """The values that decide what a load brings and how often it runs; None if that cannot be told."""
    place: list[SSAValue] = [*load.offsets, *load.limits]
    times: list[SSAValue] = []
    at: Operation | None = load.parent_op()
    while at is not None and at is not grid:
        if isinstance(at, scf.ForOp):
            times += [at.lb, at.ub, at.step]
        elif isinstance(at, scf.IfOp):
            times.append(at.cond)
        else:
            return None
        at = at.parent_op()
    if any(not _is_the_same_for_all(read, written) for read in _reads([*place, *times])):
        return None
    # A sender loads ahead, at the place of a later turn: elements are not read ahead with it.
    if any(_depends_on_turns(read) for read in _reads(place)):
        return None
    leaves = leaves_of([*place, *times])
    return None if any(isinstance(leaf, OpResult) for leaf in leaves) else leaves


def _reads(values: Iterable[SSAValue]) -> list[ReadOp]:
    return [value.owner for value in computed_from(values) if isinstance(value.owner, ReadOp)]


def _is_the_same_for_all(read: ReadOp, written: set[SSAValue]) -> bool:
    """Whether all cores find the same there. A buffer holds what each core put there."""
    return isinstance(read.source.type, TensorType) and read.source not in written


def _depends_on_turns(read: ReadOp) -> bool:
    indices = [leaf for leaf in leaves_of(read.indices) if isinstance(leaf, BlockArgument)]
    return any(isinstance(index.block.parent_op(), scf.ForOp) for index in indices)
