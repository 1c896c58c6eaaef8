"""Pass 3: give every parameter the kernel uses an accessor, which knows where the tensor's pages are."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tilesmith.compiler.dialects.tile import FuncOp
from tilesmith.compiler.dialects.tt import AccessorOp
from tilesmith.compiler.dialects.walk import operations_of
from tilesmith.compiler.pass_group import Pass


@dataclass(frozen=True)
class AttachTensorAccessorTT(Pass):
    """One `tt.accessor` at the top of the function per parameter that is used; views share their source's."""

    name = "attach-tensor-accessor-tt"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in operations_of(op, FuncOp):
            _attach(func)


def _attach(func: FuncOp) -> None:
    block = func.body.block
    accessors = [AccessorOp(tensor) for tensor in func.tensors.values() if tensor.first_use]
    if accessors:
        first = block.first_op
        if first is None:
            block.add_ops(accessors)
        else:
            block.insert_ops_before(accessors, first)
