"""Where an expression is written: at its use, or under a name of its own."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, SSAValue
from xdsl.traits import is_side_effect_free

from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.walk import walk

# These write nothing, or less than a name would take.
_TRANSPARENT = (arith.IndexCastOp, arith.ConstantOp)


def is_inlined(op: Operation) -> bool:
    """Whether the operation's one result is written at its use, so that it needs no statement of its own.

    A pure expression is if it is used once, and not in a loop inside, where it would be computed in every
    turn. One that has a name of the user's keeps it, unless it is a condition. A variable is read in place if
    nothing assigns to it before the use.
    """
    if isinstance(op, _TRANSPARENT):
        return True
    if isinstance(op, tile.GetOp):
        return _unchanged_until_use(op)
    if not is_side_effect_free(op):
        return False
    users = tuple(_users(op.results[0]))
    if users and op.results[0].name_hint and op.results[0].type != i1:
        return False
    return not users or (len(users) == 1 and not _is_in_loop_below(users[0], op))


def _is_in_loop_below(user: Operation, op: Operation) -> bool:
    at: Operation | None = user
    while at is not None and at.parent is not op.parent:
        at = at.parent_op()
        if isinstance(at, scf.ForOp | scf.WhileOp):
            return True
    return False


def _users(value: SSAValue) -> Iterator[Operation]:
    for use in value.uses:
        if isinstance(use.operation, arith.IndexCastOp):
            yield from _users(use.operation.result)
        else:
            yield use.operation


def _statements(op: Operation) -> Iterator[Operation]:
    """The operations in whose text the value of `op` appears."""
    for user in _users(op.results[0]):
        if len(user.results) == 1 and is_side_effect_free(user) and is_inlined(user):
            yield from _statements(user)
        else:
            yield user


def _unchanged_until_use(op: tile.GetOp) -> bool:
    waiting = set(_statements(op))
    if any(statement.parent is not op.parent for statement in waiting):
        return False
    at = op.next_op
    while at is not None and waiting:
        if _sets(at, op.var) and not (isinstance(at, tile.SetOp) and waiting == {at}):
            return False
        waiting.discard(at)
        at = at.next_op
    return not waiting


def _sets(op: Operation, var: SSAValue) -> bool:
    return any(isinstance(one, tile.SetOp) and one.var is var for one in walk(op))
