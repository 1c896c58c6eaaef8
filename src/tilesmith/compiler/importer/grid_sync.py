"""A kernel whose blocks all wait for each other -> one kernel up to there, and one from there on."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from tilesmith.compiler.importer import source as s
from tilesmith.compiler.importer.unsupported import refuse


def phases(kernel: s.Kernel) -> list[s.Kernel]:
    """The kernels to run one after the other; tensors are all that survives from one to the next."""
    cuts = [at for at, statement in enumerate(kernel.body) if _is_grid_sync(statement)]
    for statement in s.walk_statements(kernel.body):
        if _is_grid_sync(statement) and statement not in kernel.body:
            refuse("sync_grid stands inside a loop or a branch", statement.at, "split the kernel in two")
    bounds = [-1, *cuts, len(kernel.body)]
    bodies = [kernel.body[begin + 1 : end] for begin, end in pairwise(bounds)]
    for number, cut in enumerate(cuts, 1):
        _check_separate(bodies[:number], bodies[number], kernel.body[cut].at)
    return [replace(kernel, body=(*_names(bodies[:number]), *body)) for number, body in enumerate(bodies)]


def _is_grid_sync(statement: s.Statement) -> bool:
    return isinstance(statement, s.Sync) and statement.of_grid


def _names(bodies: list[tuple[s.Statement, ...]]) -> list[s.Statement]:
    """What earlier phases gave a name, which later ones may use."""
    return [one for body in bodies for one in body if isinstance(one, s.Bind)]


def _check_separate(
    before: list[tuple[s.Statement, ...]], after: tuple[s.Statement, ...], at: s.Location
) -> None:
    kept = set().union(*map(_buffers, before)) & _buffers(after)
    if kept:
        name = min(memory.name for memory in kept)
        refuse(
            f"the buffer {name} is used on both sides of sync_grid", at, "keep what outlives it in a tensor"
        )


def _buffers(body: tuple[s.Statement, ...]) -> set[s.Memory]:
    used = set().union(*(s.reads_of(one) | s.writes_of(one) for one in s.walk_statements(body)))
    return {memory for memory in used if memory.scope != "global"}
