"""Scratch memory of a data-movement kernel: a circular buffer of its own, as large as its users want."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Operation, SSAValue

from tilesmith.arch import Arch
from tilesmith.compiler.dialects import tt
from tilesmith.compiler.dialects.tt_dataflow import ScratchOp
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.lowering.transfers.build import Body
from tilesmith.compiler.lowering.transfers.tensors import kernel_of, role_of

_LINE_BYTES = 64


def scratch(body: Body, op: Operation, size: int, arch: Arch, purpose: str = "scratch") -> SSAValue:
    """The address of at least `size` bytes that are aligned as DRAM pages are, for the stage of `op`."""
    wanted = -(-size // max(_LINE_BYTES, arch.dram_alignment)) * max(_LINE_BYTES, arch.dram_alignment)
    cb = _declared(op, f"{purpose}_{role_of(op)}", wanted)
    use = ScratchOp(cb)
    body.op(use)
    return use.address


def _declared(op: Operation, name: str, size: int) -> SSAValue:
    kernel = kernel_of(op)
    for declared in kernel.body.block.ops:
        if isinstance(declared, tt.CBOp) and declared.cb_name.data == name:
            if declared.page_size.value.data < size:
                declared.page_size = tt.number(size)
            return declared.cb
    buffer_type = BufferType.of((size,), IntegerType(8, Signedness.UNSIGNED), "local", "flat", "UInt8")
    role = role_of(op)
    declaration = tt.CBOp(name, buffer_type, 1, 1, size, role, role)
    at = next(other for other in kernel.body.block.ops if not isinstance(other, tt.CBOp))
    kernel.body.block.insert_op_before(declaration, at)
    return declaration.cb
