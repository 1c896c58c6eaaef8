"""Where circular buffers or L1 run out, buffers that are never full together share one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from tilesmith.arch import Arch, load_arch
from tilesmith.compiler.analysis.l1_budget import fit
from tilesmith.compiler.analysis.liveness import liveness
from tilesmith.compiler.analysis.memory_effects import Effects, buffer_effects
from tilesmith.compiler.analysis.roles import COMPUTE, steps
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.walk import operations_of, walk
from tilesmith.compiler.lowering.tiles.engines import unpacked_whole
from tilesmith.compiler.pass_group import Pass

_SCRATCH = 2  # the reader and the writer may each need one more for their transfers


@dataclass(frozen=True)
class ShareCircularBuffers(Pass):
    """Merge circular buffers of one shape and one pair of roles whose versions never live at the same time.

    It costs the user's name of a buffer in the C++, so nothing is merged in a kernel that fits as it is.
    """

    name = "share-circular-buffers"

    arch: str = "wormhole"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        arch = load_arch(self.arch)
        for func in operations_of(op, tile.FuncOp):
            if not _fits(func, arch):
                _share(func)


def _fits(func: tile.FuncOp, arch: Arch) -> bool:
    buffers = _declarations(func)
    sent = sum(isinstance(op, tile.ReadOp) for op in steps(func.body.block))
    return len(buffers) + _SCRATCH + sent <= arch.num_circular_buffers and fit(buffers, arch)


def _declarations(func: tile.FuncOp) -> list[tt.CBOp]:
    return [op for op in func.body.block.ops if isinstance(op, tt.CBOp)]


def _share(func: tile.FuncOp) -> None:
    together, whole = full_together(func), unpacked_whole(func)
    groups: dict[tuple[object, ...], list[list[tt.CBOp]]] = {}
    for buffer in _declarations(func):
        alike = groups.setdefault((buffer.cb in whole, *_shared_properties(buffer)), [])
        for group in alike:
            if not any(frozenset((buffer.cb, other.cb)) in together for other in group):
                group.append(buffer)
                break
        else:
            alike.append([buffer])
    for alikes in groups.values():
        for first, *others in alikes:
            for other in others:
                other.cb.replace_all_uses_with(first.cb)
                Rewriter.erase_op(other)


def _shared_properties(buffer: tt.CBOp) -> tuple[object, ...]:
    """What two buffers must have in common. Depth too: a sum in place needs a buffer of one version."""
    properties: Iterable[tuple[str, Attribute]] = sorted(
        (name, value)
        for name, value in buffer.properties.items()
        if name not in ("cb_name", "index", "stages")
    )
    buffer_type = buffer.cb.type.buffer
    # Compute stages move whole tiles; readers and writers look for elements, where the layout says they are.
    among_compute = buffer.producer.data == buffer.consumer.data == COMPUTE
    return (buffer_type.format if among_compute else buffer_type, *properties, *buffer.attributes.items())


def full_together(func: tile.FuncOp) -> set[frozenset[SSAValue]]:
    """Pairs of circular buffers that hold a version at the same time."""
    block = func.body.block
    live = liveness(block, _effects)
    pairs: set[frozenset[SSAValue]] = set()
    for op in steps(block):
        effects = _effects(op)
        if effects.writes:
            others = live.before[op] | live.after[op] | {*effects.reads, *effects.writes}
            pairs |= {frozenset((made, other)) for made in effects.writes for other in others}
    return pairs


def _effects(op: Operation) -> Effects:
    if isinstance(op, tt.UndefOp):
        return Effects((), (op.cb,))
    if isinstance(op, tt.ReleaseOp):
        return Effects((op.cb,), ())  # until here the version takes its room, read or not
    effects = buffer_effects(op)
    if not isinstance(op, tt.StageOp):
        return effects
    return Effects(effects.reads, (*effects.writes, *_own_buffers(op)))


def _own_buffers(stage: tt.StageOp) -> set[SSAValue]:
    """Circular buffers that a stage fills and empties by itself, for parts of what it computes."""
    used = {value for op in walk(stage.body) for value in op.operands if isinstance(value.type, tt.CBType)}
    return used - {*stage.ins, *stage.outs}
