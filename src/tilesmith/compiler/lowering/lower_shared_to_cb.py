"""Buffers become circular buffers, each between one role that fills it and one that drains it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.passes import ModulePass

from tilesmith.compiler.lowering.allocate_circular_buffers import AllocateCircularBuffers
from tilesmith.compiler.lowering.assign_roles import AssignRoles
from tilesmith.compiler.lowering.insert_cb_releases import InsertCBReleases
from tilesmith.compiler.pass_group import PassGroup
from tilesmith.compiler.transforms.copy_coalescing import CopyCoalescing
from tilesmith.compiler.transforms.dead_stores import DeadStoreElimination
from tilesmith.compiler.transforms.product_operands import SplitProductOperands
from tilesmith.compiler.transforms.split_buffers import SplitBuffers
from tilesmith.compiler.transforms.store_forwarding import StoreForwarding


@dataclass(frozen=True)
class LowerSharedToCB(PassGroup):
    """Give every operation a role, every buffer its circular buffers, and every version its end."""

    name = "lower-shared-to-cb"

    @property
    def passes(self) -> tuple[ModulePass, ...]:
        return (
            DeadStoreElimination(),
            CopyCoalescing(),
            SplitProductOperands(),
            AssignRoles(),
            SplitBuffers(),
            AllocateCircularBuffers(),
            StoreForwarding(),
            InsertCBReleases(),
        )
