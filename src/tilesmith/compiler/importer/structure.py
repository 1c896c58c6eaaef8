"""Which statements are control flow, which are tile operations, and which run element by element."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tilesmith.compiler.importer.expansions import expand
from tilesmith.compiler.importer.parallel import plan
from tilesmith.compiler.importer.source import (
    Bind,
    Branch,
    Loop,
    Memory,
    Repeat,
    Statement,
    Store,
    Sync,
    TileOp,
    bodies,
    walk_statements,
)


def expanded(statements: Sequence[Statement]) -> Iterator[Statement]:
    """The statements, with operations that are loops over elements as such loops."""
    for statement in statements:
        loops = expand(statement) if isinstance(statement, TileOp) else None
        yield from (statement,) if loops is None else loops


def is_scalar(statement: Statement) -> bool:
    """Whether a statement has elements to write and nothing that tile operations could do."""
    match statement:
        case Store(memory=memory):
            return memory.scope != "var"
        case Loop(schedule="parallel"):
            return plan(statement) is None
        case Loop() | Branch() | Repeat():
            if isinstance(statement, Loop) and is_elementwise(statement):
                return False
            inner = [part for body in bodies(statement) for part in body]
            return any(is_scalar(part) for part in inner) and all(_may_be_scalar(part) for part in inner)
    return False


def _may_be_scalar(statement: Statement) -> bool:
    if isinstance(statement, Store | Bind | Sync):
        return True
    if isinstance(statement, TileOp):
        return False
    if is_scalar(statement):
        return True
    if isinstance(statement, Loop) and (statement.schedule == "parallel" or is_elementwise(statement)):
        return False
    return all(_may_be_scalar(part) for body in bodies(statement) for part in body)


def is_elementwise(loop: Loop) -> bool:
    """Whether a plain loop has iterations that do not depend on each other, so that it may become maps."""
    stores_only = all(isinstance(part, Store | Loop | Branch | Bind) for part in walk_statements((loop,)))
    writes = any(isinstance(part, Store) and part.memory.scope != "var" for part in walk_statements((loop,)))
    nested = any(isinstance(part, Loop) and part.schedule == "parallel" for part in walk_statements((loop,)))
    return stores_only and writes and not nested and plan(loop) is not None


def accumulators(statements: Sequence[Statement]) -> set[Memory]:
    """What matrix products add up in. Compute reads integer ones too."""
    return {
        part.regions[2].memory
        for part in walk_statements(tuple(statements))
        if isinstance(part, TileOp) and part.name == "gemm"
    }
