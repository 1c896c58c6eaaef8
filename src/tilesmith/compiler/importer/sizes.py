"""Fragments that are used beyond their size.

A fragment is spread over threads, so TileLang lets a loop over more elements than it has use it as long as
every thread meets its own element. A buffer of one core needs room for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tilesmith.compiler.importer import source as s
from tilesmith.compiler.importer.rewrite import replace_memories


def with_room(statements: tuple[s.Statement, ...]) -> tuple[s.Statement, ...]:
    """The statements with fragments as large as the loops over them."""
    fixed = {r.memory for st in s.walk_statements(statements) if isinstance(st, s.TileOp) for r in st.regions}
    needed: dict[s.Memory, list[int]] = {}
    for memory, indices, extents in _accesses(statements, {}):
        if memory.scope != "fragment" or memory in fixed or memory.sizes is None:
            continue
        room = needed.setdefault(memory, list(memory.sizes))
        for n, index in enumerate(indices):
            if isinstance(index, s.Name):
                room[n] = max(room[n], extents.get(index.variable, 0))
    larger = {
        m: replace(m, shape=tuple(s.Number(size) for size in room))
        for m, room in needed.items()
        if tuple(room) != m.sizes
    }
    return replace_memories(statements, larger) if larger else statements


def _accesses(
    statements: Sequence[s.Statement], extents: dict[s.Variable, int]
) -> Iterator[tuple[s.Memory, tuple[s.Expr, ...], dict[s.Variable, int]]]:
    """Elements used where nothing but parallel loops is around, with the extents of these."""
    for statement in statements:
        inner = extents
        match statement:
            case s.Loop(variable=variable, extent=s.Number(extent), schedule="parallel"):
                inner = {**extents, variable: int(extent)}
        if isinstance(statement, s.Store):
            yield statement.memory, statement.indices, inner
        if not isinstance(statement, s.Branch):
            for expr in s.statement_expressions(statement):
                yield from ((load.memory, load.indices, inner) for load in s.loads_of(expr))
            for body in s.bodies(statement):
                yield from _accesses(body, inner)
