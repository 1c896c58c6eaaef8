"""Where each version of a circular buffer ends, and where one must exist that nobody has written.

At every point of the program a circular buffer holds one version where it is live and none where it is not,
on every path. So a version is released where its buffer stops being live: after its last use, at the start of
a branch or loop body that does not use it, after a loop that only kept it for its next iteration.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, StringAttr, f32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.liveness import Liveness, Places, live_at_head, liveness
from tilesmith.compiler.analysis.memory_effects import Effects, buffer_effects
from tilesmith.compiler.analysis.roles import CONTROL, set_role, steps
from tilesmith.compiler.analysis.uninitialized import only_kept
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.lowering.allocate_circular_buffers import HOME
from tilesmith.compiler.pass_group import FunctionPass


@dataclass(frozen=True)
class InsertCBReleases(FunctionPass):
    """Release every version of a circular buffer where it dies; begin one where it lives unwritten."""

    name = "insert-cb-releases"

    def rewrite(self, func: tile.FuncOp) -> None:
        block = func.body.block
        _end_versions(block)
        for op in list(block.ops):
            if isinstance(op, tt.CBOp) and not op.cb.uses:
                Rewriter.erase_op(op)


def _homes(block: Block) -> dict[tile.AllocOp, SSAValue]:
    """The circular buffer behind every allocation that is used."""
    cbs = {op.cb_name: op.cb for op in block.ops if isinstance(op, tt.CBOp)}
    allocs = [op for op in steps(block) if isinstance(op, tile.AllocOp)]
    named = ((alloc, alloc.attributes.get(HOME)) for alloc in allocs)
    return {alloc: cbs[home] for alloc, home in named if isinstance(home, StringAttr)}


def _end_versions(block: Block) -> None:
    """An allocation is where the user's buffer begins to exist, with nothing in it."""
    homes = _homes(block)

    def effects(op: Operation) -> Effects:
        return Effects((), (homes[op],)) if isinstance(op, tile.AllocOp) else buffer_effects(op)

    live = liveness(block, effects)
    insert_releases(block, live, [op.cb for op in block.ops if isinstance(op, tt.CBOp)])
    for alloc, home in homes.items():
        if home in live.after[alloc]:
            Rewriter.insert_op(_begin(home), InsertPoint.before(alloc))
        Rewriter.erase_op(alloc)


def _begin(home: SSAValue) -> list[Operation]:
    """A first version: zeros where the buffer is put together from parts, so that none is left unwritten."""
    if not any(_adds_a_part(use.operation, home) for use in home.uses):
        return [tt.UndefOp(home)]
    assert isinstance(home.owner, tt.CBOp)
    zero = arith.ConstantOp(FloatAttr(0.0, f32))
    fill = tile.FillOp(home, zero.result)
    set_role(fill, home.owner.producer.data)
    return [zero, fill]


def _adds_a_part(op: Operation, home: SSAValue) -> bool:
    """Whether an operation writes some elements and keeps what the others had."""
    if isinstance(op, tile.MapOp):
        arguments = zip(op.ins, op.body.block.args, strict=False)
        return any(value is home and only_kept(arg) for value, arg in arguments)
    return isinstance(op, tile.CopyOp | tile.ScalarOp) and home in buffer_effects(op).updates


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
