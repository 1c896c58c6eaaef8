"""Which buffers still matter at each point of a program of structured control flow.

A buffer is live where some path reads what it holds before overwriting all of it. The analysis is the
textbook one, from the back to the front. What a piece of code does to the set of live buffers is always "add
some, drop some", so every loop is summed up once and no iteration to a fixed point is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from tilesmith.compiler.analysis.memory_effects import Effects, buffer_effects
from tilesmith.compiler.analysis.roles import CONTROL
from tilesmith.compiler.dialects import tile

Places = frozenset[SSAValue]
NONE: Places = frozenset()


@dataclass(frozen=True)
class Transfer:
    """live before = `adds` and what is live after without `drops`."""

    adds: Places = NONE
    drops: Places = NONE

    def __call__(self, after: Places) -> Places:
        return self.adds | (after - self.drops)

    def then(self, later: Transfer) -> Transfer:
        return Transfer(self.adds | (later.adds - self.drops), self.drops | later.drops)


NOTHING = Transfer()


@dataclass
class Liveness:
    """Live buffers before and after each operation, and at the start of each block."""

    before: dict[Operation, Places] = field(default_factory=dict)
    after: dict[Operation, Places] = field(default_factory=dict)
    entry: dict[Block, Places] = field(default_factory=dict)


def liveness(block: Block, effects: Callable[[Operation], Effects] = buffer_effects) -> Liveness:
    """Liveness of everything in a block, given that nothing is live after it."""
    analysis = _Analysis(effects)
    analysis.visit(block, NONE)
    return analysis.result


class _Analysis:
    def __init__(self, effects: Callable[[Operation], Effects]) -> None:
        self.effects = effects
        self.result = Liveness()
        self.known: dict[Operation, Transfer] = {}

    def of_op(self, op: Operation) -> Transfer:
        known = self.known.get(op)
        if known is None:
            known = self.known[op] = self._control(op) if type(op) in CONTROL else self._step(op)
        return known

    def _step(self, op: Operation) -> Transfer:
        effects = self.effects(op)
        return Transfer(frozenset(effects.reads), frozenset(effects.writes)) if effects.touches else NOTHING

    def _control(self, op: Operation) -> Transfer:
        match op:
            case scf.ForOp():
                return Transfer(self.of_region(op.body).adds)
            case scf.WhileOp():
                condition, body = self.of_region(op.before_region), self.of_region(op.after_region)
                return condition.then(Transfer(body.adds))
            case _:
                then, other = (self.of_region(region) for region in op.regions)
                return Transfer(then.adds | other.adds, then.drops & other.drops)

    def of_region(self, region: Region) -> Transfer:
        total = NOTHING
        for block in region.blocks:
            for op in reversed(block.ops):
                transfer = self.of_op(op)
                if transfer is not NOTHING:
                    total = transfer.then(total)
        return total

    def visit(self, block: Block, after: Places) -> Places:
        """Note what is live around every operation of the block; what is live at its start."""
        for op in reversed(block.ops):
            transfer = self.of_op(op)
            self.result.after[op] = after
            if transfer is not NOTHING:
                after = transfer(after)
            self.result.before[op] = after
            if type(op) in CONTROL:
                self._visit_regions(op)
        self.result.entry[block] = after
        return after

    def _visit_regions(self, op: Operation) -> None:
        before, after = self.result.before[op], self.result.after[op]
        match op:
            case scf.ForOp():
                self.visit(op.body.block, before)
            case scf.IfOp():
                for region in op.regions:
                    for block in region.blocks:
                        self.visit(block, after)
            case scf.WhileOp():
                self.visit(op.after_region.block, before)
                self.visit(op.before_region.block, after | self.result.entry[op.after_region.block])


def live_at_head(op: scf.ForOp | scf.WhileOp, live: Liveness) -> Places:
    """What is live where a loop decides whether to go on."""
    if isinstance(op, scf.ForOp):
        return live.before[op]
    return live.after[op] | live.entry[op.after_region.block]


def effects_with_allocations(op: Operation) -> Effects:
    """An allocation ends what the buffer held in the block before."""
    return Effects((), (op.buffer,)) if isinstance(op, tile.AllocOp) else buffer_effects(op)
