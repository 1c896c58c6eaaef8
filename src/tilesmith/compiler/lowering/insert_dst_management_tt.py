"""Each section of DST becomes acquire, math, commit, wait, pack, release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.dialects import tt_compute as ttc
from tilesmith.compiler.dialects.walk import operations_of
from tilesmith.compiler.lowering.tiles.stage import Dst
from tilesmith.compiler.pass_group import Pass
from tilesmith.errors import InternalFault


@dataclass(frozen=True)
class InsertDSTManagementTT(Pass):
    """Guard DST: math holds it from acquire to commit, pack from wait to release."""

    name = "insert-dst-management-tt"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for scope in operations_of(op, ttc.DstOp):
            _check_capacity(scope)
            _guard(scope)


def _check_capacity(scope: ttc.DstOp) -> None:
    slots, capacity = scope.slots.value.data, Dst(bool(scope.wide)).capacity
    if slots > capacity:
        raise InternalFault(f"an acquire/release section of DST uses {slots} slots, and there are {capacity}")


def _guard(scope: ttc.DstOp) -> None:
    for guard in (ttc.AcquireOp(), *_taken(scope.math.block), ttc.CommitOp()):
        Rewriter.insert_op(guard, InsertPoint.before(scope))
    for guard in (ttc.WaitOp(), *_taken(scope.pack.block), ttc.ReleaseOp()):
        Rewriter.insert_op(guard, InsertPoint.before(scope))
    Rewriter.erase_op(scope)


def _taken(block: Block) -> Iterator[Operation]:
    for op in list(block.ops):
        block.detach_op(op)
        yield op
