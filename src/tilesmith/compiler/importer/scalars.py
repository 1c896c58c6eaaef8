"""Code that is no tile operation -> `tile.scalar`: loops over elements on a data-movement core."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, Region, SSAValue

from tilesmith.compiler.dialects import tile
from tilesmith.compiler.importer import source as s
from tilesmith.compiler.importer.affine import affine, plus
from tilesmith.compiler.importer.context import Context, scalar_type
from tilesmith.compiler.importer.expressions import Expressions
from tilesmith.compiler.importer.flow import emit_branch, emit_loop, emit_region, emit_while
from tilesmith.compiler.importer.guarded_reads import chosen, guard_of, read
from tilesmith.compiler.importer.unsupported import refuse


def lower_scalar(ctx: Context, statements: Sequence[s.Statement]) -> None:
    """One `tile.scalar` that runs these statements, parallel loops as plain ones."""
    memories = [m for st in statements for m in _touched(st) if m.scope != "var"]
    written = {m for st in statements for m in s.writes_of(st)}
    read = {m for st in statements for m in s.reads_of(st)}
    whole = set(_wholly_written(statements)) - read
    reads = [ctx.value(m) for m in dict.fromkeys(memories) if m in read or m not in whole]
    writes = [ctx.value(m) for m in dict.fromkeys(memories) if m in written]
    block = Block()
    with ctx.e.inside(block, own_constants=True):
        _Scalar(ctx, own_variables(ctx, statements)).lower(statements)
    ctx.e.emit(tile.ScalarOp(_unique(reads), _unique(writes), Region(block)))


def own_variables(ctx: Context, statements: Sequence[s.Statement]) -> set[s.Memory]:
    """Scalar variables that nothing else uses and that are set here before they are read."""
    uses = variable_uses(statements)
    first = set_before_read(statements)
    return {m for m, count in uses.items() if m in first and count == ctx.variable_uses.get(m, count)}


def set_before_read(statements: Sequence[s.Statement]) -> set[s.Memory]:
    """Scalar variables whose first use is that they are set."""
    found: dict[s.Memory, bool] = {}
    for statement in s.walk_statements(tuple(statements)):
        for expr in s.statement_expressions(statement):
            for load in s.loads_of(expr):
                found.setdefault(load.memory, False)
        if isinstance(statement, s.Store):
            found.setdefault(statement.memory, True)
    return {m for m, is_set in found.items() if is_set and m.scope == "var"}


def variable_uses(statements: Sequence[s.Statement]) -> Counter[s.Memory]:
    """How many statements touch each scalar variable."""
    return Counter(
        m for st in s.walk_statements(tuple(statements)) for m in _touched_itself(st) if m.scope == "var"
    )


def _touched_itself(statement: s.Statement) -> set[s.Memory]:
    found = {load.memory for expr in s.statement_expressions(statement) for load in s.loads_of(expr)}
    return found | {statement.memory} if isinstance(statement, s.Store) else found


def _unique(values: Iterable[SSAValue]) -> list[SSAValue]:
    return list(dict.fromkeys(values))


def _touched(statement: s.Statement) -> list[s.Memory]:
    """Memories in the order of their first use, so that the text of a kernel does not depend on hashing."""
    found: dict[s.Memory, None] = {}
    for inner in s.walk_statements((statement,)):
        for expr in s.statement_expressions(inner):
            found.update(dict.fromkeys(load.memory for load in s.loads_of(expr)))
        if isinstance(inner, s.Store):
            found[inner.memory] = None
    return list(found)


def _wholly_written(statements: Sequence[s.Statement]) -> Iterable[s.Memory]:
    """Memories of which every element is surely written."""
    for statement in statements:
        extents: dict[s.Variable, int] = {}
        while isinstance(statement, s.Loop) and statement.body:
            if not isinstance(statement.extent, s.Number) or not isinstance(statement.start, s.Number):
                break
            if statement.start.value == 0 and statement.step == s.Number(1, statement.step.dtype):
                extents[statement.variable] = int(statement.extent.value)
            for part in statement.body:
                yield from _covered(part, extents)
            if not isinstance(statement.body[-1], s.Loop):
                break
            statement = statement.body[-1]


def _covered(statement: s.Statement, extents: dict[s.Variable, int]) -> set[s.Memory]:
    """Memories a statement writes whole over the iterations around it; a branch, if both of its sides do."""
    if isinstance(statement, s.Branch):
        sides = [
            {m for part in side for m in _covered(part, extents)}
            for side in (statement.then, statement.otherwise)
        ]
        return set.intersection(*sides)
    if isinstance(statement, s.Store) and _covers(statement, extents):
        return {statement.memory}
    return set()


def _covers(statement: s.Store, extents: dict[s.Variable, int]) -> bool:
    if statement.memory.sizes is None or statement.accumulate:
        return False
    seen: set[s.Variable] = set()
    for index, size in zip(statement.indices, statement.memory.sizes, strict=True):
        form = affine(index, extents)
        if form is None or not isinstance(form.rest, s.Number) or form.rest.value != 0:
            return False
        ((variable, factor),) = form.factors.items() if len(form.factors) == 1 else ((None, 0),)
        if variable is None:
            if size != 1 or form.factors:
                return False
        elif factor != 1 or extents[variable] < size or variable in seen:
            return False
        else:
            seen.add(variable)
    return True


class _Scalar:
    """The body of one `tile.scalar`."""

    def __init__(self, ctx: Context, own: set[s.Memory]) -> None:
        self.ctx = ctx
        self.e = ctx.e
        self.own = own
        self.extents = dict(ctx.extents)
        self.values = Expressions(ctx.e, self._read, lambda select: chosen(self.values, select))
        self.values.variables.update(ctx.control.variables)
        self.variables: dict[s.Memory, SSAValue] = {}

    def lower(self, statements: Sequence[s.Statement]) -> None:
        for statement in statements:
            with self.e.at(statement.at):
                self._statement(statement)

    def _statement(self, statement: s.Statement) -> None:
        match statement:
            case s.Store():
                self._store(statement)
            case s.Loop():
                self.extents[statement.variable] = loop_end(statement)
                emit_loop(self.e, self.values, statement, self.lower)
            case s.Branch():
                emit_branch(self.e, self.values, statement, self.lower)
            case s.Repeat():
                emit_while(self.e, self.values, statement, self.lower)
            case s.Bind(variable, value):
                self.values.variables[variable] = self.values.value(value)
            case s.TileOp(name):
                refuse(
                    f"T.{name} among statements that run element by element",
                    statement.at,
                    "move it out of the loop over elements",
                )

    # ---- memory ----

    def _variable(self, memory: s.Memory) -> SSAValue:
        """A scalar variable: the kernel's, or one that only this code uses."""
        if memory not in self.own:
            return self.ctx.variable(memory)
        if memory not in self.variables:
            element_type = scalar_type(memory.dtype)
            op = tile.VarOp(self.e.constant(0.0 if element_type == f32 else 0, element_type), memory.name)
            self.e.at_start(op)
            self.variables[memory] = op.var
        return self.variables[memory]

    def _store(self, store: s.Store) -> None:
        value = self.values.element(store.value, store.memory.dtype)
        if store.memory.scope == "var":
            self.e.emit(tile.SetOp(self._variable(store.memory), value))
            return
        indices = [self.values.index(index) for index in store.indices]
        op = tile.WriteOp(self.ctx.value(store.memory), indices, value, store.accumulate)
        guard = guard_of(self.values, self.extents, store.memory, store.indices)
        if guard is None:
            self.e.emit(op)
        else:
            self.e.emit(scf.IfOp(guard, [], emit_region(self.e, lambda: self.e.emit(op))))

    def _read(self, load: s.Load) -> SSAValue:
        if load.memory.scope == "var":
            return self.e.emit(tile.GetOp(self._variable(load.memory))).results[0]
        place = self.ctx.value(load.memory)
        return read(self.values, self.extents, load, place, scalar_type(load.memory.dtype))


def loop_end(loop: s.Loop) -> s.Expr:
    return plus(loop.start, loop.extent)
