"""Elements read only where they are asked for: beyond a tensor are zeros, a side not taken stays unread."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, Block, Region, SSAValue

from tilesmith.compiler.dialects import tile
from tilesmith.compiler.importer import source as s
from tilesmith.compiler.importer.bounds import Extents, is_inside
from tilesmith.compiler.importer.emitter import Emitter
from tilesmith.compiler.importer.expressions import Expressions
from tilesmith.compiler.importer.flow import emit_region


def read(
    values: Expressions, extents: Extents, load: s.Load, place: SSAValue, element_type: Attribute
) -> SSAValue:
    """One element of a tensor or buffer."""
    e = values.e
    indices = [values.index(index) for index in load.indices]
    op = tile.ReadOp(place, indices, element_type)
    guard = guard_of(values, extents, load.memory, load.indices)
    if guard is None:
        return e.emit(op).results[0]
    zero = e.constant(0.0 if element_type == f32 else 0, element_type)
    return _either(e, guard, lambda: e.emit(op).results[0], lambda: zero)


def guard_of(
    values: Expressions, extents: Extents, memory: s.Memory, indices: Sequence[s.Expr]
) -> SSAValue | None:
    """Whether an access stays inside its tensor, if that is not certain."""
    if memory.scope != "global":
        return None
    guard: SSAValue | None = None
    for index, size in zip(indices, memory.shape, strict=True):
        if is_inside(index, size, extents):
            continue
        test = values.condition(s.Binary("lt", index, size, "bool"))
        if not s.is_nonnegative(index):
            low = values.condition(s.Binary("ge", index, s.Number(0), "bool"))
            test = values.e.binary(arith.AndIOp, low, test)
        guard = test if guard is None else values.e.binary(arith.AndIOp, guard, test)
    return guard


def chosen(values: Expressions, select: s.Select) -> SSAValue | None:
    """A choice of which the side not taken must not be read."""
    if not any(load.memory.scope != "var" for part in (select.a, select.b) for load in s.loads_of(part)):
        return None
    convert = values.e.as_f32 if s.is_float(select.dtype) else values.e.as_i32
    return _either(
        values.e,
        values.condition(select.condition),
        lambda: convert(values.value(select.a)),
        lambda: convert(values.value(select.b)),
    )


def _either(
    e: Emitter, test: SSAValue, then: Callable[[], SSAValue], otherwise: Callable[[], SSAValue]
) -> SSAValue:
    block = Block()
    with e.inside(block):
        other = otherwise()
    plain = block.first_op is None
    result_type = other.type
    var = e.emit(tile.VarOp(other if plain else e.constant(0, result_type), "choice")).results[0]
    first = emit_region(e, lambda: e.emit(tile.SetOp(var, then())))
    if not plain:
        block.add_op(tile.SetOp(var, other))
        block.add_op(scf.YieldOp())
    e.emit(scf.IfOp(test, [], first, None if plain else Region(block)))
    return e.emit(tile.GetOp(var)).results[0]
