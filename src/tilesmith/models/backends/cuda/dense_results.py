"""Results with gaps between their rows: copied by a kernel of their own to where they lie without.

Torch's copy of such a matrix takes twice as long, whether it is large or a few rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from tilesmith.kernels.elementwise import Elementwise
from tilesmith.kernels.epilogue import Epilogue, Result
from tilesmith.kernels.expression import Input
from tilesmith.kernels.operands import STRIDES, Operand
from tilesmith.models.planning.steps import Download, Launch, Plan, Step
from tilesmith.models.planning.views import TILE, Axis, Storage, View, new_storage
from tilesmith.runtime import Layout


@dataclass(frozen=True)
class _Rows:
    """What a view sees: `outer` x `inner` batches of rows, which lie so many tiles apart.

    Batches may lie side by side, too, `across` tiles apart, and begin at some tile.
    """

    outer: int
    inner: int
    rows: int
    columns: int
    outer_step: int = 0
    inner_step: int = 0
    across: int = 0
    start: tuple[int, int] = (0, 0)

    @property
    def elements(self) -> int:
        return self.outer * self.inner * self.rows * self.columns


# A result is worth a kernel to compile if it is large, or if there are several like it.
_LARGE = 1 << 20
_SEVERAL = 4


def with_dense_results(plan: Plan) -> Plan:
    """The plan with a kernel before downloads of results that have gaps between their rows."""
    outputs = {out for out in plan.outputs if isinstance(out, str)}
    fixed = {upload.view.storage for upload in plan.constants}
    asked = [
        step
        for step in plan.steps
        if isinstance(step, Download) and step.node in outputs and step.view.storage not in fixed
    ]
    rows = {step.node: seen for step in asked if (seen := _rows_of(step.view)) is not None}
    alike = Counter(rows.values())
    steps: list[Step] = []
    for step in plan.steps:
        seen = rows.get(step.node) if isinstance(step, Download) else None
        worth = seen is not None and (seen.elements >= _LARGE or alike[seen] >= _SEVERAL)
        if isinstance(step, Download) and seen is not None and worth:
            copy = _copy(step, seen)
            steps += [copy, replace(step, view=_dense(step.view, copy.outputs[0]))]
        else:
            steps.append(step)
    return replace(plan, steps=tuple(steps))


def _rows_of(view: View) -> _Rows | None:
    """The rows that a view sees from the first column on, or parts of one, if there are gaps around them."""
    axes = [axis for axis in view.axes if axis.size > 1]
    down = [axis for axis in axes if axis.row]
    across = axes[len(down) :]
    if not down:
        return _side_by_side(view, across)
    if axes[: len(down)] != down or any(axis.col for axis in down) or (view.row, view.col) != (0, 0):
        return None
    for number, axis in enumerate(across):
        if axis.col != prod(one.size for one in across[number + 1 :]):
            return None
    columns = prod(axis.size for axis in across)
    batches: list[Axis] = []
    rows = 1
    for axis in reversed(down):
        if not batches and axis.row == rows:
            rows *= axis.size
        else:
            batches.insert(0, axis)
    dense = not batches and columns == view.storage.cols
    if dense or len(batches) > 2 or any(axis.row % TILE for axis in batches):
        return None
    sizes = [Axis(1, 0, 0)] * (2 - len(batches)) + batches
    outer, inner = (axis.row // TILE for axis in sizes)
    return _Rows(sizes[0].size, sizes[1].size, rows, columns, outer, inner)


def _side_by_side(view: View, axes: Sequence[Axis]) -> _Rows | None:
    """Parts of a single row, as the heads of a token are: together less than the matrix that they lie in."""
    if len(axes) != 2 or axes[1].col != 1 or any(number % TILE for number in (view.row, view.col)):
        return None
    count, width = (axis.size for axis in axes)
    if axes[0].col % TILE or width % TILE or count * width == view.storage.cols:
        return None
    return _Rows(1, count, 1, width, 0, 0, axes[0].col // TILE, (view.row // TILE, view.col // TILE))


def _dense(view: View, storage: Storage) -> View:
    """A view of the same shape, of all elements of a storage in order."""
    axes: list[Axis] = []
    step = 1
    for axis in reversed(view.axes):
        inside = step < storage.cols
        axes.insert(0, Axis(axis.size, 0 if inside else step // storage.cols, step if inside else 0))
        step *= axis.size
    return replace(view, storage=storage, axes=tuple(axes), row=0, col=0)


def _copy(step: Download, seen: _Rows) -> Launch:
    source = step.view.storage
    target = new_storage(seen.outer * seen.inner * seen.rows, seen.columns, Layout.ROW_MAJOR, source.dtype)
    read, out = Operand("x", dtype=source.dtype), Operand("y", "rows", source.dtype)
    numbers = {f"{name}_{key}": 0 for name in ("x", "y") for key in STRIDES}
    numbers |= {"m": seen.rows, "n": seen.columns, "nb1": seen.outer, "nb2": seen.inner}
    numbers |= {"x_row1": seen.outer_step, "x_row2": seen.inner_step, "x_col2": seen.across}
    numbers |= {"x_row": seen.start[0], "x_col": seen.start[1]}
    numbers |= {"y_row1": seen.inner * seen.rows, "y_row2": seen.rows}
    template = Elementwise(Epilogue((Result(Input("x"), out),), (read,)))
    return Launch(template, {"x": source, "y": target}, numbers, (), (target,))
