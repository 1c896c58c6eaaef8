"""Loop nests as lists of element-wise stores, where that says the same."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tilesmith.compiler.importer import source as s
from tilesmith.compiler.importer.affine import affine, minus, plus, uses
from tilesmith.compiler.importer.branches import merged_branches
from tilesmith.compiler.importer.fusion import Fused, fused_store
from tilesmith.compiler.importer.rewrite import transform

_UNROLL_LIMIT = 64
_REDUCTIONS = {"add": "sum", "max": "max", "min": "min"}


@dataclass(frozen=True)
class Space:
    """Loop variables and how far each goes from 0."""

    extents: Mapping[s.Variable, int]

    def with_variable(self, variable: s.Variable, extent: int) -> Space:
        return Space({**self.extents, variable: extent})


@dataclass(frozen=True)
class Guarded:
    """A store that happens, for every point of a space, if all conditions hold.

    With `reduction` ("sum", "max", "min") the store combines its value with what is there, over all values of
    the variables of the space that its indices do not use.
    """

    store: s.Store
    conditions: tuple[s.Expr, ...]
    space: Space
    reduction: str = ""

    @property
    def expressions(self) -> tuple[s.Expr, ...]:
        return (*self.store.indices, self.store.value, *self.conditions)


class NotElementwiseError(Exception):
    """The statements cannot be separated; for use inside the front end."""


def flatten(loop: s.Loop) -> list[Guarded] | None:
    """The stores of a nest, in an order that means the same as the nest; None if there is none."""
    try:
        stores = _Flattening().loop(loop, Space({}), ())
    except NotElementwiseError:
        return None
    fused: Fused = {}
    stores = [_with_missing_dims(_fused(_narrowed(guarded), fused)) for guarded in merged_branches(stores)]
    return stores if _independent(stores) else None


def _fused(guarded: Guarded, fused: Fused) -> Guarded:
    store, conditions, extents = fused_store(guarded.store, guarded.conditions, guarded.space.extents, fused)
    return replace(guarded, store=store, conditions=conditions, space=Space(extents))


def _narrowed(guarded: Guarded) -> Guarded:
    """A guard such as `i < 16` as a smaller space."""
    extents = dict(guarded.space.extents)
    kept = []
    for condition in conjuncts(guarded.conditions):
        limit = upper_limit(condition, extents)
        if limit is None or not isinstance(limit[1], s.Number):
            kept.append(condition)
        else:
            variable, count = limit[0], int(limit[1].value)
            extents[variable] = max(0, min(extents[variable], count))
    if 0 in extents.values():
        return guarded
    return replace(guarded, conditions=tuple(kept), space=Space(extents))


def conjuncts(conditions: Sequence[s.Expr]) -> list[s.Expr]:
    """Conditions all of which must hold, one by one."""
    found: list[s.Expr] = []
    for condition in conditions:
        if isinstance(condition, s.Binary) and condition.op == "and":
            found += conjuncts((condition.a, condition.b))
        else:
            found.append(condition)
    return found


def upper_limit(condition: s.Expr, variables: Collection[s.Variable]) -> tuple[s.Variable, s.Expr] | None:
    """The variable, and how many of its values, a condition such as `offset + i < n` leaves."""
    if not isinstance(condition, s.Binary) or condition.op not in ("lt", "le", "gt", "ge"):
        return None
    low, high = (condition.a, condition.b) if condition.op in ("lt", "le") else (condition.b, condition.a)
    if not s.is_integer(low.dtype) or not s.is_integer(high.dtype):
        return None
    form = affine(minus(high, low), variables)
    if form is None or len(form.factors) != 1:
        return None
    ((variable, factor),) = form.factors.items()
    if factor != -1:
        return None
    return variable, form.rest if condition.op in ("lt", "gt") else plus(form.rest, s.Number(1))


def _with_missing_dims(guarded: Guarded) -> Guarded:
    """A store that meets itself in several iterations, as a reduction if it is one."""
    used = _used(guarded.store.indices)
    missing = [v for v, extent in guarded.space.extents.items() if extent != 1 and v not in used]
    if not missing or guarded.reduction:
        return guarded
    if not guarded.store.accumulate and not any(uses(e, missing) for e in guarded.expressions):
        # Every iteration writes the same.
        extents = {v: extent for v, extent in guarded.space.extents.items() if v not in missing}
        if extents and all(
            load.memory is not guarded.store.memory for load in s.loads_of(guarded.store.value)
        ):
            return replace(guarded, space=Space(extents))
    return _as_reduction(guarded, set(missing)) or guarded


@dataclass
class _Flattening:
    """Values of names and scalar variables on the way through a body. None: no longer what it was."""

    names: dict[s.Variable, s.Expr | None] = field(default_factory=dict)
    variables: dict[s.Memory, s.Expr | None] = field(default_factory=dict)
    counters: dict[tuple[int, int], s.Variable] = field(default_factory=dict)
    unrolled: int = 0

    def value(self, expr: s.Expr) -> s.Expr:
        def resolved(part: s.Expr) -> s.Expr:
            if isinstance(part, s.Name) and part.variable in self.names:
                return _known(self.names[part.variable])
            if isinstance(part, s.Load) and part.memory in self.variables:
                return _known(self.variables[part.memory])
            return part

        return transform(expr, resolved)

    def body(
        self, statements: Sequence[s.Statement], space: Space, conditions: tuple[s.Expr, ...]
    ) -> list[Guarded]:
        found: list[Guarded] = []
        for statement in statements:
            if any(self._stale(condition, found) for condition in conditions):
                raise NotElementwiseError
            found += self.statement(statement, space, conditions)
        return found

    def _stale(self, condition: s.Expr, stores: Sequence[Guarded]) -> bool:
        written = {guarded.store.memory for guarded in stores}
        return any(load.memory in written for load in s.loads_of(condition))

    def statement(
        self, statement: s.Statement, space: Space, conditions: tuple[s.Expr, ...]
    ) -> list[Guarded]:
        match statement:
            case s.Bind(variable, value):
                self.names[variable] = self.value(value)
                return []
            case s.Store(memory=memory) if memory.scope == "var":
                self._assign(statement, conditions)
                return []
            case s.Store():
                return [self._store(statement, space, conditions)]
            case s.Branch(condition, then, otherwise):
                test = self.value(condition)
                first = self.body(then, space, (*conditions, test))
                if otherwise and self._stale(test, first):
                    raise NotElementwiseError
                return first + self.body(otherwise, space, (*conditions, s.Not(test)))
            case s.Loop():
                return self.loop(statement, space, conditions)
        raise NotElementwiseError

    def _assign(self, store: s.Store, conditions: tuple[s.Expr, ...]) -> None:
        new = self.value(store.value)
        for condition in conditions:
            old = _known(
                self.variables.get(store.memory, s.Load(store.memory, store.indices, store.memory.dtype))
            )
            new = s.Select(condition, new, old, store.memory.dtype)
        # Reading what an earlier iteration left makes the order of iterations matter.
        if any(load.memory is store.memory for load in s.loads_of(new)):
            raise NotElementwiseError
        self.variables[store.memory] = s.Cast(new, store.memory.dtype)

    def _store(self, store: s.Store, space: Space, conditions: tuple[s.Expr, ...]) -> Guarded:
        indices = tuple(self.value(index) for index in store.indices)
        store = replace(store, indices=indices, value=self.value(store.value))
        for known in (self.names, self.variables):
            for key, value in known.items():
                if value is not None and any(load.memory is store.memory for load in s.loads_of(value)):
                    known[key] = None  # type: ignore[index]
        return Guarded(store, conditions, space)

    def loop(self, loop: s.Loop, space: Space, conditions: tuple[s.Expr, ...]) -> list[Guarded]:
        extent, start, step = (self.value(part) for part in (loop.extent, loop.start, loop.step))
        if not isinstance(extent, s.Number) or step != s.Number(1, step.dtype):
            raise NotElementwiseError
        before = self._enter(loop)
        stores = self._iterate(loop, start, int(extent.value), space, conditions)
        if stores is None:
            self.variables = before
            return self._unroll(loop, start, int(extent.value), space, conditions)
        self._enter(loop)
        return stores

    def _enter(self, loop: s.Loop) -> dict[s.Memory, s.Expr | None]:
        """Forget the variables a loop assigns to: their values differ from one iteration to the next."""
        before = dict(self.variables)
        for inner in s.walk_statements(loop.body):
            if isinstance(inner, s.Store) and inner.memory.scope == "var":
                self.variables[inner.memory] = None
        return before

    def _iterate(
        self, loop: s.Loop, start: s.Expr, extent: int, space: Space, conditions: tuple[s.Expr, ...]
    ) -> list[Guarded] | None:
        """The stores with the loop's variable as one more dimension; None if iterations need their order."""
        # Loops side by side share a variable, so that what one writes and the next reads is the same place.
        fresh = s.Variable(loop.variable.name, loop.variable.dtype, counts=True)
        variable = self.counters.setdefault((len(space.extents), extent), fresh)
        self.names[loop.variable] = plus(s.Name(variable), start)
        try:
            stores = self.body(loop.body, space.with_variable(variable, extent), conditions)
        except NotElementwiseError:
            if not space.extents:
                raise
            return None
        if loop.schedule == "parallel":
            return stores
        if extent > 1 and _carries(stores, variable):
            if not space.extents:
                raise NotElementwiseError
            return None
        if not space.extents:
            return stores
        everywhere = all(any(uses(i, {variable}) for i in g.store.indices) for g in stores)
        if everywhere and _independent([_with_missing_dims(guarded) for guarded in stores]):
            return stores
        reduction = _as_reduction(stores[0], {variable}) if len(stores) == 1 else None
        return None if reduction is None else [reduction]

    def _unroll(
        self, loop: s.Loop, start: s.Expr, extent: int, space: Space, conditions: tuple[s.Expr, ...]
    ) -> list[Guarded]:
        found: list[Guarded] = []
        for n in range(extent):
            self.unrolled += len(loop.body)
            if self.unrolled > _UNROLL_LIMIT:
                raise NotElementwiseError
            self.names[loop.variable] = plus(s.Number(n), start)
            found += self.body(loop.body, space, conditions)
        return found


def _known(value: s.Expr | None) -> s.Expr:
    if value is None:
        raise NotElementwiseError
    return value


def _as_reduction(guarded: Guarded, variables: set[s.Variable]) -> Guarded | None:
    """`m[i] = m[i] + f(i, k)` over k, as a reduction of f."""
    store = guarded.store
    value = store.value
    if guarded.conditions or store.accumulate or any(uses(index, variables) for index in store.indices):
        return None
    while isinstance(value, s.Cast) and s.is_float(value.dtype) and s.is_float(value.a.dtype):
        value = value.a
    if not isinstance(value, s.Binary) or value.op not in _REDUCTIONS or not s.is_float(value.dtype):
        return None
    for old, new in ((value.a, value.b), (value.b, value.a)):
        here = isinstance(old, s.Load) and old.memory is store.memory and old.indices == store.indices
        if here and all(load.memory is not store.memory for load in s.loads_of(new)):
            return replace(guarded, store=replace(store, value=new), reduction=_REDUCTIONS[value.op])
    return None


def _carries(stores: Sequence[Guarded], variable: s.Variable) -> bool:
    """Whether a store meets in one iteration of a loop in order what another store left in an earlier one."""
    for place, guarded in enumerate(stores):
        store = guarded.store
        if variable in _used(store.indices):
            continue
        others = [other for n, other in enumerate(stores) if n != place]
        if not (store.accumulate or guarded.conditions or _touches(guarded, store.memory)):
            # Written anew in every iteration: only who reads it before that sees what was there.
            others = list(stores[:place])
        if any(other.store.memory is store.memory or _touches(other, store.memory) for other in others):
            return True
    return False


def _touches(guarded: Guarded, memory: s.Memory) -> bool:
    """Whether a store reads a memory."""
    return any(load.memory is memory for expr in guarded.expressions for load in s.loads_of(expr))


def _accesses(stores: Iterable[Guarded]) -> Iterable[tuple[s.Memory, tuple[s.Expr, ...]]]:
    for guarded in stores:
        yield guarded.store.memory, guarded.store.indices
        for expr in guarded.expressions:
            yield from ((load.memory, load.indices) for load in s.loads_of(expr))


def _independent(stores: Sequence[Guarded]) -> bool:
    """Whether what one iteration writes is not touched in another, so that stores may run one by one."""
    if len(stores) == 1 and stores[0].store.accumulate:
        target = stores[0].store.memory
        return all(load.memory is not target for e in stores[0].expressions for load in s.loads_of(e))
    for guarded in stores:
        free = set(guarded.space.extents) - _used(guarded.store.indices)
        if any(guarded.space.extents[v] != 1 for v in free) and not guarded.reduction:
            return False
    written = [(g.store.memory, g.store.indices) for g in stores]
    return all(
        _same_place(indices, place)
        for memory, indices in _accesses(stores)
        for target, place in written
        if memory is target
    )


def _used(indices: Sequence[s.Expr]) -> set[s.Variable]:
    return {part.variable for index in indices for part in s.walk(index) if isinstance(part, s.Name)}


def _same_place(a: Sequence[s.Expr], b: Sequence[s.Expr]) -> bool:
    """Equal indices, or indices that differ in a number and so never meet."""
    if tuple(a) == tuple(b):
        return True
    return any(
        isinstance(x, s.Number) and isinstance(y, s.Number) and x.value != y.value
        for x, y in zip(a, b, strict=True)
    )
