"""Scalars that come from memory: the reader looks them up and sends them to the kernels that need them."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import i32
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.dialects import tile, tt
from tilesmith.dialects.types import BufferType
from tilesmith.passes.dead_scalars import remove_dead_scalars
from tilesmith.passes.roles import READER, steps

PAGE_SIZE = 64
"""Bytes of a page with one word in it; small, but aligned for every memory."""


def send_scalars(kernels: Mapping[str, tt.KernelOp]) -> None:
    """Replace the reads in control flow of every kernel but the reader, wherever their value is needed."""
    reads = {role: _reads_of(kernel) for role, kernel in kernels.items()}
    for role, kernel in kernels.items():
        if role != READER:
            remove_dead_scalars(kernel.body.block)
    declarations = []
    for position, source in enumerate(reads[READER]):
        at: Operation = source
        for role in kernels:
            target = reads[role][position]
            if role != READER and target.parent is not None:
                declaration = _receive(target, role, f"scalar{position}_{role}")
                send = tt.SendOp(source.value, declaration.cb)
                Rewriter.insert_op(send, InsertPoint.after(at))
                declarations.append(declaration)
                at = send
    _declare(declarations, kernels)


def _reads_of(kernel: tt.KernelOp) -> list[tile.ReadOp]:
    return [op for op in steps(kernel.body.block) if isinstance(op, tile.ReadOp)]


def _receive(target: tile.ReadOp, role: str, name: str) -> tt.CBOp:
    """Receive where the kernel would have read; the circular buffer it comes through."""
    kind = BufferType.of((1,), i32, "local", "scalar", "Int32")
    declaration = tt.CBOp(name, kind, 1, 2, PAGE_SIZE, READER, role)
    received = tt.ReceiveOp(declaration.cb, target.value.type)
    received.value.name_hint = target.value.name_hint
    Rewriter.replace_op(target, received)
    return declaration


def _declare(declarations: list[tt.CBOp], kernels: Mapping[str, tt.KernelOp]) -> None:
    """Every kernel gets its own copy of the declarations, with the uses it has."""
    for kernel in kernels.values():
        last = _last_declaration(kernel)
        for declaration in declarations:
            own = declaration.clone()
            own.index = tt.number(_count(kernel))
            _insert(own, kernel, last)
            last = own
            _take_uses(declaration, own, kernel)


def _count(kernel: tt.KernelOp) -> int:
    return sum(isinstance(op, tt.CBOp) for op in kernel.body.block.ops)


def _last_declaration(kernel: tt.KernelOp) -> Operation | None:
    found = [op for op in kernel.body.block.ops if isinstance(op, tt.CBOp)]
    return found[-1] if found else None


def _insert(own: tt.CBOp, kernel: tt.KernelOp, last: Operation | None) -> None:
    block = kernel.body.block
    Rewriter.insert_op(own, InsertPoint.at_start(block) if last is None else InsertPoint.after(last))


def _take_uses(declaration: tt.CBOp, own: tt.CBOp, kernel: tt.KernelOp) -> None:
    for op in steps(kernel.body.block):
        for position, operand in enumerate(op.operands):
            if operand is declaration.cb:
                op.operands[position] = own.cb
