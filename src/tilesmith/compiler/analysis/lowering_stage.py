"""Which passes a module has been through, as its operations tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation

from tilesmith.compiler.analysis.kernel_signature import CORE_ARGS
from tilesmith.compiler.analysis.roles import COMPUTE, role_of
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects import tt_compute as ttc
from tilesmith.compiler.dialects.types import BufferType, TensorType
from tilesmith.compiler.dialects.walk import walk

Evidence = Callable[[Operation], bool | None]
"""Whether an operation shows that a pass has run, or that it has not; None if it tells neither."""


@dataclass(frozen=True)
class Milestone:
    """What a pass leaves behind for others to build on."""

    of_pass: str
    evidence: Evidence

    def has_run(self, module: ModuleOp) -> bool:
        """Whether an operation proves that the pass has run."""
        return any(told is True for told in self._told(module))

    def is_missing(self, module: ModuleOp) -> bool:
        """Whether an operation proves that the pass has not run."""
        return any(told is False for told in self._told(module))

    def _told(self, module: ModuleOp) -> Iterator[bool | None]:
        return map(self.evidence, walk(module))


def _has_layout(op: Operation) -> bool | None:
    match op:
        case tile.FuncOp():
            told = [_is_laid_out(value.type) for value in op.body.block.args]
            known = [one for one in told if one is not None]
            return all(known) if known else None
        case tile.AllocOp():
            return _is_laid_out(op.buffer.type)
    return None


def _is_laid_out(of_type: Attribute) -> bool | None:
    return bool(of_type.layout.data) if isinstance(of_type, TensorType | BufferType) else None


def _has_depth(op: Operation) -> bool | None:
    return op.depth is not None if isinstance(op, tile.AllocOp) else None


def _has_accessors(op: Operation) -> bool | None:
    if isinstance(op, tt.AccessorOp):
        return True
    if not isinstance(op, tile.FuncOp) or any(
        isinstance(inner, tt.AccessorOp) for inner in op.body.block.ops
    ):
        return None
    tensors = [value for value in op.body.block.args if isinstance(value.type, TensorType)]
    return False if any(value.first_use is not None for value in tensors) else None


def _declares(func: tile.FuncOp, what: type[Operation]) -> bool:
    return any(isinstance(op, what) for op in func.body.block.ops)


def _has_partition(op: Operation) -> bool | None:
    return "partition" in op.attributes if isinstance(op, tile.GridOp) else None


def _runs_on_cores(op: Operation) -> bool | None:
    if isinstance(op, tile.GridOp):
        return False
    return True if isinstance(op, ModuleOp) and "partition" in op.attributes else None


def _has_circular_buffers(op: Operation) -> bool | None:
    """Allocations stay beside the circular buffers until the end of `lower-shared-to-cb`."""
    if isinstance(op, tt.CBOp):
        return True
    if not isinstance(op, tile.FuncOp) or _declares(op, tt.CBOp):
        return None
    return False if any(isinstance(inner, tile.AllocOp) for inner in walk(op)) else None


def _is_released(op: Operation) -> bool | None:
    if isinstance(op, tile.AllocOp):
        return False
    return True if isinstance(op, tt.ReleaseOp) else None


def _is_staged(op: Operation) -> bool | None:
    if isinstance(op, tt.StageOp) and op.role.data == COMPUTE:
        return True
    computes = isinstance(op, tile.GemmOp | tile.MapOp | tile.ReduceOp | tile.FillOp | tile.CleanOp)
    return False if computes and role_of(op) in (None, COMPUTE) else None


def _has_graph(op: Operation) -> bool | None:
    return "dfg" in op.attributes if isinstance(op, tile.FuncOp) else None


def _is_split(op: Operation) -> bool | None:
    return isinstance(op, tt.KernelOp) if isinstance(op, tt.KernelOp | tile.FuncOp) else None


def _has_addresses(op: Operation) -> bool | None:
    return op.compile_time_offset is not None if isinstance(op, tt.AccessorOp) else None


def _moves_pages(op: Operation) -> bool | None:
    if isinstance(op, tt.StageOp) and op.role.data != COMPUTE:
        return True
    return False if isinstance(op, tile.LoadOp | tile.StoreOp) else None


def _has_protocol(op: Operation) -> bool | None:
    """Sums in L1 have calls of their own in their stages from the start, so only data movement tells."""
    if isinstance(op, tt.ReleaseOp | tt.UndefOp):
        return False
    stage, protocol = op.parent_op(), tt.ReserveBackOp | tt.PushBackOp | tt.WaitFrontOp | tt.PopFrontOp
    moves = isinstance(stage, tt.StageOp) and stage.role.data != COMPUTE
    return True if moves and isinstance(op, protocol) else None


def _is_set_up(op: Operation) -> bool | None:
    if isinstance(op, tt.KernelOp) and op.role.data == COMPUTE:
        return "unpack_to_dest_fp32" in op.attributes
    return None


def _guards_dst(op: Operation) -> bool | None:
    if isinstance(op, ttc.DstOp):
        return False
    return True if isinstance(op, ttc.AcquireOp) else None


def _has_signature(op: Operation) -> bool | None:
    return CORE_ARGS in op.attributes if isinstance(op, tt.KernelOp) else None


def _has_source(op: Operation) -> bool | None:
    return op.source is not None if isinstance(op, tt.KernelOp) else None


MILESTONES = (
    Milestone("assign-layouts", _has_layout),
    Milestone("propagate-tt-layout", _has_depth),
    Milestone("attach-tensor-accessor-tt", _has_accessors),
    Milestone("layout-aware-work-partition-tt", _has_partition),
    Milestone("grid-to-core-grid", _runs_on_cores),
    Milestone("allocate-circular-buffers", _has_circular_buffers),
    Milestone("insert-cb-releases", _is_released),
    Milestone("lower-tile-ops", _is_staged),
    Milestone("build-tile-dfg-tt", _has_graph),
    Milestone("split-device-kernel", _is_split),
    Milestone("configure-tensor-accessor-tt", _has_addresses),
    Milestone("lower-transfers", _moves_pages),
    Milestone("insert-cb-protocol", _has_protocol),
    Milestone("insert-compute-init-tt", _is_set_up),
    Milestone("insert-dst-management-tt", _guards_dst),
    Milestone("finalize-persistent-signature-tt", _has_signature),
    Milestone("codegen-tt", _has_source),
)
