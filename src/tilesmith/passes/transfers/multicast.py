"""Loads that a row or column of cores shares: its first core reads the block and sends it to the others.

All cores of the group run the same loads in the same order, so that the block has the same address on each.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue

from tilesmith.arch import Arch
from tilesmith.dialects import tile, tt
from tilesmith.dialects.tt_dataflow import MulticastReceiveOp, MulticastSendOp, WriteBarrierOp
from tilesmith.errors import InternalFault
from tilesmith.passes.partition import Partition
from tilesmith.passes.transfers.build import Body
from tilesmith.passes.transfers.tensors import kernel_of
from tilesmith.program import CoreCoord

SEMAPHORES = "semaphores"


@dataclass(frozen=True)
class Group:
    """A row or column of cores: NoC coordinates along it of the sender, the first and the last receiver."""

    along: str
    sender: int
    first: int
    last: int
    receivers: int

    @property
    def argument(self) -> str:
        """The argument that says where in the group a core stands."""
        return "core_x" if self.along == "row" else "core_y"


def group_of(partition: Partition, along: str, arch: Arch) -> Group | None:
    """The group of a mesh along a direction, if it has more than one core.

    >>> from tilesmith.arch import load_arch
    >>> group_of(Partition("mesh", ("8", "8"), columns=8, rows=1), "row", load_arch("wormhole"))
    Group(along='row', sender=18, first=19, last=25, receivers=7)
    """
    row = along == "row"
    cores = partition.columns if row else partition.rows
    if cores < 2:
        return None
    places = [arch.worker_noc_xy(CoreCoord(i, 0) if row else CoreCoord(0, i)) for i in range(cores)]
    line = [place[0 if row else 1] for place in places]
    return Group(along, line[0], line[1], line[-1], cores - 1)


def shared(op: tile.LoadOp, plain: tt.StageOp, arch: Arch) -> tt.StageOp:
    """The stage of a load that its group shares, made of the stage that does it for one core."""
    assert op.multicast is not None
    group = group_of(_partition(op), op.multicast.data, arch)
    if group is None:
        return plain
    ready, arrived = _semaphores(op, group.along)
    body = Body()
    place = _argument(op, group.argument)
    is_sender = arith.CmpiOp(place, body.value(0), "eq")
    body.op(is_sender)
    with body.when(is_sender.result):
        for inner in list(plain.body.block.ops):
            plain.body.block.detach_op(inner)
            body.op(inner)
        body.op(
            MulticastSendOp(op.buffer, group.along, group.first, group.last, group.receivers, ready, arrived)
        )
    with body.otherwise():
        body.op(MulticastReceiveOp(op.buffer, group.along, group.sender, ready, arrived))
    _end_with_barrier(op)
    title = f"{plain.title.data}, once for the {group.along} of cores"
    return tt.StageOp(plain.role.data, title, [], [op.buffer], body.region)


def _partition(op: Operation) -> Partition:
    module = kernel_of(op).parent_op()
    assert isinstance(module, ModuleOp)
    attribute = module.attributes.get("partition")
    if not isinstance(attribute, DictionaryAttr):
        raise InternalFault("a load is shared between cores, but the module has no partition")
    return Partition.of(attribute)


def _semaphores(op: Operation, along: str) -> tuple[int, int]:
    """The numbers of two semaphores per direction: receivers have room, and the block has arrived."""
    kernel = kernel_of(op)
    listed = kernel.attributes.get(SEMAPHORES)
    names = (
        [name.data for name in listed if isinstance(name, StringAttr)]
        if isinstance(listed, ArrayAttr)
        else []
    )
    wanted = (f"{along}_ready", f"{along}_arrived")
    names += [name for name in wanted if name not in names]
    kernel.attributes[SEMAPHORES] = ArrayAttr([StringAttr(name) for name in names])
    return names.index(wanted[0]), names.index(wanted[1])


def _argument(op: Operation, name: str) -> SSAValue:
    block = kernel_of(op).body.block
    for known in block.ops:
        if isinstance(known, tt.ArgOp) and known.arg_name.data == name:
            return known.value
    argument = tt.ArgOp(name, "core")
    at = next(other for other in block.ops if not isinstance(other, tt.CBOp | tt.AccessorOp | tt.ArgOp))
    block.insert_op_before(argument, at)
    return argument.value


def _end_with_barrier(op: Operation) -> None:
    """A sender goes on when its block has left; that everything has arrived is made sure once, at the end."""
    block = kernel_of(op).body.block
    if not isinstance(block.last_op, WriteBarrierOp):
        block.add_op(WriteBarrierOp.build())
