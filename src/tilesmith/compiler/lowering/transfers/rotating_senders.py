"""Loads of a loop that cores share, when there is L1 for it: the cores take turns in reading and sending.

A core begins to read the block of its turn while the one before it sends. The block waits in memory of its
own, since the circular buffer belongs to the turn at hand. Turns go on over the sums of a core: the first
block of a sum is read while the last of the one before is sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.arch import Arch
from tilesmith.compiler.analysis.index_expressions import constant_of
from tilesmith.compiler.analysis.l1_budget import fit
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.tt_dataflow import ReadBarrierOp
from tilesmith.compiler.dialects.walk import operations_of
from tilesmith.compiler.lowering.transfers.build import Body, Index
from tilesmith.compiler.lowering.transfers.tensors import kernel_of, role_of
from tilesmith.compiler.lowering.transfers.tiles import read_tiles

STAGED = "staged"
# So many turns before its own a core begins to read. Much earlier, later blocks hold up the next.
_AHEAD = 1


def turns_of(op: tile.LoadOp) -> int:
    """How often the loop around a load runs, if it is pipelined and that is known; else 0."""
    loop = op.parent_op()
    if not isinstance(loop, scf.ForOp) or "num_stages" not in loop.attributes:
        return 0
    first, last, step = constant_of(loop.lb), constant_of(loop.ub), constant_of(loop.step)
    return last if (first, step) == (0, 1) and last is not None else 0


def staged_block(op: tile.LoadOp, arch: Arch) -> SSAValue | None:
    """Room for a block that waits for its turn, as a circular buffer of the kernel; None if L1 has none."""
    kernel = kernel_of(op)
    block = op.buffer.owner
    assert isinstance(block, tt.CBOp)
    pages, size, role = block.pages.value.data, block.page_size.value.data, role_of(op)
    room = tt.CBOp(f"{block.cb_name.data}_{STAGED}", block.cb.type.buffer, pages, 1, size, role, role)
    module = kernel.parent_op()
    assert isinstance(module, ModuleOp)
    known = {one.cb_name.data: one for one in operations_of(module, tt.CBOp)}
    if len(known) + 1 > arch.num_circular_buffers or not fit([*known.values(), room], arch):
        return None
    at = next(other for other in kernel.body.block.ops if not isinstance(other, tt.CBOp))
    kernel.body.block.insert_op_before(room, at)
    return room.cb


@dataclass(frozen=True)
class Turns:
    """The turns of a load's loop, counted on through the loop around it.

    What cores share is never stored, and its place is arithmetic of the loops' indices.
    """

    turn: SSAValue
    turns: int
    outer: SSAValue | None
    """Of the loop around, and how often it runs."""
    again: int

    @staticmethod
    def of(op: tile.LoadOp) -> Turns:
        loop = op.parent_op()
        assert isinstance(loop, scf.ForOp)
        turn, turns, outer = loop.body.block.args[0], turns_of(op), loop.parent_op()
        if isinstance(outer, scf.ForOp) and not outer.results:
            first, last, step = constant_of(outer.lb), constant_of(outer.ub), constant_of(outer.step)
            if (first, step) == (0, 1) and last is not None:
                return Turns(turn, turns, outer.body.block.args[0], last)
        return Turns(turn, turns, None, 1)

    def now(self, body: Body) -> SSAValue:
        if self.outer is None:
            return self.turn
        return body.value(body.named(body.add(body.mul(self.outer, self.turns), self.turn), "step"))

    def at(self, body: Body, wanted: SSAValue) -> dict[SSAValue, SSAValue]:
        """The loops' indices in another turn."""
        if self.outer is None:
            return {self.turn: wanted}
        turn, outer = body.rem(wanted, self.turns), body.div(wanted, self.turns)
        return {self.turn: body.value(turn), self.outer: body.value(outer)}

    @property
    def total(self) -> int:
        return self.turns * self.again


def ask_for_next(
    body: Body, op: tile.LoadOp, turns: Turns, staged: SSAValue, place: SSAValue, cores: int
) -> None:
    """Begin to read the block of a core's next turn, shortly before it comes."""
    turn = turns.now(body)
    later = body.value(body.add(turn, _AHEAD))
    at_start = body.op(arith.CmpiOp(turn, body.value(0), "eq")).results[0]
    soon = body.op(arith.CmpiOp(place, body.value(_AHEAD), "sle")).results[0]
    first = body.op(arith.AndIOp(at_start, soon)).results[0]
    before_own = body.op(arith.CmpiOp(body.value(body.rem(later, cores)), place, "eq")).results[0]
    wanted = body.op(arith.SelectOp(at_start, place, later)).results[0]
    wanted.name_hint = "next_turn"
    exists = body.op(arith.CmpiOp(wanted, body.value(turns.total), "slt")).results[0]
    due = body.op(arith.OrIOp(first, before_own)).results[0]
    with body.when(body.op(arith.AndIOp(due, exists)).results[0]):
        # It stands beside the load while its reads are written: they ask for the kernel around it.
        other = _at_turn(body, op, turns.at(body, wanted))
        Rewriter.insert_op(other, InsertPoint.before(op))
        read_tiles(body, other, staged)
        Rewriter.erase_op(other)


def end_reads(body: Body) -> None:
    body.op(ReadBarrierOp.build())


def sender_of(body: Body, turns: Turns, cores: int) -> Index:
    """Whose turn it is: the place of the core in its row or column."""
    turn = turns.now(body)
    return body.named(turn if turns.total <= cores else body.rem(turn, cores), "sender")


def coordinate(body: Body, first: SSAValue, place: Index, along: tuple[int, ...]) -> SSAValue:
    """The NoC coordinate of a place in a row or column: they follow each other, but for gaps."""
    found = body.add(first, place)
    for index, (before, after) in enumerate(pairwise(along), start=1):
        if after - before > 1:
            beyond = arith.CmpiOp(body.value(place), body.value(index), "sge")
            body.op(beyond)
            gap = arith.SelectOp(beyond.result, body.value(after - before - 1), body.value(0))
            body.op(gap)
            found = body.add(found, gap.result)
    return body.value(found)


def _at_turn(body: Body, op: tile.LoadOp, known: dict[SSAValue, SSAValue]) -> tile.LoadOp:
    """The load of another turn of its loop, whose index is known there."""
    offsets = [_moved(body, offset, known) for offset in op.offsets]
    limits = [_moved(body, limit, known) for limit in op.limits]
    return tile.LoadOp(op.tensor, offsets, op.buffer, op.sizes.get_values(), op.dims.get_values(), limits)


def _moved(body: Body, value: SSAValue, known: dict[SSAValue, SSAValue]) -> SSAValue:
    """What a value would be with other values in place of some."""
    if value in known:
        return known[value]
    owner = value.owner
    if not isinstance(owner, Operation) or not owner.operands or len(owner.results) != 1 or owner.regions:
        return value
    operands = [_moved(body, operand, known) for operand in owner.operands]
    if all(new is old for new, old in zip(operands, owner.operands, strict=True)):
        return value
    clone = owner.clone()
    for index, operand in enumerate(operands):
        clone.operands[index] = operand
    known[value] = body.op(clone).results[0]
    known[value].name_hint = None
    return known[value]
