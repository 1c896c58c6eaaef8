"""Loads that a row or column of cores shares: its first core reads the block and sends it to the others.

All cores of the group run the same loads in the same order, so that the block has the same address on each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue

from tilesmith.arch import Arch
from tilesmith.compiler.analysis.work_partition import CoreArgs, Partition
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.tt_dataflow import (
    MulticastReadyOp,
    MulticastReceiveOp,
    MulticastSendOp,
)
from tilesmith.compiler.lowering.transfers import rotating_senders as rotating
from tilesmith.compiler.lowering.transfers.barriers import end_with_barrier
from tilesmith.compiler.lowering.transfers.build import Body
from tilesmith.compiler.lowering.transfers.rotating_senders import staged_block
from tilesmith.compiler.lowering.transfers.tensors import kernel_of, role_of, tensor_of
from tilesmith.compiler.lowering.transfers.tiles import load_title
from tilesmith.errors import InternalFault
from tilesmith.program import CoreCoord

SEMAPHORES = "semaphores"


PLACES = ("sender", "first", "last")
"""Of a group: the core that sends, the nearest and the farthest of those that receive."""


def multicast_args(partition: Partition, arch: Arch) -> CoreArgs:
    """For each core of a mesh, the NoC coordinates of the cores it shares loads with.

    >>> from tilesmith.arch import load_arch
    >>> args = multicast_args(Partition("mesh", ("8", "8"), columns=8, rows=4), load_arch("wormhole"))
    >>> args[CoreCoord(2, 1)]["row_sender_x"], args[CoreCoord(2, 1)]["column_last_y"]
    (18, 21)
    """
    args: CoreArgs = {}
    for y in range(partition.rows):
        for x in range(partition.columns):
            args[CoreCoord(x, y)] = {
                **_coordinates("row", [CoreCoord(i, y) for i in range(partition.columns)], arch),
                **_coordinates("column", [CoreCoord(x, i) for i in range(partition.rows)], arch),
            }
    return args


def _coordinates(along: str, group: list[CoreCoord], arch: Arch) -> dict[str, int]:
    cores = group[0], group[min(1, len(group) - 1)], group[-1]
    return {
        f"{along}_{place}_{axis}": coordinate
        for place, core in zip(PLACES, cores, strict=True)
        for axis, coordinate in zip("xy", arch.worker_noc_xy(core), strict=True)
    }


def shared(op: tile.LoadOp, arch: Arch, alone: Callable[[tile.LoadOp, Arch], tt.StageOp]) -> tt.StageOp:
    """The stage of a load that its group shares; `alone` makes the one that does it for one core."""
    assert op.multicast is not None
    along, partition = op.multicast.data, _partition(op)
    cores = partition.columns if along == "row" else partition.rows
    if cores < 2:
        return alone(op, arch)
    in_tiles = tensor_of(op.tensor).layout.data == "tile"
    takes_turns = in_tiles and rotating.turns_of(op) > 1
    plain = None if takes_turns else alone(op, arch)
    semaphores = _semaphores(op, along)
    place = _argument(op, "core_x" if along == "row" else "core_y")
    staged = staged_block(op, arch) if takes_turns else None
    # A sender goes on when its block has left; that it has arrived is made sure once, at the end.
    end_with_barrier(op)
    if staged is not None:
        body = _in_turn(op, staged, place, cores, semaphores, arch)
        title = f"{load_title(op)}, in turn for the {along} of cores"
    else:
        plain = plain or alone(op, arch)
        body = _by_the_first(op, plain, place, cores, semaphores)
        title = f"{plain.title.data}, once for the {along} of cores"
    return tt.StageOp(role_of(op), title, [], [op.buffer], body.region)


def _by_the_first(
    op: tile.LoadOp, plain: tt.StageOp, place: SSAValue, cores: int, semaphores: tuple[int, int]
) -> Body:
    assert op.multicast is not None
    along, body = op.multicast.data, Body()
    is_sender = arith.CmpiOp(place, body.value(0), "eq")
    body.op(is_sender)
    with body.when(is_sender.result):
        for inner in list(plain.body.block.ops):
            plain.body.block.detach_op(inner)
            body.op(inner)
        first, last = _corner(op, f"{along}_first"), _corner(op, f"{along}_last")
        body.op(MulticastSendOp(op.buffer, first, last, along, cores - 1, semaphores))
    with body.otherwise():
        body.op(MulticastReadyOp(op.buffer, _corner(op, f"{along}_sender"), semaphores))
        body.op(MulticastReceiveOp(op.buffer, semaphores[1]))
    return body


def _in_turn(
    op: tile.LoadOp,
    staged: SSAValue,
    place: SSAValue,
    cores: int,
    semaphores: tuple[int, int],
    arch: Arch,
) -> Body:
    assert op.multicast is not None
    along, body = op.multicast.data, Body()
    turns = rotating.Turns.of(op)
    sender = rotating.sender_of(body, turns, cores)
    own_turn = body.op(arith.CmpiOp(body.value(sender), place, "eq")).results[0]
    others_turn = body.op(arith.CmpiOp(body.value(sender), place, "ne")).results[0]
    first, last = _corner(op, f"{along}_sender"), _corner(op, f"{along}_last")
    with body.when(others_turn):
        x, y = first
        if along == "row":
            x = rotating.coordinate(body, x, sender, arch.worker_virtual_columns[:cores])
        else:
            y = rotating.coordinate(body, y, sender, arch.worker_virtual_rows[:cores])
        body.op(MulticastReadyOp(op.buffer, (x, y), semaphores))
    # Many reads take long to ask for: the sender need not wait for that.
    rotating.ask_for_next(body, op, turns, staged, place, cores)
    with body.when(own_turn):
        rotating.end_reads(body)
        body.op(MulticastSendOp(op.buffer, first, last, along, cores - 1, semaphores, staged))
    with body.otherwise():
        body.op(MulticastReceiveOp(op.buffer, semaphores[1]))
    return body


def _corner(op: Operation, name: str) -> tuple[SSAValue, SSAValue]:
    return _argument(op, f"{name}_x"), _argument(op, f"{name}_y")


def _partition(op: Operation) -> Partition:
    module = kernel_of(op).parent_op()
    assert isinstance(module, ModuleOp)
    attribute = module.attributes.get("partition")
    if not isinstance(attribute, DictionaryAttr):
        raise InternalFault("a load is shared between cores, but the module has no partition")
    return Partition.of(attribute)


def _semaphores(op: Operation, along: str) -> tuple[int, int]:
    """The numbers of two semaphores per direction: receivers have room, and the block has arrived.

    Kernels of different roles run side by side, so each has its own, and numbers count over all of them.
    """
    kernel = kernel_of(op)
    module = kernel.parent_op()
    assert isinstance(module, ModuleOp)
    assert isinstance(kernel, tt.KernelOp)
    others = [one for one in module.ops if isinstance(one, tt.KernelOp) and one is not kernel]
    elsewhere = [name for one in others for name in _listed(one)]
    group = f"{along}_{kernel.role.data}" if f"{along}_ready" in elsewhere else along
    wanted = (f"{group}_ready", f"{group}_arrived")
    names = _listed(kernel)
    names += [name for name in wanted if name not in names]
    kernel.attributes[SEMAPHORES] = ArrayAttr([StringAttr(name) for name in names])
    numbers = semaphore_names([one for one in module.ops if isinstance(one, tt.KernelOp)])
    return numbers.index(wanted[0]), numbers.index(wanted[1])


def semaphore_names(kernels: Iterable[tt.KernelOp]) -> list[str]:
    """The semaphores of all kernels, each once, in the order of their ids."""
    return list(dict.fromkeys(name for kernel in kernels for name in _listed(kernel)))


def _listed(kernel: tt.KernelOp) -> list[str]:
    listed = kernel.attributes.get(SEMAPHORES)
    return (
        [name.data for name in listed if isinstance(name, StringAttr)]
        if isinstance(listed, ArrayAttr)
        else []
    )


def _argument(op: Operation, name: str) -> SSAValue:
    block = kernel_of(op).body.block
    for known in block.ops:
        if isinstance(known, tt.ArgOp) and known.arg_name.data == name:
            return known.value
    argument = tt.ArgOp(name, "core")
    at = next(other for other in block.ops if not isinstance(other, tt.CBOp | tt.AccessorOp | tt.ArgOp))
    block.insert_op_before(argument, at)
    return argument.value
