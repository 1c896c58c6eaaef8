"""Which of the three kernels of a core does an operation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.dialects import scf
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, SSAValue

from tilesmith.compiler.analysis.memory_effects import effects_of, is_buffer, tensor_of
from tilesmith.compiler.dialects import tile, tt

READER, COMPUTE, WRITER = tt.ROLES
CONTROL = (scf.ForOp, scf.IfOp, scf.WhileOp)


def steps(block: Block) -> Iterator[Operation]:
    """Every operation in program order, into control flow but not into the bodies of operations."""
    for op in block.ops:
        yield op
        if type(op) in CONTROL:
            for region in op.regions:
                for inner in region.blocks:
                    yield from steps(inner)


def role_of(op: Operation) -> str | None:
    """The role a pass gave the operation; None for what every kernel does for itself."""
    if isinstance(op, tt.StageOp):
        return op.role.data
    role = op.attributes.get("role")
    return role.data if isinstance(role, StringAttr) else None


def roles_in(block: Block) -> dict[Operation, str]:
    """The roles that were given, in program order."""
    given = ((op, role_of(op)) for op in steps(block))
    return {op: role for op, role in given if role is not None}


def set_role(op: Operation, role: str) -> None:
    op.attributes["role"] = StringAttr(role)


def assign_roles(block: Block) -> dict[Operation, str]:
    """The role of every operation on buffers or tensors.

    Whoever moves data between DRAM and the core is a reader or a writer, the rest is compute. A tensor that
    the kernel writes is touched by one role only, so that the order of its accesses is that of the program:
    the writer if nobody reads it and no scalar code that also fills buffers writes it, the reader otherwise.
    What cores send each other while the reader is busy with a load of its own goes over the writer's NoC.
    """
    work = [op for op in steps(block) if effects_of(op).touches]
    roles = {op: _first_choice(op) for op in work} | dict.fromkeys(_sent_beside_others(work), WRITER)
    users = _users_of_written_tensors(work)
    changed = True
    while changed:
        changed = False
        for ops in users:
            if any(roles[op] == READER for op in ops):
                for op in ops:
                    changed |= roles[op] != READER
                    roles[op] = READER
    return roles


def _first_choice(op: Operation) -> str:
    if isinstance(op, tile.StoreOp):
        return WRITER
    if isinstance(op, tile.ScalarOp):
        return READER if any(is_buffer(place) for place in op.writes) else WRITER
    if isinstance(op, tile.LoadOp | tile.ReadOp):
        return READER
    return COMPUTE


def _sent_beside_others(work: Iterable[Operation]) -> list[tile.LoadOp]:
    """The loads of a loop that the writer does, so that both NoCs work at once.

    That is all of them beside a gather, all that cores share beside a load each core does for itself, and
    otherwise what rows of cores share beside what columns do.
    """
    loops: dict[Operation, list[Operation]] = {}
    for op in work:
        loop = op.parent_op()
        gathers = isinstance(op, tile.ScalarOp) and _first_choice(op) == READER
        if (
            (gathers or isinstance(op, tile.LoadOp))
            and isinstance(loop, scf.ForOp)
            and "num_stages" in loop.attributes
        ):
            loops.setdefault(loop, []).append(op)
    return [
        load
        for fills in loops.values()
        for load in fills
        if isinstance(load, tile.LoadOp)
        and _shared_along(load) in _left_to_the_writer(fills)
        and sum(use.operation in fills for use in load.buffer.uses) == 1
    ]


def _left_to_the_writer(fills: Iterable[Operation]) -> tuple[str, ...]:
    """How loads are shared that the writer does, of a loop with these loads and gathers."""
    if any(isinstance(op, tile.ScalarOp) for op in fills):
        return "", "row", "column"
    ways = {_shared_along(op) for op in fills}
    if len(ways) == 1:
        return ()
    return ("row", "column") if "" in ways else ("row",)


def _shared_along(op: Operation) -> str:
    return op.multicast.data if isinstance(op, tile.LoadOp) and op.multicast is not None else ""


def _users_of_written_tensors(work: Iterable[Operation]) -> list[list[Operation]]:
    users: dict[SSAValue, list[Operation]] = {}
    written: set[SSAValue] = set()
    for op in work:
        effects = effects_of(op)
        written |= {tensor_of(place) for place in effects.writes if not is_buffer(place)}
        for tensor in {tensor_of(place) for place in effects.touches if not is_buffer(place)}:
            users.setdefault(tensor, []).append(op)
    return [ops for tensor, ops in users.items() if tensor in written]
