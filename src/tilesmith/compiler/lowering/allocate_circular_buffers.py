"""Every buffer gets its circular buffers, and its uses become uses of them."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.buffer_access import accesses_by_buffer
from tilesmith.compiler.analysis.roles import roles_in, steps
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.lowering.cb_staging import Staging
from tilesmith.compiler.pass_group import FunctionPass

HOME = "home"
"""Attribute of an allocation: the circular buffer that holds what the buffer held."""


@dataclass(frozen=True)
class AllocateCircularBuffers(FunctionPass):
    """Declare circular buffers for every buffer; the allocation stays, to say where it begins to exist."""

    name = "allocate-circular-buffers"

    def rewrite(self, func: tile.FuncOp) -> None:
        _stage(func.body.block)


def _stage(block: Block) -> None:
    homes: dict[tile.AllocOp, tt.CBOp] = {}
    declarations: list[tt.CBOp] = []
    accesses = accesses_by_buffer(roles_in(block))
    for alloc in [op for op in steps(block) if isinstance(op, tile.AllocOp)]:
        if alloc.buffer in accesses:
            staging = Staging(alloc, accesses[alloc.buffer])
            homes[alloc] = staging.home
            declarations += staging.cbs
        else:
            Rewriter.erase_op(alloc)
    _give_unique_names(declarations)
    Rewriter.insert_op(declarations, InsertPoint.at_start(block))
    for alloc, home in homes.items():
        alloc.attributes[HOME] = home.cb_name


def _give_unique_names(declarations: list[tt.CBOp]) -> None:
    """The user may have two buffers of one name."""
    taken: set[str] = set()
    for declaration in declarations:
        name = given = declaration.cb_name.data
        number = 2
        while name in taken:
            name, number = f"{given}_{number}", number + 1
        taken.add(name)
        declaration.cb_name = StringAttr(name)
