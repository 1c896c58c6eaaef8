"""Let an operation write where its result is copied to anyway."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from tilesmith.compiler.analysis.liveness import Liveness, liveness
from tilesmith.compiler.analysis.memory_effects import buffer_effects
from tilesmith.compiler.analysis.roles import CONTROL, role_of, steps
from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.conversions import is_rounded_type
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.pass_group import FunctionPass


@dataclass(frozen=True)
class StoreForwarding(FunctionPass):
    """Let an operation write where its result is copied to anyway."""

    name = "store-forwarding"

    def rewrite(self, func: tile.FuncOp) -> None:
        forward_writes(func.body.block)


def forward_writes(block: Block) -> None:
    """`X = f(..); Y = X` with X not used afterwards becomes `Y = f(..)`."""
    live = liveness(block)
    for copy in [op for op in steps(block) if isinstance(op, tile.CopyOp)]:
        writer = _writer_of(copy, live)
        if writer is not None:
            _redirect(writer, copy.dest)
            Rewriter.erase_op(copy)


def _writer_of(copy: tile.CopyOp, live: Liveness) -> Operation | None:
    """The operation before the copy that makes all of its source, if the copy may be left out."""
    if not copy.is_whole or not _keeps_values(copy) or copy.source in live.after[copy]:
        return None
    op = copy.prev_op
    while op is not None and not isinstance(op, CONTROL):
        touches = buffer_effects(op).touches
        if copy.source in touches:
            return op if _can_redirect(op, copy) else None
        if copy.dest in touches:
            return None
        op = op.prev_op
    return None


def _can_redirect(op: Operation, copy: tile.CopyOp) -> bool:
    effects = buffer_effects(op)
    if role_of(op) != role_of(copy) or copy.source not in effects.writes or copy.dest in effects.touches:
        return False
    return isinstance(op, tile.MapOp) or (
        isinstance(op, tile.FillOp | tile.CopyOp | tile.ReduceOp) and copy.source in effects.defines
    )


def _keeps_values(copy: tile.CopyOp) -> bool:
    """Writing to the destination at once rounds once; the same unless the source is the narrower one."""
    source, dest = tile.place_of(copy.source), tile.place_of(copy.dest)
    assert isinstance(source, BufferType)
    assert isinstance(dest, BufferType)
    if is_rounded_type(source.element_type) and source.element_type != dest.element_type:
        return False
    return source.layout == dest.layout and (source.format == dest.format or source.format.data == "Float32")


def _redirect(op: Operation, new: SSAValue) -> None:
    match op:
        case tile.MapOp():
            op.operands[len(op.ins)] = new
        case tile.FillOp():
            op.operands[0] = new
        case tile.CopyOp():
            op.operands[1 + len(op.source_offsets)] = new
        case _:
            op.operands[1] = new
