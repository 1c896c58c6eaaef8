"""Results whose rows end within a tile: copied by a kernel of their own to where they lie without gaps.

Torch's copy of a matrix with gaps between its rows reaches less than half of a GPU's bandwidth.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from tilesmith.kernels.elementwise import Elementwise
from tilesmith.kernels.epilogue import Epilogue, Result
from tilesmith.kernels.expression import Input
from tilesmith.kernels.operands import STRIDES, Operand
from tilesmith.models.planning.steps import Download, Launch, Plan, Step
from tilesmith.models.planning.views import View, new_storage
from tilesmith.runtime import Layout

# Smaller ones are as fast either way.
_LEAST = 1 << 20


def with_dense_results(plan: Plan) -> Plan:
    """The plan with a kernel before each download of a large result that has gaps between its rows."""
    outputs = {out for out in plan.outputs if isinstance(out, str)}
    steps: list[Step] = []
    for step in plan.steps:
        size = _rows_and_columns(step.view) if isinstance(step, Download) else None
        if not isinstance(step, Download) or step.node not in outputs or size is None:
            steps.append(step)
            continue
        copy = _copy(step, *size)
        steps += [copy, replace(step, view=replace(step.view, storage=copy.outputs[0]))]
    return replace(plan, steps=tuple(steps))


def _rows_and_columns(view: View) -> tuple[int, int] | None:
    """The size of a view that sees the first columns of all rows of its storage, in order."""
    axes = [axis for axis in view.axes if axis.size > 1]
    down = [axis for axis in axes if axis.row]
    across = axes[len(down) :]
    if axes[: len(down)] != down or any(axis.col for axis in down) or (view.row, view.col) != (0, 0):
        return None
    for number, axis in enumerate(down):
        if axis.row != prod(one.size for one in down[number + 1 :]):
            return None
    for number, axis in enumerate(across):
        if axis.col != prod(one.size for one in across[number + 1 :]):
            return None
    rows, columns = prod(axis.size for axis in down), prod(axis.size for axis in across)
    gaps = columns < view.storage.cols and rows <= view.storage.rows
    return (rows, columns) if gaps and rows * columns >= _LEAST else None


def _copy(step: Download, rows: int, columns: int) -> Launch:
    source = step.view.storage
    target = new_storage(rows, columns, Layout.ROW_MAJOR, source.dtype)
    read, out = Operand("x", dtype=source.dtype), Operand("y", "rows", source.dtype)
    numbers = {f"{name}_{key}": 0 for name in ("x", "y") for key in STRIDES}
    numbers |= {"m": rows, "n": columns, "nb1": 1, "nb2": 1}
    template = Elementwise(Epilogue((Result(Input("x"), out),), (read,)))
    return Launch(template, {"x": source, "y": target}, numbers, (), (target,))
