"""Rewriting expressions and statements of `source`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tilesmith.compiler.importer import source as s

OnExpr = Callable[[s.Expr], s.Expr]


def substitute(expr: s.Expr, values: Mapping[s.Variable, s.Expr]) -> s.Expr:
    """The expression with names replaced by what they stand for."""

    def replaced(part: s.Expr) -> s.Expr:
        return values.get(part.variable, part) if isinstance(part, s.Name) else part

    return transform(expr, replaced) if values else expr


def transform(expr: s.Expr, change: OnExpr) -> s.Expr:
    """Apply `change` to every part, innermost first."""
    parts = s.children(expr)
    changed = tuple(transform(part, change) for part in parts)
    same = all(a is b for a, b in zip(parts, changed, strict=True))
    return change(expr if same else s.rebuild(expr, changed))


def transform_statement(statement: s.Statement, change: OnExpr) -> s.Statement:
    """Apply `change` to every expression of a statement and of its bodies."""

    def all_of(exprs: Sequence[s.Expr]) -> tuple[s.Expr, ...]:
        return tuple(transform(expr, change) for expr in exprs)

    def body_of(statements: Sequence[s.Statement]) -> tuple[s.Statement, ...]:
        return tuple(transform_statement(part, change) for part in statements)

    match statement:
        case s.Store(indices=indices, value=value):
            return replace(statement, indices=all_of(indices), value=transform(value, change))
        case s.Bind(value=value):
            return replace(statement, value=transform(value, change))
        case s.Loop():
            start, extent, step = all_of((statement.start, statement.extent, statement.step))
            return replace(statement, start=start, extent=extent, step=step, body=body_of(statement.body))
        case s.Branch():
            condition = transform(statement.condition, change)
            then, otherwise = body_of(statement.then), body_of(statement.otherwise)
            return replace(statement, condition=condition, then=then, otherwise=otherwise)
        case s.Repeat():
            condition = transform(statement.condition, change)
            return replace(statement, condition=condition, body=body_of(statement.body))
        case s.TileOp():
            regions = tuple(
                replace(r, offsets=all_of(r.offsets), sizes=all_of(r.sizes)) for r in statement.regions
            )
            options = {
                name: value if isinstance(value, str | int | bool) else transform(value, change)
                for name, value in statement.options.items()
            }
            return replace(statement, regions=regions, options=options)
    return statement


def transform_own(statement: s.Statement, change: OnExpr) -> s.Statement:
    """Apply `change` to the expressions of a statement itself, not to those of its bodies."""
    match statement:
        case s.Loop(body=body) | s.Repeat(body=body):
            bare = transform_statement(replace(statement, body=()), change)
            assert isinstance(bare, s.Loop | s.Repeat)
            return replace(bare, body=body)
        case s.Branch(then=then, otherwise=otherwise):
            bare = transform_statement(replace(statement, then=(), otherwise=()), change)
            assert isinstance(bare, s.Branch)
            return replace(bare, then=then, otherwise=otherwise)
    return transform_statement(statement, change)


def replace_memories(
    statements: Sequence[s.Statement], memories: Mapping[s.Memory, s.Memory]
) -> tuple[s.Statement, ...]:
    """The statements on other memories of the same shape."""

    def load(part: s.Expr) -> s.Expr:
        if isinstance(part, s.Load) and part.memory in memories:
            return replace(part, memory=memories[part.memory])
        return part

    def target(statement: s.Statement) -> s.Statement:
        if isinstance(statement, s.Store):
            return replace(statement, memory=memories.get(statement.memory, statement.memory))
        if isinstance(statement, s.TileOp):
            regions = tuple(replace(r, memory=memories.get(r.memory, r.memory)) for r in statement.regions)
            return replace(statement, regions=regions)
        return statement

    return tuple(transform_bodies(transform_statement(statement, load), target) for statement in statements)


def transform_bodies(statement: s.Statement, change: Callable[[s.Statement], s.Statement]) -> s.Statement:
    """Apply `change` to every statement in a statement, innermost first, then to itself."""
    match statement:
        case s.Loop(body=body) | s.Repeat(body=body):
            statement = replace(statement, body=tuple(transform_bodies(part, change) for part in body))
        case s.Branch(then=then, otherwise=otherwise):
            statement = replace(
                statement,
                then=tuple(transform_bodies(part, change) for part in then),
                otherwise=tuple(transform_bodies(part, change) for part in otherwise),
            )
    return change(statement)
