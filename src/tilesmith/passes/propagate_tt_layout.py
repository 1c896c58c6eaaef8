"""Pass 2: how many versions of each buffer its circular buffer has room for."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tilesmith.dialects.tile import AllocOp, LoadOp
from tilesmith.dialects.tt import number


@dataclass(frozen=True)
class PropagateTTLayout(ModulePass):
    """Set the `depth` of every `tile.alloc`: what is loaded can be loaded ahead, the rest has one version."""

    name = "propagate-tt-layout"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for alloc in op.walk():
            if isinstance(alloc, AllocOp):
                alloc.depth = number(_depth_wanted(alloc))


def _depth_wanted(alloc: AllocOp) -> int:
    loads = [use.operation for use in alloc.buffer.uses if isinstance(use.operation, LoadOp)]
    return max((max(_stages_around(load), 2) for load in loads), default=1)


def _stages_around(op: Operation) -> int:
    """The `num_stages` of the nearest loop around an operation that has it."""
    at = op.parent_op()
    while at is not None:
        stages = at.attributes.get("num_stages")
        if isinstance(at, scf.ForOp) and isinstance(stages, IntegerAttr):
            return stages.value.data
        at = at.parent_op()
    return 1
