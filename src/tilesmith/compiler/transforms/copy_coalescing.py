"""Two buffers that a copy joins become one where nothing tells them apart.

`load A_shared; A_local = A_shared; use A_local` needs no second buffer: whoever uses A_local can use
A_shared, if nobody wants the old contents of one while the other still matters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import AnyFloat, f32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from tilesmith.compiler.analysis.liveness import effects_with_allocations, liveness
from tilesmith.compiler.analysis.memory_effects import buffer_effects
from tilesmith.compiler.analysis.roles import steps
from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.pass_group import FunctionPass

Points = dict[SSAValue, set[tuple[Operation, str]]]
"""Where each buffer is live: before, during or after an operation."""


@dataclass(frozen=True)
class CopyCoalescing(FunctionPass):
    """Let two buffers that a copy joins share memory where nothing tells them apart."""

    name = "copy-coalescing"

    def rewrite(self, func: tile.FuncOp) -> None:
        merge_copies(func.body.block)


def merge_copies(block: Block) -> None:
    """Leave out whole copies between buffers that can share their memory."""
    copies = [op for op in steps(block) if isinstance(op, tile.CopyOp) and op.is_whole]
    if not copies:
        return
    points = _points(block)
    for copy in copies:
        source, dest = copy.source, copy.dest
        if source is dest:  # there and back: an earlier copy joined the two
            Rewriter.erase_op(copy)
        elif _can_stand_for(copy) and not points[source] & points[dest]:
            points[source] |= points[dest]
            Rewriter.erase_op(copy)
            dest.replace_all_uses_with(source)


def _points(block: Block) -> Points:
    live = liveness(block, effects_with_allocations)
    during = {op: buffer_effects(op).touches for op in steps(block) if not _may_share(op)}
    points: Points = {}
    _collect(live.before, "before", points)
    _collect(during, "during", points)
    _collect(live.after, "after", points)
    return points


def _collect(places_by_op: Mapping[Operation, Iterable[SSAValue]], when: str, points: Points) -> None:
    for op, places in places_by_op.items():
        for place in places:
            points.setdefault(place, set()).add((op, when))


def _may_share(op: Operation) -> bool:
    """Whether what an operation reads and writes may be one buffer: it reads nothing that it has written.

    Scalar code may read any element at any time, and a map may read other tiles than the one it makes.
    """
    if isinstance(op, tile.MapOp):
        return all(op.reads_in_place(number) for number in range(len(op.ins)))
    return not isinstance(op, tile.ScalarOp)


def _can_stand_for(copy: tile.CopyOp) -> bool:
    """Whether the source holds every value that the destination ever does."""
    source, dest = copy.source.type, copy.dest.type
    assert isinstance(source, BufferType)
    assert isinstance(dest, BufferType)
    if source.layout != dest.layout:
        return False
    if (source.element_type, source.format) == (dest.element_type, dest.format):
        return True
    widens = isinstance(source.element_type, AnyFloat) and dest.element_type == f32
    return widens and dest.format.data == "Float32" and _is_only_copied_to(copy)


def _is_only_copied_to(copy: tile.CopyOp) -> bool:
    writers = [use.operation for use in copy.dest.uses if copy.dest in buffer_effects(use.operation).writes]
    return all(writer is copy for writer in writers)
