"""One kernel becomes three: what the reader, the compute units and the writer of a core each do."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.dialects import tile, tt
from tilesmith.passes.dead_scalars import remove_dead_scalars
from tilesmith.passes.roles import role_of, steps
from tilesmith.passes.send_scalars import send_scalars


@dataclass(frozen=True)
class SplitDeviceKernel(ModulePass):
    """Three kernels with the same control flow; each keeps its own steps and the scalars those need."""

    name = "split-device-kernel"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in [one for one in op.walk() if isinstance(one, tile.FuncOp)]:
            split(func)


def split(func: tile.FuncOp) -> tuple[tt.KernelOp, ...]:
    """Replace the kernel by three, in the order reader, compute, writer."""
    _number_circular_buffers(func.body.block)
    kernels = [_kernel_of(func, role) for role in tt.ROLES]
    for kernel in kernels:
        _keep_role(kernel)
    send_scalars(dict(zip(tt.ROLES, kernels, strict=True)))
    for kernel in kernels:
        remove_dead_scalars(kernel.body.block)
    Rewriter.insert_op(kernels, InsertPoint.before(func))
    Rewriter.erase_op(func)
    return tuple(kernels)


def _number_circular_buffers(block: Block) -> None:
    declarations = [op for op in block.ops if isinstance(op, tt.CBOp)]
    for index, declaration in enumerate(declarations):
        declaration.index = tt.number(index)


def _kernel_of(func: tile.FuncOp, role: str) -> tt.KernelOp:
    names, symbols = ([name.data for name in names] for names in (func.arg_names, func.symbols))
    arg_types = [arg.type for arg in func.body.block.args]
    kernel = tt.KernelOp(f"{func.sym_name.data}_{role}", role, names, symbols, arg_types)
    kernel.location = func.location
    kernel.attributes = dict(func.attributes)
    values = dict(zip(func.body.block.args, kernel.body.block.args, strict=True))
    for op in func.body.block.ops:
        kernel.body.block.add_op(op.clone(values))
    return kernel


def _keep_role(kernel: tt.KernelOp) -> None:
    """Drop the steps of the other roles. A tensor element that control flow depends on stays for now."""
    for op in reversed(list(steps(kernel.body.block))):
        owner = _owner_of(op)
        if owner not in (None, kernel.role.data):
            Rewriter.erase_op(op)


def _owner_of(op: Operation) -> str | None:
    match op:
        case tt.ReleaseOp() | tt.UndefOp():
            assert isinstance(op.cb.owner, tt.CBOp)
            return (op.cb.owner.consumer if isinstance(op, tt.ReleaseOp) else op.cb.owner.producer).data
        case tile.ReadOp():
            return None
        case _:
            return role_of(op)
