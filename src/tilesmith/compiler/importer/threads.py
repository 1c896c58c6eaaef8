"""Code that names its thread -> loops over the threads of a block, cut where threads wait for each other.

What no thread index and no thread's own variable has a part in is done once, for the block. Atomic updates
are done by every thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tilesmith.compiler.importer import source as s
from tilesmith.compiler.importer.affine import uses
from tilesmith.compiler.importer.expansions import element_copy, element_fill
from tilesmith.compiler.importer.rewrite import transform, transform_bodies, transform_statement


def loop_over_threads(kernel: s.Kernel) -> s.Kernel:
    """The kernel without thread indices and barriers."""
    threads = {v: extent for v, extent in kernel.threads if extent > 1}
    single = {v: s.Number(0) for v, extent in kernel.threads if extent == 1}
    body = tuple(transform_statement(st, lambda e: _fixed(e, single)) for st in kernel.body)
    if any(uses(e, threads) for st in s.walk_statements(body) for e in s.statement_expressions(st)):
        body = _Threads(threads).lower(body)
    return replace(kernel, body=_each(body, _finished), threads=())


def _fixed(expr: s.Expr, values: dict[s.Variable, s.Number]) -> s.Expr:
    return values.get(expr.variable, expr) if isinstance(expr, s.Name) else expr


def _each(body: Sequence[s.Statement], change: Callable[[s.Statement], Sequence[s.Statement]]) -> Statements:
    """Every statement, innermost first, replaced by those that `change` makes of it."""

    def inside(statement: s.Statement) -> s.Statement:
        match statement:
            case s.Loop(body=body) | s.Repeat(body=body):
                return replace(statement, body=_each(body, change))
            case s.Branch(then=then, otherwise=otherwise):
                return replace(statement, then=_each(then, change), otherwise=_each(otherwise, change))
        return statement

    return tuple(made for statement in body for made in change(inside(statement)))


def _finished(statement: s.Statement) -> Sequence[s.Statement]:
    """Nobody waits any more, and an update whose old value is wanted takes it first."""
    match statement:
        case s.Sync():
            return ()
        case s.Store(memory, indices, value, combiner, at, before) if before is not None:
            old = s.Load(memory, indices, before.dtype)
            value = s.Binary(combiner, s.Name(before), value, before.dtype)
            return (s.Bind(before, old, at), s.Store(memory, indices, value, at=at))
    return (statement,)


Statements = tuple[s.Statement, ...]


class _Threads:
    def __init__(self, extents: dict[s.Variable, int]) -> None:
        self.extents = extents
        self.own: set[s.Memory] = set()
        """Local memories that differ from thread to thread."""
        self.updates: set[s.Store] = set()
        """Atomic updates, which every thread does."""
        self.old: set[s.Variable] = set()
        """What they find."""

    def lower(self, body: tuple[s.Statement, ...]) -> tuple[s.Statement, ...]:
        body = _names_to_variables(body, self.extents)
        self.updates = set(_updates(body))
        self.old = {update.before for update in self.updates if update.before is not None}
        self._find_own(body)
        pieces = self._cut([self._elements(st) for st in body], ())
        return self._spread(pieces)

    # ---- what differs between threads ----

    def _varies(self, expr: s.Expr) -> bool:
        names = (*self.extents, *self.old)
        return uses(expr, names) or any(load.memory in self.own for load in s.loads_of(expr))

    def _find_own(self, body: Sequence[s.Statement]) -> None:
        found = -1
        while found != len(self.own):
            found = len(self.own)
            self._look(body, guarded=False)

    def _look(self, body: Sequence[s.Statement], guarded: bool) -> None:
        for statement in body:
            varies = guarded or any(self._varies(e) for e in s.statement_expressions(statement))
            if isinstance(statement, s.Store) and statement.memory.scope in ("local", "var") and varies:
                self.own.add(statement.memory)
            if isinstance(statement, s.TileOp) and varies:
                self.own.update(r.memory for r in statement.regions[-1:] if r.memory.scope == "local")
            controls = isinstance(statement, s.Branch | s.Loop | s.Repeat) and varies
            for inner in s.bodies(statement):
                self._look(inner, guarded or controls)

    def _is_threaded(self, statement: s.Statement) -> bool:
        for inner in s.walk_statements((statement,)):
            if any(self._varies(e) for e in s.statement_expressions(inner)):
                return True
            if isinstance(inner, s.Store) and (inner.memory in self.own or inner in self.updates):
                return True
        return False

    def _elements(self, statement: s.Statement) -> s.Statement:
        """Operations of one thread on its own memory, as loops over elements."""

        def change(part: s.Statement) -> s.Statement:
            if not isinstance(part, s.TileOp) or part.name not in ("copy", "fill", "async_copy"):
                return part
            single = any(r.memory in self.own for r in part.regions) or any(
                self._varies(e) for e in s.statement_expressions(part)
            )
            if not single:
                return part
            return element_fill(part) if part.name == "fill" else element_copy(part)

        return transform_bodies(statement, change)

    # ---- cutting at barriers ----

    def _is_piece(self, statement: s.Statement) -> bool:
        """Whether each thread can run the statement from start to end before the next one does."""
        inside = list(s.walk_statements((statement,)))
        if not self._is_threaded(statement) or any(
            isinstance(inner, s.Sync | s.TileOp) or (_is_parallel(inner) and not self._is_threaded(inner))
            for inner in inside
        ):
            return False
        leaves = [self._accesses(inner) for inner in inside]
        return not any(_meet(a, b) for n, a in enumerate(leaves) for b in leaves[:n])

    def _accesses(self, statement: s.Statement) -> list[Access]:
        """What a statement itself touches of memory that threads share."""
        exprs = s.statement_expressions(statement)
        found = [(load.memory, load.indices, False) for e in exprs for load in s.loads_of(e)]
        if isinstance(statement, s.Store):
            found.append((statement.memory, statement.indices, True))
        return [
            (memory, tuple(index for index in indices if self._varies(index)), writes)
            for memory, indices, writes in found
            if memory.scope in ("shared", "fragment")
        ]

    def _all_accesses(self, statement: s.Statement) -> list[Access]:
        return [a for inner in s.walk_statements((statement,)) for a in self._accesses(inner)]

    def _cut(self, body: Sequence[s.Statement], guards: tuple[s.Expr, ...]) -> list[s.Statement]:
        done: list[s.Statement] = []
        piece: list[s.Statement] = []
        for statement in body:
            if self._is_piece(statement):
                # TileLang puts a barrier where a thread may meet what another one wrote.
                touched = [a for earlier in piece for a in self._all_accesses(earlier)]
                if _meet(touched, self._all_accesses(statement)):
                    done += self._closed(piece, guards)
                    piece = []
                piece.append(statement)
                continue
            done += self._closed(piece, guards)
            piece = []
            done += self._around(statement, guards)
        return done + self._closed(piece, guards)

    def _around(self, statement: s.Statement, guards: tuple[s.Expr, ...]) -> list[s.Statement]:
        match statement:
            case s.Branch(condition, then, otherwise) if self._varies(condition):
                # Threads part here and meet inside: each side runs with its threads only.
                others = (*guards, s.Not(condition))
                return self._cut(then, (*guards, condition)) + self._cut(otherwise, others)
            case s.Branch(then=then, otherwise=otherwise):
                sides = tuple(self._cut(then, guards)), tuple(self._cut(otherwise, guards))
                return [replace(statement, then=sides[0], otherwise=sides[1])]
            case s.Loop(schedule="parallel"):
                return [statement]
            case s.Loop(body=body) | s.Repeat(body=body):
                return [replace(statement, body=tuple(self._cut(body, guards)))]
            case s.Sync():
                return []
        return [statement]

    def _closed(self, piece: list[s.Statement], guards: tuple[s.Expr, ...]) -> list[s.Statement]:
        if not piece:
            return []
        body = tuple(piece)
        for guard in reversed(guards):
            body = (s.Branch(guard, body, (), piece[0].at),)
        for variable, extent in self.extents.items():
            loop = s.Loop(variable, s.Number(0), s.Number(extent), body, "parallel", at=piece[0].at)
            body = (loop,)
        return list(body)

    # ---- memory of single threads ----

    def _spread(self, body: Sequence[s.Statement]) -> tuple[s.Statement, ...]:
        """Give every thread its place in memories that outlive one piece."""
        pieces = [st for st in s.walk_statements(tuple(body)) if self._is_thread_loop(st)]
        kept = {m for m in self.own if _lives_in_one(m, pieces)}
        spread = {
            m: replace(m, shape=(*map(s.Number, self.extents.values()), *_own_shape(m)), scope="local")
            for m in self.own - kept
        }
        names = tuple(s.Name(v) for v in self.extents)

        def place(memory: s.Memory, indices: tuple[s.Expr, ...]) -> tuple[s.Expr, ...]:
            return names if memory.scope == "var" else (*names, *indices)

        def load(part: s.Expr) -> s.Expr:
            if isinstance(part, s.Load) and part.memory in spread:
                return s.Load(spread[part.memory], place(part.memory, part.indices), part.dtype)
            return part

        def store(part: s.Statement) -> s.Statement:
            if isinstance(part, s.Store) and part.memory in spread:
                indices = place(part.memory, part.indices)
                return replace(part, memory=spread[part.memory], indices=indices)
            return part

        return tuple(transform_bodies(transform_statement(st, load), store) for st in body)

    def _is_thread_loop(self, statement: s.Statement) -> bool:
        return isinstance(statement, s.Loop) and statement.variable is next(reversed(self.extents))


Access = tuple[s.Memory, tuple[s.Expr, ...], bool]
"""A memory, the indices into it that differ between threads, and whether it is written."""


def _meet(first: Sequence[Access], second: Sequence[Access]) -> bool:
    """Whether a thread may find in the second what another one did in the first."""
    return any(
        a is b and (writes or also_writes) and (place != other or not place)
        for a, place, writes in first
        for b, other, also_writes in second
    )


def _is_parallel(statement: s.Statement) -> bool:
    return isinstance(statement, s.Loop) and statement.schedule == "parallel"


def _own_shape(memory: s.Memory) -> tuple[s.Expr, ...]:
    return () if memory.scope == "var" else memory.shape


def _lives_in_one(memory: s.Memory, pieces: Sequence[s.Statement]) -> bool:
    """Whether only one piece uses a memory, and writes it before it reads it."""
    users = [piece for piece in pieces if memory in s.reads_of(piece) | s.writes_of(piece)]
    if len(users) != 1:
        return False
    for inner in s.walk_statements((users[0],)):
        if any(load.memory is memory for e in s.statement_expressions(inner) for load in s.loads_of(e)):
            return False
        if isinstance(inner, s.Store) and inner.memory is memory:
            return True
    return False


def _updates(body: Sequence[s.Statement]) -> Iterator[s.Store]:
    """Atomic updates that are not shared out between threads, as the turns of a parallel loop are."""
    for statement in body:
        if isinstance(statement, s.Store) and statement.accumulate:
            yield statement
        if not _is_parallel(statement):
            for inner in s.bodies(statement):
                yield from _updates(inner)


def _names_to_variables(body: Statements, threads: dict[s.Variable, int]) -> Statements:
    """Names that differ between threads become variables, which can be given a place per thread."""
    differing = dict.fromkeys((*threads, *(update.before for update in _updates(body) if update.before)), 0)
    bound = {name: _variable(name, body[0].at) for name in differing if name not in threads}
    for statement in s.walk_statements(body):
        if isinstance(statement, s.Bind) and uses(statement.value, differing):
            differing[statement.variable] = 0
            bound[statement.variable] = _variable(statement.variable, statement.at)

    def name_of(part: s.Expr) -> s.Expr:
        if isinstance(part, s.Name) and part.variable in bound:
            return s.Load(bound[part.variable], (s.Number(0),), part.dtype)
        return part

    def kept(part: s.Statement) -> Sequence[s.Statement]:
        match part:
            case s.Bind(variable, value, at) if variable in bound:
                return (s.Store(bound[variable], (s.Number(0),), transform(value, name_of), at=at),)
            case s.Store(before=before, at=at) if before in bound:
                return (part, s.Store(bound[before], (s.Number(0),), s.Name(before), at=at))
        return (part,)

    return _each([transform_statement(st, name_of) for st in body], kept)


def _variable(name: s.Variable, at: s.Location) -> s.Memory:
    return s.Memory(name.name, (s.Number(1),), name.dtype, "var", at)
