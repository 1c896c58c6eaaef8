"""One kernel becomes three: what the reader, the compute units and the writer of a core each do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.roles import CONTROL, READER, role_of, steps
from tilesmith.compiler.analysis.scalar_dependence import is_accessed, is_step, needed_by
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.lowering.scalar_mailboxes import Sent, sent_scalars
from tilesmith.compiler.pass_group import Pass


@dataclass(frozen=True)
class SplitDeviceKernel(Pass):
    """Three kernels with the same control flow; each has its own steps and the scalars those need."""

    name = "split-device-kernel"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in [one for one in op.ops if isinstance(one, tile.FuncOp)]:
            split(func)


def split(func: tile.FuncOp) -> tuple[tt.KernelOp, ...]:
    """Replace the kernel by three, in the order reader, compute, writer."""
    block = func.body.block
    reads = [op for op in steps(block) if isinstance(op, tile.ReadOp)]
    own = {role: _steps_of(block, role) for role in tt.ROLES}
    needed = {role: needed_by(own[role], reads) for role in tt.ROLES if role != READER}
    sent = sent_scalars(reads, needed)
    needed[READER] = needed_by([*own[READER], *sent])
    _declare(block, sent)
    kernels = tuple(_Kernel(func, role, needed[role], sent).op for role in tt.ROLES)
    Rewriter.insert_op(kernels, InsertPoint.before(func))
    Rewriter.erase_op(func)
    return kernels


def _steps_of(block: Block, role: str) -> list[Operation]:
    """What a role does itself: declarations are everybody's, the end of a version is its consumer's."""
    return [op for op in steps(block) if isinstance(op, tt.CBOp) or (is_step(op) and _owner_of(op) == role)]


def _owner_of(op: Operation) -> str | None:
    match op:
        case tt.ReleaseOp() | tt.UndefOp():
            assert isinstance(op.cb.owner, tt.CBOp)
            return (op.cb.owner.consumer if isinstance(op, tt.ReleaseOp) else op.cb.owner.producer).data
        case _:
            return role_of(op)


def _declare(block: Block, sent: Mapping[Operation, Sent]) -> None:
    """Circular buffers have the same number in all kernels: their place in the list."""
    declared = [op for op in block.ops if isinstance(op, tt.CBOp)]
    new = [cb for scalar in sent.values() for cb in scalar.cbs.values()]
    Rewriter.insert_op(new, InsertPoint.after(declared[-1]) if declared else InsertPoint.at_start(block))
    for index, declaration in enumerate([*declared, *new]):
        declaration.index = tt.number(index)


class _Kernel:
    """The copy of a kernel that has only what one role needs."""

    def __init__(
        self, func: tile.FuncOp, role: str, needed: set[Operation], sent: Mapping[Operation, Sent]
    ) -> None:
        self.role, self.needed, self.sent = role, needed, sent
        names, symbols = ([name.data for name in names] for names in (func.arg_names, func.symbols))
        arguments = func.body.block.args
        self.op = tt.KernelOp(
            f"{func.sym_name.data}_{role}", role, names, symbols, [argument.type for argument in arguments]
        )
        self.op.location = func.location
        self.op.attributes = dict(func.attributes)
        self.values: dict[SSAValue, SSAValue] = dict(zip(arguments, self.op.body.block.args, strict=True))
        self._copy(func.body.block, self.op.body.block)
        for accessor in [op for op in self.op.body.block.ops if isinstance(op, tt.AccessorOp)]:
            if not is_accessed(accessor):
                Rewriter.erase_op(accessor)

    def _copy(self, source: Block, dest: Block) -> None:
        for op in source.ops:
            if op not in self.needed and not isinstance(op, tt.AccessorOp | tt.CBOp):
                continue
            if op in self.sent:
                dest.add_ops(self._scalar(op))
            elif type(op) in CONTROL:
                dest.add_op(self._control(op))
            else:
                dest.add_op(op.clone(self.values))

    def _control(self, op: Operation) -> Operation:
        copy = op.clone_without_regions(self.values)
        for region, source in zip(copy.regions, op.regions, strict=True):
            for block in source.blocks:
                inner = Block(arg_types=[argument.type for argument in block.args])
                for old, new in zip(block.args, inner.args, strict=True):
                    self.values[old] = new
                    new.name_hint = old.name_hint
                self._copy(block, inner)
                is_otherwise = isinstance(op, scf.IfOp) and region is copy.regions[1]
                if inner.first_op is not inner.last_op or not is_otherwise:
                    region.add_block(inner)
        return copy

    def _scalar(self, op: Operation) -> list[Operation]:
        """The reader reads the element and sends it, the others receive it."""
        circular_buffers = self.sent[op].cbs
        if self.role == READER:
            read = op.clone(self.values)
            sends = [tt.SendOp(read.results[0], self.values[cb.cb]) for cb in circular_buffers.values()]
            return [read, *sends]
        received = tt.ReceiveOp(self.values[circular_buffers[self.role].cb], op.results[0].type)
        received.value.name_hint = op.results[0].name_hint
        self.values[op.results[0]] = received.value
        return [received]
