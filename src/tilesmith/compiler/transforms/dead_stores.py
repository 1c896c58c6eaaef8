"""Operations whose results nobody looks at."""

from __future__ import annotations

from xdsl.ir import Block, Operation
from xdsl.rewriter import Rewriter

from tilesmith.compiler.analysis.liveness import liveness
from tilesmith.compiler.analysis.memory_effects import Effects, buffer_effects, effects_of, is_buffer
from tilesmith.compiler.analysis.roles import steps
from tilesmith.compiler.dialects import tile


def remove_dead_writes(block: Block) -> None:
    """Erase what only writes buffers that are overwritten or never read before anybody looks."""
    while dead := _dead_writes(block):
        for op in dead:
            Rewriter.erase_op(op)


def _dead_writes(block: Block) -> list[Operation]:
    live = liveness(block, effects_with_allocations)
    dead = []
    for op in steps(block):
        writes = effects_of(op).writes
        if not writes or isinstance(op, tile.StoreOp):
            continue
        if all(is_buffer(place) and place not in live.after[op] for place in writes):
            dead.append(op)
    return dead


def effects_with_allocations(op: Operation) -> Effects:
    """An allocation ends what the buffer held in the block before."""
    return Effects((), (op.buffer,)) if isinstance(op, tile.AllocOp) else buffer_effects(op)
