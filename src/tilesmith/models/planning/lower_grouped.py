"""Products of rows with the weights of their groups -> a launch."""

from __future__ import annotations

from tilesmith.kernels.expression import Input
from tilesmith.kernels.grouped_linear import GroupedLinear
from tilesmith.models.planning.epilogue import finish
from tilesmith.models.planning.fusion import Group, args_of, describe, shape_of
from tilesmith.models.planning.iteration_space import Placed, unjoined
from tilesmith.models.planning.lower_quantized import computed
from tilesmith.models.planning.lowering import Lowering, NoKernel
from tilesmith.models.planning.views import TILE, Axis, View, padded


def lower_grouped_product(lowering: Lowering, group: Group) -> View:
    node = group.anchors[0]
    x_node, weight, ids, outputs_first = args_of(node)
    rows, inner = shape_of(x_node)
    if not lowering.formats:
        raise NoKernel("products by groups have kernels for Tenstorrent chips only")
    done = finish(lowering, group, {node: Input("acc0")})
    operands = {
        "x": lowering.placed(x_node, (rows, inner), "block"),
        "w": lowering.placed(weight, shape_of(weight), "block", rows_too=False),
        "ids": lowering.placed(ids, shape_of(ids), "column", dtype="float32"),
        **done.operands,
    }
    template = GroupedLinear(
        done.epilogue,
        groups=shape_of(weight)[0],
        transposed=bool(outputs_first),
        block=(TILE, _divisor(shape_of(node)[-1]), _divisor(inner)),
        dtype=operands["x"].view.storage.dtype,
        x_access=operands["x"].access,
        weight_dtype=computed(operands["w"].view.storage.dtype),
    )
    room = unjoined((1, 1, *shape_of(node)), {name: _with_groups(one) for name, one in operands.items()})
    numbers = {"m": room.rows, "n": room.cols, "k": padded(inner), **room.numbers}
    storages = {name: one.view.storage for name, one in operands.items()}
    lowering.launch(template, storages, numbers, describe(group), done.out)
    return done.out


def _with_groups(operand: Placed) -> Placed:
    """The operand with two leading dimensions: that of groups, which only weights have, and one of size 1."""
    view = operand.view
    still = (Axis(1, 0, 0),) * (4 - len(view.axes))
    axes = (*view.axes[:-2], *still, *view.axes[-2:])
    return Placed(operand.access, View(view.storage, axes, view.row, view.col))


def _divisor(size: int) -> int:
    return next(block for block in (64, TILE) if padded(size) % block == 0)
