"""Each kind of group -> a launch: elementwise work, products, attention, work along rows, embeddings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import torch
from torch.fx import Node

from tilesmith.kernels.elementwise import Elementwise
from tilesmith.kernels.embedding import Embedding
from tilesmith.kernels.expression import Expr, Input, apply
from tilesmith.kernels.linear import Linear
from tilesmith.kernels.operands import Access, Operand
from tilesmith.kernels.rowwise import MOST_L1, RowWise
from tilesmith.kernels.rowwise_streamed import StreamedRowWise
from tilesmith.kernels.vectorwise import VectorWise
from tilesmith.models.decompositions.scaled_products import has_factors
from tilesmith.models.planning.epilogue import finish
from tilesmith.models.planning.fusion import Group, args_of, describe, shape_of
from tilesmith.models.planning.iteration_space import Placed, Space, block_rows, fits
from tilesmith.models.planning.lower_attention import lower_attention
from tilesmith.models.planning.lower_convolution import lower_convolution
from tilesmith.models.planning.lower_group_norm import lower_group_norm
from tilesmith.models.planning.lower_grouped import lower_grouped_product
from tilesmith.models.planning.lower_images import (
    lower_image_elementwise,
    lower_pool,
    lower_upsample,
    works_on_images,
)
from tilesmith.models.planning.lower_moves import lower_cat
from tilesmith.models.planning.lower_quantized import computed, lower_integer_linear, narrowest
from tilesmith.models.planning.lower_reduce import lower_reduction
from tilesmith.models.planning.lower_training import lower_rowwise_backward
from tilesmith.models.planning.lowering import Lowering, NoKernel, inline, size_numbers
from tilesmith.models.planning.op_tables import (
    ATTENTION,
    BACKWARD_ROWS,
    CACHE_UPDATE,
    CONVOLUTIONS,
    GROUPED_PRODUCT,
    NORMS,
    POOLS,
    PRODUCTS,
    REDUCTIONS,
)
from tilesmith.models.planning.partition import IN_BOUNDS
from tilesmith.models.planning.residents import lower_cache_update
from tilesmith.models.planning.views import (
    TILE,
    Axis,
    Storage,
    View,
    fresh,
    fresh_vector,
    padded,
)
from tilesmith.runtime import Layout

aten = torch.ops.aten


def lower_group(lowering: Lowering, group: Group) -> None:
    """Plan the kernel of a group. Raises NoKernel if there is none."""
    lower = _LOWERINGS[group.anchors[0].target] if group.anchors else lower_elementwise
    out = lower(lowering, group)
    lowering.device[group.output] = View(
        out.storage, out.axes[-len(shape_of(group.output)) :], out.row, out.col
    )


def _storages(operands: Mapping[str, Placed]) -> dict[str, Storage]:
    return {name: one.view.storage for name, one in operands.items()}


def _divisor(size: int, most: int) -> int:
    """The largest block of at most `most` that whole tiles of a size divide into."""
    return next(block for block in (256, 128, 64, TILE) if block <= most and padded(size) % block == 0)


def lower_elementwise(lowering: Lowering, group: Group) -> View:
    if works_on_images(lowering, group):
        return lower_image_elementwise(lowering, group)
    shape = shape_of(group.output)
    if len(shape) < 2 or shape[-1] == 1:
        return lower_vectorwise(lowering, group)
    done = finish(lowering, group, {})
    room = lowering.space(shape, done.operands)
    template = Elementwise(done.epilogue, (TILE, _divisor(room.cols, 128)))
    numbers = {**size_numbers(room), **room.numbers}
    lowering.launch(template, _storages(done.operands), numbers, describe(group), done.out)
    return done.out


def lower_vectorwise(lowering: Lowering, group: Group) -> View:
    """Elementwise work on tensors of one value per row: the last dimension above 1 runs along columns."""
    shape = shape_of(group.output)
    inlined = inline(group.after, {}, lowering.constants, "e")
    line = shape[:-1] if len(shape) > 1 else shape
    full = (1,) * (2 - len(line)) + line
    result = fresh(full, lowering.storage_type(group.output), Layout.ROW_MAJOR)
    lengthwise = (*full[:-1], 1, full[-1])
    operands = {name: _line(lowering, node, shape, lengthwise) for name, node in inlined.reads.items()}
    inputs = tuple(Operand(name, one.access, one.view.storage.dtype) for name, one in operands.items())
    between = View(result.storage, (*result.axes[:-1], Axis(1, 0, 0), result.axes[-1]))
    operands["y"] = Placed("row", between)
    room = lowering.space(lengthwise, operands)
    numbers = {**size_numbers(room), **room.numbers}
    del numbers["m"]
    kept = result.storage.dtype
    template = VectorWise(inlined.stored(group.output, kept), inputs, Operand("y", "row", kept))
    lowering.launch(template, _storages(operands), numbers, describe(group), result)
    view = result.reshape(shape)
    assert view is not None
    return view


def _line(lowering: Lowering, node: Node, shape: tuple[int, ...], lengthwise: tuple[int, ...]) -> Placed:
    """An operand of work on vectors, as rows with the batch in front."""
    own = (1,) * (len(shape) - len(shape_of(node))) + shape_of(node)
    column = len(shape) > 1
    length = (1, *own)[-2 if column else -1]
    if length < lengthwise[-1] or (prod(own) == 1 and prod(shape) != 1):
        scalar = lowering.placed(node, own if column else (1, 1), "scalar").view
        still = View(scalar.storage, (*scalar.axes[:-2], *(Axis(1, 0, 0),) * 2), scalar.row, scalar.col)
        return Placed("scalar", still.expand(lengthwise))
    access: Access = "column" if column else "row"
    placed = lowering.placed(node, own, access)
    axes = placed.view.axes
    along, lead = (axes[-2], axes[:-2]) if column else (axes[-1], ())
    view = View(placed.view.storage, (*lead, Axis(1, 0, 0), along), placed.view.row, placed.view.col)
    return Placed("row", view.expand(lengthwise))


# ---- products ----


def _product_args(node: Node) -> tuple[Any, Any, Any, bool]:
    """Rows, weight, bias, and whether the weight has its outputs first."""
    if node.target is aten.linear.default:
        x, weight, *rest = args_of(node)
        return x, weight, rest[0] if rest else None, True
    if node.target is aten.addmm.default:
        if has_factors(node):
            raise NoKernel("a product that is scaled when it is added")
        bias, x, weight = args_of(node)[:3]
        return x, weight, bias, False
    x, weight = node.args[:2]
    return x, weight, None, False


def lower_product(lowering: Lowering, group: Group) -> View:
    parts = [_product_args(node) for node in group.anchors]
    x_node, _, _, transposed = parts[0]
    shape = shape_of(group.anchors[0])
    if min(x_node.meta["val"].dim(), parts[0][1].meta["val"].dim()) < 2:
        raise NoKernel("a product with a vector")
    rows, inner = (1, *shape_of(x_node))[-2:]
    known: dict[Node, Expr] = {}
    extra: dict[str, Node] = {}
    x, turned = _rows(lowering, x_node, (*shape[:-1], inner))
    operands: dict[str, Placed] = {"x": x}
    for number, (node, (_, weight, bias, _)) in enumerate(zip(group.anchors, parts, strict=True)):
        operands[f"w{number}"], flipped = _weight(lowering, weight, shape, inner, transposed)
        if operands[f"w{number}"].view.storage.dtype != operands["w0"].view.storage.dtype:
            raise NoKernel("two weights of different precision")
        known[node] = Input(f"acc{number}")
        if bias is not None:
            extra[f"bias{number}"] = bias
            known[node] = apply("add", known[node], Input(f"bias{number}"))
    done = finish(lowering, group, known, extra)
    operands |= done.operands
    # A weight for each batch cannot serve rows of several, even where its own batches follow as theirs do.
    shared = all((axis.row, axis.col) == (0, 0) for axis in operands["w0"].view.axes[:-2])
    weights = [name for name in operands if name.startswith("w")]
    room = lowering.space(shape, operands, join_rows=shared and not turned, without_rows=weights)
    template = Linear(
        done.epilogue,
        weights=len(parts),
        transposed=flipped,
        x_transposed=turned,
        block=_product_block(room, rows, inner),
        dtype=operands["x"].view.storage.dtype,
        x_access=operands["x"].access,
        weight_dtype=computed(operands["w0"].view.storage.dtype),
    )
    numbers = {**size_numbers(room), "k": padded(inner), **room.numbers}
    lowering.launch(template, _storages(operands), numbers, describe(group), done.out)
    return done.out


def _rows(lowering: Lowering, node: Node, target: tuple[int, ...]) -> tuple[Placed, bool]:
    """The left operand, and whether it lies transposed, as in gradients of weights: then it is not copied."""
    view = lowering.device.get(node)
    if view is not None and len(view.axes) == len(target) and not fits(Placed("block", view)):
        turned = Placed("block", view.permute((*range(len(target) - 2), -1, -2)))
        if fits(turned):
            return turned, True
    return lowering.placed(node, target, "block"), False


def _product_block(room: Space, rows: int, inner: int) -> tuple[int, int, int]:
    return block_rows(room, 64, rows), _divisor(room.cols, 64), _divisor(inner, 64)


def _weight(
    lowering: Lowering, node: Node, shape: tuple[int, ...], inner: int, transposed: bool
) -> tuple[Placed, bool]:
    """The weight, and whether its outputs come first; a transposed view of it needs no copy."""
    straight = (*shape[:-2], shape[-1], inner) if transposed else (*shape[:-2], inner, shape[-1])
    if node in lowering.device and not transposed:
        view = lowering.device[node]
        turned = view.permute((*range(len(view.axes) - 2), -1, -2)).expand((*shape[:-2], shape[-1], inner))
        if fits(Placed("block", turned)):
            return Placed("block", turned), True
    dtype = narrowest(lowering, node)
    return lowering.placed(node, straight, "block", rows_too=False, dtype=dtype), transposed


# ---- along rows ----


def lower_rowwise(lowering: Lowering, group: Group) -> View:
    node = group.anchors[0]
    source, shape = args_of(node)[0], shape_of(node)
    _check_last_dim(node, len(shape))
    prologue = inline(group.before, {}, lowering.constants, "p")
    expr = prologue.values[source] if group.before else Input("x")
    reads = prologue.reads if group.before else {"x": source}
    operands = {name: lowering.placed(one, shape) for name, one in reads.items()}
    known, extra, epsilon = _norm_parts(node)
    done = finish(lowering, group, {node: known}, extra)
    inputs = tuple(Operand(name, one.access, one.view.storage.dtype) for name, one in operands.items())
    operands |= done.operands
    room = lowering.space(shape, operands)
    template: Any = RowWise(NORMS[node.target], room.cols, done.epilogue, inputs, expr, epsilon)
    if template.l1_bytes > MOST_L1:
        template = StreamedRowWise(NORMS[node.target], room.cols, done.epilogue, inputs, expr, epsilon)
    numbers = {**size_numbers(room), **room.numbers}
    del numbers["n"]
    lowering.launch(template, _storages(operands), numbers, describe(group), done.out)
    return done.out


def _check_last_dim(node: Node, rank: int) -> None:
    if node.target in (aten.layer_norm.default, aten.rms_norm.default):
        if len(args_of(node)[1]) != 1:
            raise NoKernel("a norm over more than the last dimension")
    elif node.args[1] not in (-1, rank - 1):
        raise NoKernel("a softmax along another dimension than the last")


def _norm_parts(node: Node) -> tuple[Expr, dict[str, Node], float]:
    """What becomes of the normalised value, the tensors for it, and epsilon."""
    known: Expr = Input("acc0")
    if node.target not in (aten.layer_norm.default, aten.rms_norm.default):
        return known, {}, 0.0
    rest = [*args_of(node)[2:], None, None, None]
    is_rms = node.target is aten.rms_norm.default
    weight, bias, epsilon = (rest[0], None, rest[1]) if is_rms else rest[:3]
    extra = {}
    if weight is not None:
        known, extra["weight"] = apply("mul", known, Input("weight")), weight
    if bias is not None:
        known, extra["bias"] = apply("add", known, Input("bias")), bias
    usual = torch.finfo(torch.float32).eps if is_rms else 1e-5
    return known, extra, float(usual if epsilon is None else epsilon)


# ---- embeddings ----


def lower_embedding(lowering: Lowering, group: Group) -> View:
    node = group.anchors[0]
    table, ids = args_of(node)[:2]
    if not shape_of(ids):
        raise NoKernel("one row of a table, not several")
    shape = shape_of(node)
    picked = _picked(lowering, ids, shape_of(table)[0], bool(node.meta.get(IN_BOUNDS)))
    rows = _table(lowering, table)
    done = finish(lowering, group, {node: Input("acc0")})
    operands = {"ids": Placed("column", picked.expand(shape)), **done.operands}
    room = lowering.space(shape, operands, join_rows=False)
    block = (TILE, _divisor(room.cols, 128))
    template = Embedding(done.epilogue, block, rows.dtype, ids_dtype=picked.storage.dtype)
    still = {f"table_{key}": 0 for key in ("row", "row1", "row2", "col", "col1", "col2")}
    numbers = {**size_numbers(room), **room.numbers, **still}
    lowering.launch(template, {**_storages(operands), "table": rows}, numbers, describe(group), done.out)
    return done.out


def _picked(lowering: Lowering, ids: Node, size: int, in_bounds: bool) -> View:
    """Numbers of rows as a column: where a kernel found them, if none is beyond, or brought and checked."""
    columns = (*shape_of(ids), 1)
    columns = (1, *columns)[-max(2, len(columns)) :]
    if in_bounds and lowering.formats and ids in lowering.device:
        found = lowering.device[ids].reshape(columns)
        if found is not None and found.storage.dtype == "float32" and fits(Placed("column", found)):
            return found
        return lowering.gathered(ids, columns, "column", "float32")
    lowering.to_host(ids)
    return lowering.uploaded(ids, f"ids below {size}", lambda: fresh_vector(columns, "int32"), below=size)


def _table(lowering: Lowering, node: Node) -> Storage:
    """A table in rows; one that a kernel made is copied if it is only a part of its storage, or turned."""
    view = lowering.device.get(node)
    if view is None:
        make = lambda: fresh(shape_of(node), lowering.storage_type(node), Layout.ROW_MAJOR)  # noqa: E731
        return lowering.uploaded(node, "rows", make).storage
    steps = [(axis.row, axis.col) if axis.size > 1 else None for axis in view.axes]
    plain = steps[0] in (None, (1, 0)) and steps[1] in (None, (0, 1))
    if plain and not (view.row or view.col):
        return lowering.in_rows(view.storage)
    return lowering.gathered(node, shape_of(node), "row").storage


_LOWERINGS: dict[Any, Callable[[Lowering, Group], View]] = {
    **dict.fromkeys(PRODUCTS, lower_product),
    **dict.fromkeys(ATTENTION, lower_attention),
    **dict.fromkeys(NORMS, lower_rowwise),
    **dict.fromkeys(CONVOLUTIONS, lower_convolution),
    **dict.fromkeys(POOLS, lower_pool),
    **dict.fromkeys(REDUCTIONS, lower_reduction),
    **dict.fromkeys(BACKWARD_ROWS, lower_rowwise_backward),
    torch.ops.tilesmith.integer_linear.default: lower_integer_linear,
    torch.ops.tilesmith.integer_conv2d.default: lower_convolution,
    aten.embedding.default: lower_embedding,
    aten.group_norm.default: lower_group_norm,
    aten.cat.default: lower_cat,
    GROUPED_PRODUCT: lower_grouped_product,
    CACHE_UPDATE: lower_cache_update,
    aten.upsample_nearest2d.vec: lower_upsample,
    aten.upsample_nearest2d.default: lower_upsample,
}
