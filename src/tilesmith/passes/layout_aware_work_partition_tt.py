"""Pass 4: which core does which blocks, and which loads a row or column of cores can share."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tilesmith.dialects.tile import GridOp
from tilesmith.passes.expressions import text_of
from tilesmith.passes.partition import Partition


@dataclass(frozen=True)
class LayoutAwareWorkPartitionTT(ModulePass):
    """Give every `tile.grid` its `partition`."""

    name = "layout-aware-work-partition-tt"

    arch: str = "wormhole"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for grid in op.walk():
            if isinstance(grid, GridOp):
                extents = tuple(text_of(extent) for extent in grid.extents)
                grid.attributes["partition"] = Partition("linear", extents).to_attribute()
