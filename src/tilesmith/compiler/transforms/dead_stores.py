"""Operations whose results nobody looks at."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Block, Operation
from xdsl.rewriter import Rewriter

from tilesmith.compiler.analysis.liveness import effects_with_allocations, liveness
from tilesmith.compiler.analysis.memory_effects import effects_of, is_buffer
from tilesmith.compiler.analysis.roles import steps
from tilesmith.compiler.dialects import tile
from tilesmith.compiler.pass_group import FunctionPass


@dataclass(frozen=True)
class DeadStoreElimination(FunctionPass):
    """Erase what only writes buffers that nobody reads before they are overwritten."""

    name = "dead-store-elimination"

    def rewrite(self, func: tile.FuncOp) -> None:
        remove_dead_writes(func.body.block)


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
