"""Two buffers that a copy joins become one where nothing tells them apart.

`load A_shared; A_local = A_shared; use A_local` needs no second buffer: whoever uses A_local can use
A_shared, if nobody wants the old contents of one while the other still matters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import AnyFloat, f32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from tilesmith.compiler.analysis.liveness import Liveness, effects_with_allocations, liveness
from tilesmith.compiler.analysis.memory_effects import buffer_effects
from tilesmith.compiler.analysis.roles import steps
from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.pass_group import FunctionPass

Points = dict[SSAValue, set[tuple[Operation, bool]]]
"""Where each buffer is live: before (False) or after (True) an operation."""


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
    points = _points(liveness(block, effects_with_allocations))
    for copy in copies:
        source, dest = copy.source, copy.dest
        if source is dest:  # there and back: an earlier copy joined the two
            Rewriter.erase_op(copy)
        elif _can_stand_for(copy) and not points[source] & points[dest]:
            points[source] |= points[dest]
            Rewriter.erase_op(copy)
            dest.replace_all_uses_with(source)


def _points(live: Liveness) -> Points:
    points: Points = {}
    for after, places_by_op in ((False, live.before), (True, live.after)):
        _collect(places_by_op, after, points)
    return points


def _collect(places_by_op: Mapping[Operation, frozenset[SSAValue]], after: bool, points: Points) -> None:
    for op, places in places_by_op.items():
        for place in places:
            points.setdefault(place, set()).add((op, after))


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
