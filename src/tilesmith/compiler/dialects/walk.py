"""Walking over the operations inside an operation.

xDSL's own walk is a generator for every level of nesting: each operation is handed up through all of them,
and passes spend a fifth of a compilation there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from xdsl.ir import Block, Operation, Region

Op = TypeVar("Op", bound=Operation)


def walk(root: Operation | Region | Block) -> Iterator[Operation]:
    """Every operation in `root`, outer ones first, itself included.

    As in xDSL, the operation that was given may be erased or moved, and its regions changed, before the next
    is asked for.
    """
    pending: list[Operation | Block] = []
    if isinstance(root, Operation):
        yield root
        _push_regions(root, pending)
    elif isinstance(root, Region):
        pending.extend(reversed(root.blocks))
    else:
        pending.append(root)
    while pending:
        at = pending.pop()
        op = at.first_op if isinstance(at, Block) else at
        while op is not None:
            following = op.next_op
            yield op
            if op.regions:
                if following is not None:
                    pending.append(following)
                _push_regions(op, pending)
                break
            op = following


def operations_of(root: Operation | Region | Block, op_type: type[Op]) -> list[Op]:
    """Those of a type, in the order of `walk`: a list, so that they may be rewritten one by one."""
    # Asking an abstract class whether it is one's own takes longer than reading the operation.
    known: dict[type, bool] = {}
    found: list[Op] = []
    for op in walk(root):
        is_one = known.get(type(op))
        if is_one is None:
            is_one = known[type(op)] = isinstance(op, op_type)
        if is_one:
            found.append(op)  # type: ignore[arg-type]  # seen above
    return found


def _push_regions(op: Operation, pending: list[Operation | Block]) -> None:
    for region in reversed(op.regions):
        pending.extend(reversed(region.blocks))
