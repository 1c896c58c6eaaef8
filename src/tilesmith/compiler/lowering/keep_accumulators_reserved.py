"""A sum that a loop packs into stays reserved for the whole loop: unpacking need not wait for packing."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.roles import COMPUTE
from tilesmith.compiler.dialects import tt
from tilesmith.compiler.dialects import tt_compute as ttc
from tilesmith.compiler.dialects.walk import operations_of, walk
from tilesmith.compiler.pass_group import Pass

_PROTOCOL = (tt.WaitFrontOp, tt.PopFrontOp, tt.ReserveBackOp, tt.PushBackOp)
_Protocol = tt.WaitFrontOp | tt.PopFrontOp | tt.ReserveBackOp | tt.PushBackOp


@dataclass(frozen=True)
class KeepAccumulatorsReserved(Pass):
    """Take the protocol of a circular buffer that a loop only adds to out of the loop.

    Each turn pops the sum, reserves its place again, and pushes what it packed. Nobody reads it meanwhile,
    but the unpacker would wait in every turn until the packer is done.
    """

    name = "keep-accumulators-reserved"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in operations_of(op, tt.KernelOp):
            if kernel.role.data == COMPUTE:
                for loop in operations_of(kernel, scf.ForOp):
                    _hoist(loop)


def _hoist(loop: scf.ForOp) -> None:
    for stage in [op for op in loop.body.block.ops if isinstance(op, tt.StageOp)]:
        for cb in stage.outs:
            calls = _calls(stage, cb)
            if _only_adds(loop, stage, cb, calls):
                for call in calls:
                    Rewriter.erase_op(call)
                _around(loop, cb, calls[0].pages.value.data)


def _calls(stage: tt.StageOp, cb: SSAValue) -> list[_Protocol]:
    return [op for op in stage.body.block.ops if isinstance(op, _PROTOCOL) and op.cb is cb]


def _only_adds(loop: scf.ForOp, stage: tt.StageOp, cb: SSAValue, calls: list[_Protocol]) -> bool:
    """Whether all the loop does with a buffer is pop, reserve, pack and push it once in one stage."""
    if [type(call) for call in calls] != list(_PROTOCOL):
        return False
    users = [use.operation for use in cb.uses if loop.is_ancestor(use.operation)]
    return all(user is stage or user in calls or isinstance(user, ttc.PackTileOp) for user in users)


def _around(loop: scf.ForOp, cb: SSAValue, pages: int) -> None:
    Rewriter.insert_op(tt.PushBackOp(cb, pages), InsertPoint.after(loop))
    pushed = _last_call(loop, cb)
    reserved = pushed.prev_op if isinstance(pushed, tt.PushBackOp) else None
    if isinstance(reserved, tt.ReserveBackOp) and reserved.cb is cb and pushed is not None:
        Rewriter.erase_op(pushed)
        return
    before = [tt.WaitFrontOp(cb, pages), tt.PopFrontOp(cb, pages), tt.ReserveBackOp(cb, pages)]
    Rewriter.insert_op(before, InsertPoint.before(loop))


def _last_call(loop: scf.ForOp, cb: SSAValue) -> Operation | None:
    """The nearest operation before the loop, in its block, that does something with the buffer."""
    at = loop.prev_op
    while at is not None and not any(cb in inner.operands for inner in walk(at)):
        at = at.prev_op
    return at
