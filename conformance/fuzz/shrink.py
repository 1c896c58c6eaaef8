"""Makes a failing kernel smaller as long as it fails in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from conformance.fuzz.nodes import Node
from conformance.fuzz.program import Program
from conformance.fuzz.statements import Copy, Parallel, Region, Statement


def shrunk(program: Program, fails: Callable[[Program], bool], tries: int = 60) -> Program:
    """The smallest kernel found in so many runs."""
    left = tries
    progress = True
    while progress and left > 0:
        progress = False
        for smaller in _smaller(program):
            if left == 0:
                break
            left -= 1
            if fails(smaller):
                program, progress = smaller, True
                break
    return program


def _smaller(program: Program) -> Iterator[Program]:
    """Without one statement first, since that takes most away; then with simpler expressions."""
    for body in _without_one(program.body):
        yield _cleaned(replace(program, body=body))
    if program.blocks > 1 and not program.dynamic:
        yield replace(program, blocks=1)
    if program.across > 1:
        yield replace(program, across=1)
    if program.special:
        yield replace(program, special=frozenset())
    for body in _simpler(program.body):
        yield _cleaned(replace(program, body=body))


def _cleaned(program: Program) -> Program:
    """Without buffers and tensors that nothing names any more."""
    text = program.source().split("threads=128")[1]
    tensors = tuple(one for one in program.tensors if one.name in text)
    first, *others = program.buffers
    buffers = (first, *(one for one in others if one.name in text))  # the first says how high a block is
    return replace(program, tensors=tensors, buffers=buffers)


def _without_one(statements: tuple[Statement, ...]) -> Iterator[tuple[Statement, ...]]:
    for place in reversed(range(len(statements))):
        before, one, after = statements[:place], statements[place], statements[place + 1 :]
        stores = isinstance(one, Copy) and one.dest.memory.is_tensor
        if not stores or any(
            isinstance(other, Copy) and other.dest.memory.is_tensor for other in (*before, *after)
        ):
            yield (*before, *after)
        for name in ("body", "then", "otherwise"):
            inner = getattr(one, name, ())
            if inner and not isinstance(one, Parallel):
                yield (*before, *inner, *after)
            for fewer in _without_one(inner):
                if fewer or name == "otherwise":
                    yield (*before, replace(one, **{name: fewer}), *after)  # type: ignore[type-var]


def _simpler(item: Any) -> Iterator[Any]:
    """The same with one expression in it replaced by a part of its own type."""
    if isinstance(item, tuple):
        for place, inner in enumerate(item):
            for simpler in _simpler(inner):
                yield (*item[:place], simpler, *item[place + 1 :])
        return
    if isinstance(item, Node):
        yield from (part for part in item.parts if part.dtype == item.dtype)
    if isinstance(item, Node | Statement) and not isinstance(item, Region):
        for one in fields(item):  # type: ignore[arg-type]
            value = getattr(item, one.name)
            if isinstance(value, Node | tuple):
                for simpler in _simpler(value):
                    yield replace(item, **{one.name: simpler})  # type: ignore[type-var]
