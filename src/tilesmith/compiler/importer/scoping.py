"""Names bound before the loop whose variable they use -> their values, where they are used.

T.Persistent binds the indices of a tile ahead of the loop over tiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tilesmith.compiler.importer import source as s
from tilesmith.compiler.importer.rewrite import substitute, transform_statement


def with_names_in_scope(
    statements: Sequence[s.Statement], known: frozenset[s.Variable]
) -> tuple[s.Statement, ...]:
    """The statements, where every name is bound inside the scopes of the variables its value uses."""
    late: dict[s.Variable, s.Expr] = {}
    done: list[s.Statement] = []
    for statement in statements:
        if isinstance(statement, s.Bind):
            value = substitute(statement.value, late)
            if not _variables(value) <= known:
                late[statement.variable] = value
                continue
            known |= {statement.variable}
        if late:
            statement = transform_statement(statement, lambda e: substitute_one(e, late))
        done.append(_inside(statement, known))
    return tuple(done)


def substitute_one(expr: s.Expr, values: dict[s.Variable, s.Expr]) -> s.Expr:
    return values.get(expr.variable, expr) if isinstance(expr, s.Name) else expr


def _inside(statement: s.Statement, known: frozenset[s.Variable]) -> s.Statement:
    match statement:
        case s.Loop(variable=variable, body=body):
            return replace(statement, body=with_names_in_scope(body, known | {variable}))
        case s.Repeat(body=body):
            return replace(statement, body=with_names_in_scope(body, known))
        case s.Branch(then=then, otherwise=otherwise):
            sides = [with_names_in_scope(side, known) for side in (then, otherwise)]
            return replace(statement, then=sides[0], otherwise=sides[1])
    return statement


def _variables(expr: s.Expr) -> set[s.Variable]:
    return {part.variable for part in s.walk(expr) if isinstance(part, s.Name)}
