"""Sums, means, maxima and minima -> launches."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import torch
from torch.fx import Node

from tilesmith.kernels.expression import Expr, Input, apply
from tilesmith.kernels.operands import Operand
from tilesmith.kernels.reduction import Reduction
from tilesmith.models.planning.fusion import Group, args_of, describe, shape_of
from tilesmith.models.planning.images import is_image
from tilesmith.models.planning.iteration_space import Placed, fits
from tilesmith.models.planning.lower_images import placed_image
from tilesmith.models.planning.lowering import Lowering, NoKernel, inline, new_view, size_numbers
from tilesmith.models.planning.op_tables import REDUCTIONS
from tilesmith.models.planning.views import TILE, View, fresh, fresh_vector
from tilesmith.runtime import Layout

aten = torch.ops.aten


def lower_reduction(lowering: Lowering, group: Group) -> View:
    node = group.anchors[0]
    source = node.args[0]
    assert isinstance(source, Node)
    shape = shape_of(source)
    dims = _dims(node, len(shape))
    final = _final(lowering, group, prod(shape[dim] for dim in dims))
    if not group.before and dims in ([2, 3], [0, 2, 3]) and _is_image(lowering, source):
        return _over_pixels(lowering, group, source, final, together=dims[0] == 0)
    if dims == [len(shape) - 1]:
        return _along_columns(lowering, group, shape, final)
    if len(shape) > 1 and dims == list(range(len(shape) - 1)):
        return _along_rows(lowering, group, shape, final)
    return _moved(lowering, group, source, dims, final)


def _dims(node: Node, rank: int) -> list[int]:
    args = args_of(node)
    if not rank:
        raise NoKernel("a reduction of one number")
    given = args[1] if len(args) > 1 else None
    if given is None or given == []:
        return list(range(rank))
    many = given if isinstance(given, Sequence) else [given]
    return sorted(int(dim) % rank for dim in many)


def _combiner(node: Node) -> Any:
    return REDUCTIONS[node.target]


def _final(lowering: Lowering, group: Group, count: int) -> Expr:
    """What becomes of what was summed up; other tensors take no part."""
    node = group.anchors[0]
    mean = node.target in (aten.mean.dim, aten.mean.default)
    known: Expr = apply("mul", Input("acc0"), 1.0 / count) if mean else Input("acc0")
    inlined = inline(group.after, {node: known}, lowering.constants, "e")
    if inlined.reads:
        raise NoKernel("a reduction is followed by work on other tensors")
    return inlined.values[group.output]


def _operands(lowering: Lowering, group: Group, shape: Sequence[int]) -> tuple[Expr, dict[str, Placed]]:
    source = group.anchors[0].args[0]
    assert isinstance(source, Node)
    prologue = inline(group.before, {}, lowering.constants, "p")
    expr = prologue.values[source] if group.before else Input("x")
    reads = prologue.reads if group.before else {"x": source}
    return expr, {name: lowering.placed(one, shape) for name, one in reads.items()}


def _launch(
    lowering: Lowering,
    group: Group,
    shape: Sequence[int],
    along: Any,
    source: Expr,
    operands: dict[str, Placed],
    final: Expr,
    out: Placed,
) -> None:
    room = lowering.space(shape, {**operands, "y": out}, join_rows=along == "columns")
    combiner = _combiner(group.anchors[0])
    ragged = room.cols % TILE != 0 or room.rows % TILE != 0
    # Beyond a matrix in tiles lie zeros; beyond one in rows, the next.
    plain = isinstance(source, Input) and all(one.access == "block" for one in operands.values())
    template = Reduction(
        combiner,
        along,
        tuple(Operand(name, one.access, one.view.storage.dtype) for name, one in operands.items()),
        source,
        final,
        Operand("y", "column" if along == "columns" else "row", out.view.storage.dtype),
        masked=room.cols % 64 != 0 or (ragged and (combiner != "sum" or not plain)),
    )
    storages = {name: one.view.storage for name, one in (*operands.items(), ("y", out))}
    numbers = {**size_numbers(room), **room.numbers}
    lowering.launch(template, storages, numbers, describe(group), out.view)


def _along_columns(lowering: Lowering, group: Group, shape: tuple[int, ...], final: Expr) -> View:
    """One value for each row."""
    source, operands = _operands(lowering, group, shape)
    full = (1,) * (2 - len(shape)) + shape
    result = fresh_vector((*full[:-1], 1), lowering.storage_type(group.output))
    out = Placed("column", result.expand(full))
    _launch(lowering, group, shape, "columns", source, operands, final, out)
    return _as_output(result, group)


def _along_rows(lowering: Lowering, group: Group, shape: tuple[int, ...], final: Expr) -> View:
    """One value for each column: all leading dimensions are one matrix, whose padding is zero."""
    source, operands = _operands(lowering, group, shape)
    result = new_view((shape[-1],), "row", lowering.storage_type(group.output))
    if len(shape) > 2:
        operands = {name: Placed(one.access, _joined(one, shape)) for name, one in operands.items()}
    rows = next(iter(operands.values())).view.axes[0].size if len(shape) > 2 else shape[0]
    out = Placed("row", result.expand((rows, shape[-1])))
    _launch(lowering, group, (rows, shape[-1]), "rows", source, operands, final, out)
    return _as_output(result, group)


def _joined(operand: Placed, shape: Sequence[int]) -> View:
    flat = operand.view.reshape((prod(shape[:-1]), shape[-1]))
    if flat is None:
        raise NoKernel("a sum over rows that do not follow each other")
    return flat


def _is_image(lowering: Lowering, node: Node) -> bool:
    return node in lowering.device and is_image(lowering.device[node])


def _over_pixels(lowering: Lowering, group: Group, source: Node, final: Expr, together: bool) -> View:
    """One value for each channel, of each image or of all."""
    x = placed_image(lowering, source)
    batch, area, channels = x.view.shape
    shape = (1, batch * area, channels) if together else (batch, area, channels)
    pixels = x.view.reshape(shape)
    if pixels is None:
        raise NoKernel("a sum over images that do not follow each other")
    result = fresh((shape[0], 1, channels), lowering.storage_type(group.output), Layout.ROW_MAJOR)
    out = Placed("row", result.expand(shape))
    _launch(lowering, group, shape, "rows", Input("x"), {"x": Placed(x.access, pixels)}, final, out)
    return _as_output(result, group)


def _moved(lowering: Lowering, group: Group, source: Node, dims: Sequence[int], final: Expr) -> View:
    """Other dimensions are moved to the end first."""
    if group.before:
        raise NoKernel("an expression is reduced along other dimensions than the last")
    shape = shape_of(source)
    kept = [dim for dim in range(len(shape)) if dim not in dims]
    order = (*kept, *dims)
    flat = (prod(shape[dim] for dim in kept), prod(shape[dim] for dim in dims))
    turned = lowering.in_memory(source).permute(order)
    ready = turned.reshape(flat)
    if ready is None or not _readable(ready):
        ready = fresh(flat, turned.storage.dtype)
        lowering.gather_into(turned, ready, "block")
    result = fresh_vector((flat[0], 1), lowering.storage_type(group.output))
    out = Placed("column", result.expand(flat))
    access: Any = "block" if ready.storage.layout is Layout.TILE else "rows"
    _launch(lowering, group, flat, "columns", Input("x"), {"x": Placed(access, ready)}, final, out)
    return _as_output(result, group)


def _readable(view: View) -> bool:
    return fits(Placed("block", view)) or fits(Placed("rows", view))


def _as_output(result: View, group: Group) -> View:
    view = result.reshape(shape_of(group.output))
    assert view is not None
    return view
