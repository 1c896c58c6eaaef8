"""Where each version of a circular buffer ends, and where one must exist that nobody has written.

At every point of the program a circular buffer holds one version where it is live and none where it is not,
on every path. So a version is released where its buffer stops being live: after its last use, at the start of
a branch or loop body that does not use it, after a loop that only kept it for its next round.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.liveness import Liveness, Places, live_at_head
from tilesmith.compiler.analysis.memory_effects import buffer_effects
from tilesmith.compiler.analysis.roles import CONTROL
from tilesmith.compiler.dialects import tt


def insert_releases(block: Block, live: Liveness, cbs: Sequence[SSAValue]) -> None:
    """Release every version where it dies. `cbs` gives the order among those that die together."""
    for op in list(block.ops):
        if type(op) in CONTROL:
            _around_control(op, live, cbs)
        else:
            ended = (live.before[op] | set(buffer_effects(op).writes)) - live.after[op]
            _release(ended, cbs, InsertPoint.after(op))


def _around_control(op: Operation, live: Liveness, cbs: Sequence[SSAValue]) -> None:
    match op:
        case scf.IfOp():
            _enter_branches(op, live, cbs)
        case scf.ForOp():
            _enter(op.body.block, live_at_head(op, live), live, cbs)
            _release(live_at_head(op, live) - live.after[op], cbs, InsertPoint.after(op))
        case scf.WhileOp():
            insert_releases(op.before_region.block, live, cbs)
            _enter(op.after_region.block, live_at_head(op, live), live, cbs)
            _release(live_at_head(op, live) - live.after[op], cbs, InsertPoint.after(op))


def _enter(block: Block, held: Places, live: Liveness, cbs: Sequence[SSAValue]) -> None:
    insert_releases(block, live, cbs)
    _release(held - live.entry[block], cbs, InsertPoint.at_start(block))


def _enter_branches(op: scf.IfOp, live: Liveness, cbs: Sequence[SSAValue]) -> None:
    for region in op.regions:
        if not region.blocks:
            unused = live.before[op] - live.after[op]
            if not unused:
                continue
            end = scf.YieldOp()
            region.add_block(Block([end]))
            live.entry[region.block] = live.before[end] = live.after[end] = live.after[op]
        _enter(region.block, live.before[op], live, cbs)


def _release(ended: Iterable[SSAValue], cbs: Sequence[SSAValue], at: InsertPoint) -> None:
    releases = [tt.ReleaseOp(cb) for cb in sorted(ended, key=cbs.index)]
    if releases:
        Rewriter.insert_op(releases, at)
