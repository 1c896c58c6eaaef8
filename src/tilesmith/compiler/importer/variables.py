"""Scalar variables: which are variables of control flow, and which are memory that element code writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tilesmith.compiler.importer import source as s
from tilesmith.compiler.importer.rewrite import replace_memories
from tilesmith.compiler.importer.scalars import set_before_read, variable_uses
from tilesmith.compiler.importer.structure import expanded, is_scalar


def sorted_variables(statements: tuple[s.Statement, ...]) -> tuple[s.Statement, ...]:
    """Local memories of one element as variables, except those whose value only element code knows."""
    single = {m: replace(m, scope="var") for m in _single_elements(statements)}
    statements = replace_memories(statements, single)
    while True:
        kept = {m: replace(m, scope="local") for m in _known_to_elements(statements)}
        if not kept:
            return statements
        statements = replace_memories(statements, kept)


def _single_elements(statements: tuple[s.Statement, ...]) -> set[s.Memory]:
    """Local memories of one element that no tile operation touches."""
    found: set[s.Memory] = set()
    refused: set[s.Memory] = set()
    for statement in s.walk_statements(statements):
        if isinstance(statement, s.TileOp):
            refused.update(region.memory for region in statement.regions)
        for memory in s.reads_of(statement) | s.writes_of(statement):
            if memory.scope == "local" and memory.sizes is not None and set(memory.sizes) == {1}:
                found.add(memory)
    return found - refused


def _known_to_elements(statements: tuple[s.Statement, ...]) -> set[s.Memory]:
    """Variables that element code sets and something else reads, or that hold a float out of a buffer."""
    total = variable_uses(statements)
    found: set[s.Memory] = set()
    for group in scalar_groups(statements):
        here = variable_uses(group)
        written = {m for st in group for m in s.writes_of(st) if m.scope == "var"}
        first = set_before_read(group)
        found |= {m for m in written if here[m] != total[m] or m not in first}
    for statement in _control_stores(statements):
        loads = list(s.loads_of(statement.value))
        if s.is_float(statement.memory.dtype) and any(load.memory.is_buffer for load in loads):
            found.add(statement.memory)
    return found


def scalar_groups(statements: Sequence[s.Statement]) -> Iterator[list[s.Statement]]:
    """Runs of neighbouring statements that will share one `tile.scalar`."""
    group: list[s.Statement] = []
    for statement in expanded(statements):
        if is_scalar(statement):
            group.append(statement)
            continue
        if group:
            yield group
            group = []
        if not (isinstance(statement, s.Loop) and statement.schedule == "parallel"):
            for body in s.bodies(statement):
                yield from scalar_groups(body)
    if group:
        yield group


def _control_stores(statements: Sequence[s.Statement]) -> Iterator[s.Store]:
    for statement in statements:
        if isinstance(statement, s.Store) and statement.memory.scope == "var":
            yield statement
        elif not is_scalar(statement) and not (
            isinstance(statement, s.Loop) and statement.schedule == "parallel"
        ):
            for body in s.bodies(statement):
                yield from _control_stores(body)
