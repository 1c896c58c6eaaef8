"""Gradients of norms and of softmax -> launches."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from tilesmith.kernels.expression import Expr, Input, apply
from tilesmith.kernels.operands import Operand
from tilesmith.kernels.rowwise import MOST_L1
from tilesmith.kernels.rowwise_backward import RowWiseBackward
from tilesmith.kernels.rowwise_streamed_backward import StreamedRowWiseBackward
from tilesmith.models.planning.epilogue import finish
from tilesmith.models.planning.fusion import Group, describe, shape_of
from tilesmith.models.planning.iteration_space import Placed
from tilesmith.models.planning.lowering import Lowering, NoKernel, size_numbers
from tilesmith.models.planning.op_tables import BACKWARD_ROWS
from tilesmith.models.planning.views import View

aten = torch.ops.aten
_SOFTMAXES = (aten._softmax_backward_data.default, aten._log_softmax_backward_data.default)


def lower_rowwise_backward(lowering: Lowering, group: Group) -> View:
    """The gradient of a norm or a softmax along the last dimension."""
    node = group.anchors[0]
    shape = shape_of(node)
    grad, source, weight, epsilon = _operands_of(node, len(shape))
    reads = {"g": grad, "x": source, **({} if weight is None else {"w": weight})}
    operands: dict[str, Placed] = {name: lowering.placed(one, shape) for name, one in reads.items()}
    slope: Expr = Input("g") if weight is None else apply("mul", Input("g"), Input("w"))
    inputs = tuple(Operand(name, one.access, one.view.storage.dtype) for name, one in operands.items())
    done = finish(lowering, group, {node: Input("acc0")})
    operands |= done.operands
    room = lowering.space(shape, operands)
    operation: Any = BACKWARD_ROWS[node.target]
    work: Any = (operation, room.cols, done.epilogue, inputs, slope, Input("x"), epsilon)
    template: Any = RowWiseBackward(*work)
    if template.l1_bytes > MOST_L1:
        template = StreamedRowWiseBackward(*work)
    numbers = {**size_numbers(room), **room.numbers}
    del numbers["n"]
    storages = {name: one.view.storage for name, one in operands.items()}
    lowering.launch(template, storages, numbers, describe(group), done.out)
    return done.out


def _operands_of(node: Node, rank: int) -> tuple[Any, Any, Any, float]:
    """The gradient that comes in, what it is a gradient of, the weight of a norm, and epsilon."""
    if node.target in _SOFTMAXES:
        grad, result, dim = node.args[:3]
        if dim not in (-1, rank - 1):
            raise NoKernel("the gradient of a softmax along another dimension than the last")
        return grad, result, None, 0.0
    grad, source, weight, epsilon = node.args
    assert isinstance(epsilon, float | int)
    return grad, source, weight, float(epsilon)
