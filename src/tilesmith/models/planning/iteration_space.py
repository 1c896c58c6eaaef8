"""The iteration space of a kernel, and where each operand's blocks start in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from tilesmith.kernels.operands import Access
from tilesmith.models.planning.views import TILE, Axis, View, padded
from tilesmith.runtime import Layout


@dataclass(frozen=True)
class Placed:
    """An operand: how it is read, and a view with a dimension for each of the iteration space."""

    access: Access
    view: View


@dataclass(frozen=True)
class Space:
    """Two batch dimensions and a matrix; `numbers` are the offsets and strides of every operand."""

    batches: tuple[int, int]
    rows: int
    cols: int
    numbers: Mapping[str, int]


def access_of(shape: Sequence[int], target: Sequence[int]) -> Access:
    """How a tensor that is broadcast to a shape is read.

    >>> access_of((8,), (4, 8)), access_of((4, 1), (4, 8)), access_of((2, 4, 8), (2, 4, 8))
    ('row', 'column', 'block')
    """
    rows, cols = (1, 1, *shape)[-2:]
    wanted_rows, wanted_cols = (1, 1, *target)[-2:]
    if cols == 1 and wanted_cols > 1:
        return "scalar" if rows == 1 else "column"
    return "row" if rows == 1 and (wanted_rows > 1 or len(shape) == 1) else "block"


def fits(placed: Placed) -> bool:
    """Whether a kernel can read a view in place."""
    view, access = placed.view, placed.access
    *lead, rows, cols = view.axes
    if access in ("turned", "turned_rows"):
        straight: Access = "block" if access == "turned" else "rows"
        return fits(Placed(straight, replace(view, axes=(*lead, cols, rows))))
    if access == "block":
        inside = (rows.size == 1 or (rows.row, rows.col) == (1, 0)) and (
            cols.size == 1 or (cols.row, cols.col) == (0, 1)
        )
        starts = [view.row, view.col, *(step for axis in lead for step in (axis.row, axis.col))]
        return view.storage.layout is Layout.TILE and inside and all(step % TILE == 0 for step in starts)
    if access == "rows":
        inside = (rows.size == 1 or (rows.row, rows.col) == (1, 0)) and (
            cols.size == 1 or (cols.row, cols.col) == (0, 1)
        )
        starts = [view.col, *(axis.col for axis in lead)]
        return view.storage.layout is Layout.ROW_MAJOR and inside and all(step % TILE == 0 for step in starts)
    along = {"row": cols, "column": rows, "scalar": Axis(1, 0, 0)}[access]
    return view.storage.layout is Layout.ROW_MAJOR and (along.size == 1 or (along.row, along.col) == (0, 1))


def space(
    shape: Sequence[int],
    operands: Mapping[str, Placed],
    join_rows: bool = True,
    without_rows: Collection[str] = (),
) -> Space | None:
    """Batch dimensions that every operand walks evenly are joined; None if more than two remain.

    Batches whose rows follow each other become rows of one matrix; operands `without_rows`, as weights, do
    not stand in the way.
    """
    full = (1,) * (2 - len(shape)) + tuple(shape)
    lead = [
        (size, {name: one.view.axes[dim] for name, one in operands.items()})
        for dim, size in enumerate(full[:-2])
    ]
    joined: list[tuple[int, dict[str, Axis]]] = []
    for size, axes in (entry for entry in lead if entry[0] != 1):
        if joined and all(_follows(joined[-1][1][name], axes[name]) for name in operands):
            joined[-1] = (joined[-1][0] * size, axes)
        else:
            joined.append((size, axes))
    rows = full[-2]
    if (
        join_rows
        and joined
        and all(
            name in without_rows or _continues(operand, joined[-1][1][name], rows)
            for name, operand in operands.items()
        )
    ):
        rows *= joined.pop()[0]
    if len(joined) > 2:
        return None
    still = {name: Axis(1, 0, 0) for name in operands}
    while len(joined) < 2:
        joined.insert(0, (1, still))
    numbers = {
        f"{name}_{key}": value
        for name, operand in operands.items()
        for key, value in _numbers(operand, joined[0][1][name], joined[1][1][name]).items()
    }
    return Space((joined[0][0], joined[1][0]), rows, full[-1], numbers)


def _follows(outer: Axis, inner: Axis) -> bool:
    return outer.row == inner.row * inner.size and outer.col == inner.col * inner.size


def _continues(operand: Placed, batch: Axis, rows: int) -> bool:
    """Whether the rows of the next batch follow those of this one, so that both are one matrix."""
    if operand.access in ("row", "scalar"):
        return (batch.row, batch.col) == (0, 0)
    if operand.access == "rows":
        return (batch.row, batch.col) == (rows, 0)
    if operand.access == "block":
        return (
            rows % TILE == 0 and (batch.row, batch.col) == (rows, 0) and operand.view.axes[-2].row in (1, 0)
        )
    return False


def _numbers(operand: Placed, first: Axis, second: Axis) -> dict[str, int]:
    down = TILE if operand.access in ("block", "turned") else 1
    along = TILE if operand.access in ("block", "rows", "turned", "turned_rows") else 1
    view = operand.view
    return {
        "row": view.row // down,
        "row1": first.row // down,
        "row2": second.row // down,
        "col": view.col // along,
        "col1": first.col // along,
        "col2": second.col // along,
    }


def block_rows(space: Space, most: int, batched_rows: int) -> int:
    """How many rows a block has: blocks must not reach into the next batch."""
    size = most
    limit = padded(batched_rows)
    alone = space.batches == (1, 1)
    while size > TILE and ((limit % size and not alone) or size >= 2 * limit):
        size //= 2
    return size


def unjoined(shape: Sequence[int], operands: Mapping[str, Placed]) -> Space:
    """The space of a tensor with two batch dimensions, kept as they are."""
    numbers = {
        f"{name}_{key}": value
        for name, operand in operands.items()
        for key, value in _numbers(operand, operand.view.axes[0], operand.view.axes[1]).items()
    }
    return Space((shape[0], shape[1]), shape[2], shape[3], numbers)
