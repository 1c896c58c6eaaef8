"""Loops with break and continue -> loops whose body is skipped once a flag says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tilesmith.compiler.importer import source as s

_RUNNING = s.Number(1)


def without_jumps(statements: Sequence[s.Statement]) -> tuple[s.Statement, ...]:
    done: list[s.Statement] = []
    for statement in statements:
        match statement:
            case s.Loop(body=body) | s.Repeat(body=body):
                done += _loop(replace(statement, body=without_jumps(body)))
            case s.Branch(then=then, otherwise=otherwise):
                done.append(replace(statement, then=without_jumps(then), otherwise=without_jumps(otherwise)))
            case _:
                done.append(statement)
    return tuple(done)


def _loop(loop: s.Loop | s.Repeat) -> list[s.Statement]:
    keywords = {jump.keyword for jump in _jumps(loop.body)}
    if not keywords:
        return [loop]
    flag = s.Memory("running", (s.Number(1),), "int32", "var", loop.at)
    body = tuple(_guarded(loop.body, flag))
    set_flag = _set(flag, 1, loop.at)
    if keywords == {"continue"}:
        return [replace(loop, body=(set_flag, *body))]
    if "continue" in keywords:
        # One flag for both would not know whether the next iteration may run.
        once = s.Memory("skipped", (s.Number(1),), "int32", "var", loop.at)
        body = tuple(_guarded(tuple(_guarded(loop.body, once, "continue")), flag, "break"))
        body = (_set(once, 1, loop.at), *body)
    if isinstance(loop, s.Repeat):
        # First the flag: a condition may read what lies beyond the end once its loop was left.
        going_on = s.Binary("and", _is_set(flag), loop.condition, "bool")
        return [set_flag, replace(loop, condition=going_on, body=body)]
    return [set_flag, replace(loop, body=(s.Branch(_is_set(flag), body, (), loop.at),))]


def _jumps(statements: Sequence[s.Statement]) -> list[s.Jump]:
    """The jumps that belong to the loop around these statements."""
    found: list[s.Jump] = []
    for statement in statements:
        if isinstance(statement, s.Jump):
            found.append(statement)
        elif isinstance(statement, s.Branch):
            found += _jumps(statement.then) + _jumps(statement.otherwise)
    return found


def _guarded(statements: Sequence[s.Statement], flag: s.Memory, keyword: str = "") -> list[s.Statement]:
    """The statements, where those after a jump that was taken do nothing."""
    done: list[s.Statement] = []
    for position, statement in enumerate(statements):
        if isinstance(statement, s.Jump) and keyword in ("", statement.keyword):
            return [*done, _set(flag, 0, statement.at)]
        if not isinstance(statement, s.Branch) or not _jumps((statement,)):
            done.append(statement)
            continue
        then = tuple(_guarded(statement.then, flag, keyword))
        otherwise = tuple(_guarded(statement.otherwise, flag, keyword))
        done.append(replace(statement, then=then, otherwise=otherwise))
        rest = _guarded(statements[position + 1 :], flag, keyword)
        return [*done, s.Branch(_is_set(flag), tuple(rest), (), statement.at)] if rest else done
    return done


def _set(flag: s.Memory, value: int, at: s.Location) -> s.Store:
    return s.Store(flag, (s.Number(0),), s.Number(value), at=at)


def _is_set(flag: s.Memory) -> s.Expr:
    return s.Binary("eq", s.Load(flag, (s.Number(0),), "int32"), _RUNNING, "bool")
