"""Pass 2: how many versions of each buffer its circular buffer has room for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Operation, SSAValue

from tilesmith.arch import Arch, load_arch
from tilesmith.compiler.analysis.memory_effects import effects_of
from tilesmith.compiler.analysis.tile_geometry import version_bytes
from tilesmith.compiler.dialects.tile import AllocOp, FuncOp, LoadOp, ScalarOp, StoreOp, place_of
from tilesmith.compiler.dialects.tt import number
from tilesmith.compiler.dialects.types import BufferType, TensorType
from tilesmith.compiler.dialects.walk import operations_of
from tilesmith.compiler.pass_group import Pass

_DEFAULT_DEPTH = 2


@dataclass(frozen=True)
class PropagateTTLayout(Pass):
    """Set the `depth` of every `tile.alloc`: what is loaded can be loaded ahead, the rest has one version.

    `num_stages` of the loop around a load says how many versions there are; without it there are two; what
    the user annotated (`stages`) comes first. Where
    L1 is too small for that, the largest buffers get fewer; `fit-circular-buffers` looks again when all
    circular buffers are known.
    """

    name = "propagate-tt-layout"

    arch: str = "wormhole"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in operations_of(op, FuncOp):
            allocs = operations_of(func, AllocOp)
            for alloc in allocs:
                _want_depth(alloc)
            _fit(allocs, load_arch(self.arch))


def _want_depth(alloc: AllocOp) -> None:
    """The depth of a buffer if L1 had no end; `stages` where it was the user who asked for it."""
    filled = [use.operation for use in alloc.buffer.uses if _fills(use.operation, alloc.buffer)]
    annotated = alloc.stages.value.data if alloc.stages is not None else 0
    stages = annotated or max((stages for op in filled if (stages := _stages_around(op))), default=0)
    if stages:
        alloc.stages = number(stages)
    loaded = any(isinstance(op, LoadOp) for op in filled)
    alloc.depth = number(stages or (_DEFAULT_DEPTH if loaded else 1))


def _fills(op: Operation, buffer: SSAValue) -> bool:
    """Whether an operation of the reader writes the whole buffer, and so can run ahead of its use."""
    return isinstance(op, LoadOp | ScalarOp) and buffer in effects_of(op).defines


def _stages_around(op: Operation) -> int:
    """The `num_stages` of the nearest loop around an operation that has it, else 0."""
    at = op.parent_op()
    while at is not None:
        stages = at.attributes.get("num_stages")
        if isinstance(at, scf.ForOp) and isinstance(stages, IntegerAttr):
            return stages.value.data
        at = at.parent_op()
    return 0


def _fit(allocs: Sequence[AllocOp], arch: Arch) -> None:
    """Take versions from the largest buffers until all fit, or each has one."""
    free = arch.l1_size - arch.l1_unreserved_base
    while sum(map(_bytes, allocs)) > free:
        deep = [alloc for alloc in allocs if _depth(alloc) > 1]
        if not deep:
            return
        largest = max(deep, key=lambda alloc: _depth(alloc) * version_bytes(_buffer_type(alloc)))
        largest.depth = number(_depth(largest) - 1)


def _bytes(alloc: AllocOp) -> int:
    return version_bytes(_buffer_type(alloc)) * _depth(alloc) + sum(_bytes_between_roles(alloc))


def _bytes_between_roles(alloc: AllocOp) -> list[int]:
    """What a buffer takes besides its own versions: one more on each way between a transfer and compute.

    A buffer that compute writes cannot be loaded into directly, and one that compute goes on reading, or that
    has another format than its tensor, is copied before it is stored.
    """
    buffer_type = _buffer_type(alloc)
    users = [use.operation for use in alloc.buffer.uses]
    transfers = (LoadOp, StoreOp, ScalarOp)
    inside = [op for op in users if not isinstance(op, transfers)]
    computed = any(alloc.buffer in effects_of(op).writes for op in inside)
    read_on = any(alloc.buffer in effects_of(op).reads for op in inside)
    extra = []
    if any(isinstance(op, LoadOp | ScalarOp) and (computed or _converts(op, buffer_type)) for op in users):
        extra.append(version_bytes(buffer_type))
    if any(isinstance(op, StoreOp | ScalarOp) and (read_on or _converts(op, buffer_type)) for op in users):
        extra.append(version_bytes(buffer_type))
    return extra


def _converts(op: Operation, buffer_type: BufferType) -> bool:
    tensor = place_of(op.tensor) if isinstance(op, LoadOp | StoreOp) else None
    return isinstance(tensor, TensorType) and tensor.format != buffer_type.format


def _depth(alloc: AllocOp) -> int:
    assert alloc.depth is not None
    return alloc.depth.value.data


def _buffer_type(alloc: AllocOp) -> BufferType:
    buffer_type = alloc.buffer.type
    assert isinstance(buffer_type, BufferType)
    return buffer_type
