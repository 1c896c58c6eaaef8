"""Scalar code and control flow that nothing depends on."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import IsTerminator, is_side_effect_free

from tilesmith.dialects import tile, tt
from tilesmith.passes.roles import CONTROL, steps

_SCALAR = (tile.VarOp, tile.GetOp, tile.SetOp, tile.ReadOp)


def remove_dead_scalars(block: Block) -> None:
    """Keep the steps, and of scalars, variables, loops and branches only what decides about them."""
    needed = _Needed(block).ops
    for op in reversed(list(steps(block))):
        if op not in needed and not isinstance(op, tt.AccessorOp):
            Rewriter.erase_op(op)
    for op in list(block.ops):
        if isinstance(op, tt.AccessorOp) and not _is_accessed(op):
            Rewriter.erase_op(op)
    for op in list(steps(block)):
        if isinstance(op, scf.IfOp):
            _drop_empty_else(op)


class _Needed:
    """What the steps of a kernel need, found from the steps backwards."""

    def __init__(self, block: Block) -> None:
        self.ops: set[Operation] = set()
        self.todo: list[Operation] = [op for op in steps(block) if _is_step(op)]
        while self.todo:
            self._mark(self.todo.pop())

    def _mark(self, op: Operation) -> None:
        if op in self.ops:
            return
        self.ops.add(op)
        parent = op.parent_op()
        if isinstance(parent, CONTROL):
            self.todo.append(parent)
        if isinstance(op, CONTROL):
            self.todo += [block.last_op for region in op.regions for block in region.blocks if block.last_op]
            self._mark_operands(op)
        else:
            for inner in op.walk():
                self._mark_operands(inner)
        if isinstance(op, tile.GetOp):
            self.todo += [use.operation for use in op.var.uses if isinstance(use.operation, tile.SetOp)]

    def _mark_operands(self, op: Operation) -> None:
        self.todo += [owner for value in op.operands if (owner := _maker_of(value)) is not None]


def _maker_of(value: SSAValue) -> Operation | None:
    """The operation that makes a value; for the counter of a loop, the loop."""
    maker = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
    return None if isinstance(maker, tile.FuncOp | tt.KernelOp) else maker


def _is_step(op: Operation) -> bool:
    if isinstance(op, tt.CBOp):
        return True
    if isinstance(op, (*CONTROL, *_SCALAR, tt.AccessorOp)) or op.has_trait(IsTerminator):
        return False
    return not is_side_effect_free(op)


def _is_accessed(op: tt.AccessorOp) -> bool:
    """Transfers name the tensor until they are lowered; the accessor is there for them."""
    uses = [use.operation for use in op.tensor.uses]
    return bool(op.accessor.uses) or any(not isinstance(user, tt.AccessorOp) for user in uses)


def _drop_empty_else(op: scf.IfOp) -> None:
    region = op.false_region
    if region.blocks and all(inner.has_trait(IsTerminator) for inner in region.block.ops):
        region.erase_block(region.block)
