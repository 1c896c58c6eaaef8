"""Buffers become circular buffers, each between one role that fills it and one that drains it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, ModuleOp, StringAttr, f32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.buffer_access import accesses_by_buffer
from tilesmith.compiler.analysis.cb_versions import insert_releases
from tilesmith.compiler.analysis.liveness import liveness
from tilesmith.compiler.analysis.memory_effects import Effects, buffer_effects
from tilesmith.compiler.analysis.roles import assign_roles, set_role, steps
from tilesmith.compiler.analysis.uninitialized import only_kept
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.lowering.cb_staging import Staging
from tilesmith.compiler.transforms.copy_coalescing import merge_copies
from tilesmith.compiler.transforms.dead_stores import remove_dead_writes
from tilesmith.compiler.transforms.product_operands import part_product_operands
from tilesmith.compiler.transforms.split_buffers import split_buffers
from tilesmith.compiler.transforms.store_forwarding import forward_writes


@dataclass(frozen=True)
class LowerSharedToCB(ModulePass):
    """Give every operation a role, every buffer its circular buffers, and every version its end."""

    name = "lower-shared-to-cb"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in op.walk():
            if isinstance(func, tile.FuncOp):
                _lower(func.body.block)


def _lower(block: Block) -> None:
    remove_dead_writes(block)
    merge_copies(block)
    part_product_operands(block)
    roles = assign_roles(block)
    for op, role in roles.items():
        set_role(op, role)
    split_buffers(block, roles)
    homes = _stage(block, roles)
    forward_writes(block)
    _end_versions(block, homes)
    for op in list(block.ops):
        if isinstance(op, tt.CBOp) and not op.cb.uses:
            Rewriter.erase_op(op)


def _stage(block: Block, roles: dict[Operation, str]) -> dict[tile.AllocOp, SSAValue]:
    homes: dict[tile.AllocOp, SSAValue] = {}
    declarations: list[tt.CBOp] = []
    accesses = accesses_by_buffer(roles)
    for alloc in [op for op in steps(block) if isinstance(op, tile.AllocOp)]:
        if alloc.buffer in accesses:
            staging = Staging(alloc, accesses[alloc.buffer])
            homes[alloc] = staging.home.cb
            declarations += staging.cbs
        else:
            Rewriter.erase_op(alloc)
    _give_unique_names(declarations)
    Rewriter.insert_op(declarations, InsertPoint.at_start(block))
    return homes


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


def _end_versions(block: Block, homes: dict[tile.AllocOp, SSAValue]) -> None:
    """An allocation is where the user's buffer begins to exist, with nothing in it."""

    def effects(op: Operation) -> Effects:
        return Effects((), (homes[op],)) if isinstance(op, tile.AllocOp) else buffer_effects(op)

    live = liveness(block, effects)
    insert_releases(block, live, [op.cb for op in block.ops if isinstance(op, tt.CBOp)])
    for alloc, home in homes.items():
        if home in live.after[alloc]:
            Rewriter.insert_op(_begin(home), InsertPoint.before(alloc))
        Rewriter.erase_op(alloc)


def _begin(home: SSAValue) -> list[Operation]:
    """A first version: zeros where the buffer is put together from parts, so that none is left unwritten."""
    if not any(_adds_a_part(use.operation, home) for use in home.uses):
        return [tt.UndefOp(home)]
    assert isinstance(home.owner, tt.CBOp)
    zero = arith.ConstantOp(FloatAttr(0.0, f32))
    fill = tile.FillOp(home, zero.result)
    set_role(fill, home.owner.producer.data)
    return [zero, fill]


def _adds_a_part(op: Operation, home: SSAValue) -> bool:
    """Whether an operation writes some elements and keeps what the others had."""
    if isinstance(op, tile.MapOp):
        arguments = zip(op.ins, op.body.block.args, strict=False)
        return any(value is home and only_kept(arg) for value, arg in arguments)
    return isinstance(op, tile.CopyOp | tile.ScalarOp) and home in buffer_effects(op).updates
