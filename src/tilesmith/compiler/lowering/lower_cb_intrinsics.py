"""The protocol of circular buffers: reserve and push around what fills one, wait and pop for what drains."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.arch import load_arch
from tilesmith.compiler.analysis.memory_effects import buffer_effects, is_buffer
from tilesmith.compiler.analysis.roles import steps
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.walk import operations_of, walk
from tilesmith.compiler.lowering.keep_accumulators_reserved import KeepAccumulatorsReserved
from tilesmith.compiler.lowering.tiles.row_major import STREAMS
from tilesmith.compiler.lowering.transfers import lower_read, lower_transfer
from tilesmith.compiler.pass_group import Pass, PassGroup
from tilesmith.compiler.transforms.dead_code import DeadCodeElimination

_TRANSFERS = (tile.LoadOp, tile.StoreOp, tile.CopyOp, tile.FillOp, tile.ScalarOp)

Waited = frozenset[SSAValue]
"""The circular buffers whose version the kernel has already waited for."""


@dataclass(frozen=True)
class LowerCBIntrinsics(PassGroup):
    """Transfers become NoC code, versions become calls on circular buffers."""

    name = "lower-cb-intrinsics"

    arch: str = "wormhole"

    @property
    def passes(self) -> tuple[ModulePass, ...]:
        return (
            LowerTransfers(arch=self.arch),
            InsertCBProtocol(),
            KeepAccumulatorsReserved(),
            LowerReads(arch=self.arch),
            DeadCodeElimination(),
        )


@dataclass(frozen=True)
class LowerTransfers(Pass):
    """Loads, stores and scalar code of data-movement kernels become NoC calls and loops."""

    name = "lower-transfers"

    arch: str = "wormhole"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        arch = load_arch(self.arch)
        for transfer in [step for step in _steps_of_kernels(op) if isinstance(step, _TRANSFERS)]:
            stage = lower_transfer(transfer, arch)
            stage.location = transfer.location
            Rewriter.replace_op(transfer, stage)


@dataclass(frozen=True)
class InsertCBProtocol(Pass):
    """Insert reserve and push around what fills a circular buffer, wait and pop for what drains it."""

    name = "insert-cb-protocol"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in _kernels(op):
            _in_block(kernel.body.block, frozenset())


@dataclass(frozen=True)
class LowerReads(Pass):
    """Scalars read from memory become loads from L1 or DRAM."""

    name = "lower-reads"

    arch: str = "wormhole"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        arch = load_arch(self.arch)
        for read in [step for step in _steps_of_kernels(op) if isinstance(step, tile.ReadOp)]:
            lower_read(read, arch)


def _kernels(module: ModuleOp) -> list[tt.KernelOp]:
    return operations_of(module, tt.KernelOp)


def _steps_of_kernels(module: ModuleOp) -> list[Operation]:
    return [step for kernel in _kernels(module) for step in steps(kernel.body.block)]


def _in_block(block: Block, waited: Waited) -> Waited:
    """Insert the protocol in program order; what has been waited for at the end of the block."""
    for op in list(block.ops):
        waited = _at(op, waited)
    return waited


def _at(op: Operation, waited: Waited) -> Waited:
    match op:
        case tt.StageOp():
            return _around_stage(op, waited)
        case tile.ReadOp() if is_buffer(op.source) and op.source not in waited:
            Rewriter.insert_op(tt.WaitFrontOp(op.source, pages_of(op.source)), InsertPoint.before(op))
            return waited | {op.source}
        case tt.ReleaseOp():
            calls: list[Operation] = [tt.PopFrontOp(op.cb, pages_of(op.cb))]
            if op.cb not in waited:
                calls.insert(0, tt.WaitFrontOp(op.cb, pages_of(op.cb)))
            Rewriter.replace_op(op, calls)
            return waited - {op.cb}
        case tt.UndefOp():
            pages = pages_of(op.cb)
            Rewriter.replace_op(op, [tt.ReserveBackOp(op.cb, pages), tt.PushBackOp(op.cb, pages)])
            return waited
        case scf.ForOp():
            return _in_loop(op, [op.body], waited)
        case scf.WhileOp():
            return _in_loop(op, [op.before_region, op.after_region], waited)
        case scf.IfOp():
            return frozenset.intersection(*(_in_region(region, waited) for region in op.regions))
        case _:
            return waited


def _in_region(region: Region, waited: Waited) -> Waited:
    return _in_block(region.block, waited) if region.blocks else waited


def _in_loop(op: Operation, regions: list[Region], waited: Waited) -> Waited:
    """An iteration may find what the one before has left: only what none changes is still waited for."""
    kept = waited - _ended_in(op)
    for region in regions:
        _in_region(region, kept)
    return kept


def _ended_in(op: Operation) -> Waited:
    """Circular buffers whose version ends somewhere inside."""
    ended: set[SSAValue] = set()
    for inner in walk(op):
        if isinstance(inner, tt.ReleaseOp):
            ended.add(inner.cb)
        elif isinstance(inner, tt.StageOp) and "rotates" in inner.attributes:
            ended |= set(buffer_effects(inner).updates)
    return frozenset(ended)


def _around_stage(stage: tt.StageOp, waited: Waited) -> Waited:
    effects = buffer_effects(stage)
    reads = tuple(dict.fromkeys(effects.reads))
    waits = [tt.WaitFrontOp(cb, pages_of(cb)) for cb in reads if cb not in waited]
    defines = () if STREAMS in stage.attributes else effects.defines
    reserves = [tt.ReserveBackOp(cb, pages_of(cb)) for cb in defines]
    pushes = [tt.PushBackOp(cb, pages_of(cb)) for cb in defines]
    Rewriter.insert_op([*waits, *reserves], InsertPoint.at_start(stage.body.block))
    Rewriter.insert_op(pushes, InsertPoint.at_end(stage.body.block))
    renewed = frozenset(effects.updates) if "rotates" in stage.attributes else frozenset()
    return (waited | set(reads)) - renewed


def pages_of(cb: SSAValue) -> int:
    """How many pages one version has."""
    assert isinstance(cb.owner, tt.CBOp)
    return cb.owner.pages.value.data
