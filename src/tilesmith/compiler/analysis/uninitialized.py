"""Refuses a kernel that computes with a buffer nothing has been written to."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue

from tilesmith.compiler.analysis.memory_effects import buffer_effects
from tilesmith.compiler.dialects.tile import (
    AllocOp,
    CopyOp,
    FuncOp,
    GemmOp,
    MapOp,
    ReduceOp,
    ScalarOp,
    StoreOp,
    location_of,
)
from tilesmith.compiler.dialects.walk import walk
from tilesmith.errors import KernelError


def check_written(func: FuncOp) -> None:
    """Raise if an operation reads a buffer before any other writes it, in program order."""
    written: set[SSAValue] = set()
    ever = {buffer for op in walk(func) for buffer in buffer_effects(op).writes}
    for op in walk(func):
        for buffer in buffer_effects(op).reads if isinstance(op, ScalarOp) else ():
            if buffer not in ever:
                raise _never_written(op, buffer)
        for buffer in _needs(op):
            if buffer not in written and not _is_written_around(op, buffer):
                raise _never_written(op, buffer)
        written |= set(buffer_effects(op).writes)


def _needs(op: Operation) -> tuple[SSAValue, ...]:
    """What an operation cannot do without; scalar code and copies of parts may leave elements alone."""
    if isinstance(op, CopyOp):
        return (op.source,)
    if isinstance(op, MapOp):
        arguments = zip(op.ins, op.body.block.args, strict=False)
        return tuple(value for value, arg in arguments if value is not op.out or not only_kept(arg))
    if isinstance(op, GemmOp | ReduceOp | StoreOp):
        return buffer_effects(op).reads
    return ()


def only_kept(old: SSAValue) -> bool:
    """Whether a map takes the old value only where it does not write a new one."""
    return all(isinstance(use.operation, arith.SelectOp) for use in old.uses)


def _is_written_around(op: Operation, buffer: SSAValue) -> bool:
    """Whether another operation of a loop around this one writes the buffer, for later turns to read."""
    at = op.parent_op()
    while at is not None:
        if isinstance(at, scf.ForOp | scf.WhileOp):
            others = (one for one in walk(at) if one is not op)
            if any(buffer in buffer_effects(one).writes for one in others):
                return True
        at = at.parent_op()
    return False


def _never_written(op: Operation, buffer: SSAValue) -> KernelError:
    owner = buffer.owner
    name = owner.buffer_name.data if isinstance(owner, AllocOp) else "a buffer"
    verb = "added to" if isinstance(op, GemmOp) and op.c is buffer else "read"
    return KernelError(
        f"{name} is {verb} before anything is written to it",
        where=location_of(op),
        remedy=f"T.clear({name}) first, or copy what it should start with into it",
    )
