"""Which scalar code and control flow something depends on."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator, is_side_effect_free

from tilesmith.compiler.analysis.roles import CONTROL
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.walk import walk

_SCALAR = (*CONTROL, tile.VarOp, tile.GetOp, tile.SetOp, tile.ReadOp, tile.ViewOp, tt.AccessorOp, tt.ArgOp)

_KERNELS = (tile.FuncOp, tt.KernelOp)


def needed_by(roots: Iterable[Operation], ends: Iterable[Operation] = ()) -> set[Operation]:
    """What the roots need: scalars, variables, the loops and branches around. `ends` need nothing more."""
    return _Needed(roots, set(ends)).ops


def is_step(op: Operation) -> bool:
    """Whether the operation does something, other than to compute a scalar or to decide about others."""
    if type(op) in _SCALAR or type(op).name.startswith("arith.") or op.has_trait(IsTerminator):
        return False
    return not is_side_effect_free(op)


def is_accessed(op: tt.AccessorOp) -> bool:
    """Transfers name the tensor until they are lowered; the accessor is there for them."""
    uses = [use.operation for use in op.tensor.uses]
    return bool(op.accessor.uses) or any(not isinstance(user, tt.AccessorOp) for user in uses)


class _Needed:
    """Marks from the roots backwards."""

    def __init__(self, roots: Iterable[Operation], ends: set[Operation]) -> None:
        self.ops: set[Operation] = set()
        self.ends = ends
        self.todo = list(roots)
        while self.todo:
            op = self.todo.pop()
            if op not in self.ops:
                self.ops.add(op)
                self._mark_needs(op)

    def _mark_needs(self, op: Operation) -> None:
        parent = op.parent_op()
        if type(parent) in CONTROL:
            assert parent is not None
            self.todo.append(parent)
        if type(op) in CONTROL:
            self.todo += [block.last_op for region in op.regions for block in region.blocks if block.last_op]
            self._mark_operands(op)
        elif op not in self.ends:
            for inner in walk(op) if op.regions else (op,):
                self._mark_operands(inner)
        if isinstance(op, tile.GetOp):
            self.todo += [use.operation for use in op.var.uses if isinstance(use.operation, tile.SetOp)]

    def _mark_operands(self, op: Operation) -> None:
        self.todo += [owner for value in op.operands if (owner := _maker_of(value)) is not None]


def _maker_of(value: SSAValue) -> Operation | None:
    """The operation that makes a value; for the counter of a loop, the loop."""
    maker = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
    return None if type(maker) in _KERNELS else maker
