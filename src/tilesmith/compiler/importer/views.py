"""Views of buffers -> accesses to the buffers themselves. Views of tensors stay: they are `tile.view`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tilesmith.compiler.importer import source as s
from tilesmith.compiler.importer.affine import plus, times
from tilesmith.compiler.importer.elementwise import Space
from tilesmith.compiler.importer.expansions import counters, element_copy
from tilesmith.compiler.importer.maps import box_of
from tilesmith.compiler.importer.rewrite import replace_memories, transform_own, transform_statement
from tilesmith.compiler.importer.simplify import simplified
from tilesmith.compiler.importer.unsupported import refuse

_MOST_GROUPS = 16


def without_views(statements: Sequence[s.Statement]) -> tuple[s.Statement, ...]:
    """The statements on buffers as they were allocated."""
    statements = replace_memories(statements, {m: replace(m, base=None) for m in _reused(statements)})
    return tuple(done for statement in statements for done in _rewritten(statement))


def _reused(statements: Sequence[s.Statement]) -> set[s.Memory]:
    """Views of another type, written before they are read: memory used again, as a buffer of its own."""
    first: dict[s.Memory, bool] = {}
    for statement in s.walk_statements(tuple(statements)):
        for expr in s.statement_expressions(statement):
            for load in s.loads_of(expr):
                first.setdefault(load.memory, False)
        if isinstance(statement, s.Store):
            first.setdefault(statement.memory, True)
        elif isinstance(statement, s.TileOp):
            for region in statement.regions[:-1]:
                first.setdefault(region.memory, False)
            for region in statement.regions[-1:]:
                first.setdefault(region.memory, True)
    views = [m for m, written in first.items() if written and _is_view(m)]
    return {m for m in views if m.base is not None and m.base.dtype != m.dtype}


def _rewritten(statement: s.Statement) -> list[s.Statement]:
    match statement:
        case s.Loop(body=body) | s.Repeat(body=body):
            statement = replace(statement, body=tuple(d for part in body for d in _rewritten(part)))
        case s.Branch(then=then, otherwise=otherwise):
            sides = [tuple(d for part in side for d in _rewritten(part)) for side in (then, otherwise)]
            statement = replace(statement, then=sides[0], otherwise=sides[1])
        case s.TileOp(regions=regions) if any(_is_view(region.memory) for region in regions):
            parts = _reduce_by_groups(statement) or _tile_op(statement)
            return [transform_statement(part, _load) for part in parts]
        case s.Store(memory=memory) if _is_view(memory):
            base, indices = _place(memory, statement.indices)
            statement = replace(statement, memory=base, indices=indices)
    return [transform_own(statement, _load)]


def _load(part: s.Expr) -> s.Expr:
    if isinstance(part, s.Load) and _is_view(part.memory):
        base, indices = _place(part.memory, part.indices)
        return s.Load(base, indices, part.dtype)
    return part


def _is_view(memory: s.Memory) -> bool:
    return memory.base is not None and memory.scope != "global"


def _place(view: s.Memory, indices: Sequence[s.Expr]) -> tuple[s.Memory, tuple[s.Expr, ...]]:
    """Where an element of a view lies in its buffer."""
    base = view.base
    assert base is not None
    if base.dtype != view.dtype:
        refuse(
            f"{view.name} looks at the {base.dtype} elements of {base.name} as {view.dtype}",
            view.at,
            "copy the elements into a buffer of the other type",
        )
    if _is_view(base):
        return _place(base, _translated(view, base, indices))
    return base, tuple(_translated(view, base, indices))


def _translated(view: s.Memory, base: s.Memory, indices: Sequence[s.Expr]) -> list[s.Expr]:
    outer, inner = list(view.shape), list(base.shape)
    kept: list[s.Expr] = []
    rest = list(indices)
    # Trailing dimensions both have in common need no arithmetic.
    while outer and inner and _number(outer[-1]) == _number(inner[-1]) and len(inner) > 1 and len(outer) > 1:
        outer.pop()
        inner.pop()
        kept.insert(0, rest.pop())
    return _unflattened(_flattened(rest, outer), inner) + kept


def _flattened(indices: Sequence[s.Expr], shape: Sequence[s.Expr]) -> s.Expr:
    total: s.Expr = s.Number(0)
    for index, size in zip(indices, shape, strict=True):
        total = plus(times(total, _number(size)), index)
    return total


def _unflattened(index: s.Expr, shape: Sequence[s.Expr]) -> list[s.Expr]:
    places: list[s.Expr] = []
    for size in reversed(shape[1:]):
        places.insert(0, s.Binary("floormod", index, s.Number(_number(size)), "int32"))
        index = s.Binary("floordiv", index, s.Number(_number(size)), "int32")
    return [index, *places]


def _number(size: s.Expr) -> int:
    assert isinstance(size, s.Number)
    return int(size.value)


def _tile_op(op: s.TileOp) -> list[s.Statement]:
    """The operation on boxes of the buffers; where a view is no box, on a copy of its elements."""
    before: list[s.Statement] = []
    after: list[s.Statement] = []
    regions = []
    for position, region in enumerate(op.regions):
        if not _is_view(region.memory):
            regions.append(region)
            continue
        box = _box(region) if op.name in ("copy", "fill") else _same_rank(region)
        if box is None:
            copy = replace(region.memory, name=f"{region.memory.name}_copy", base=None)
            whole = s.Region(copy, region.offsets, region.sizes)
            before.append(element_copy(s.TileOp("copy", (region, whole), {}, op.at)))
            if position == len(op.regions) - 1:
                after.append(element_copy(s.TileOp("copy", (whole, region), {}, op.at)))
            box = whole
        regions.append(box)
    done = [part for statement in (*before, *after) for part in _rewritten(statement)]
    return [*done[: len(before)], replace(op, regions=tuple(regions)), *done[len(before) :]]


def _reduce_by_groups(op: s.TileOp) -> list[s.Statement] | None:
    """A reduction over each of a few groups of columns, which a view made a dimension of."""
    source, dest = op.regions[0], op.regions[-1]
    view, base = source.memory, source.memory.base
    if op.name != "reduce" or base is None or _is_view(dest.memory) or not source.is_whole:
        return None
    last = len(view.shape) - 1
    if op.options["dim"] != last or len(base.shape) != last or len(dest.sizes) != last:
        return None
    groups, width = _number(view.shape[-2]), _number(view.shape[-1])
    if view.shape[:-2] != base.shape[:-1] or base.dtype != view.dtype or groups > _MOST_GROUPS:
        return None
    zeros, lead = (s.Number(0),) * (last - 1), base.shape[:-1]
    found: list[s.Statement] = []
    for group in range(groups):
        part = s.Region(base, (*zeros, s.Number(group * width)), (*lead, s.Number(width)))
        offsets = (*dest.offsets[:-1], plus(dest.offsets[-1], s.Number(group)))
        column = s.Region(dest.memory, offsets, (*dest.sizes[:-1], s.Number(1)))
        found.append(replace(op, regions=(part, column), options={**op.options, "dim": last - 1}))
    return found


def _same_rank(region: s.Region) -> s.Region | None:
    """A region of a view that only cuts the first dimension of its buffer short."""
    view, base = region.memory, region.memory.base
    assert base is not None
    if view.shape[1:] != base.shape[1:] or len(view.shape) != len(base.shape) or view.dtype != base.dtype:
        return None
    return replace(region, memory=base)


def _box(region: s.Region) -> s.Region | None:
    """The region of the buffer behind a region of a view, dimensions of size 1 aside."""
    moving = [n for n, size in enumerate(region.sizes) if size != s.Number(1, size.dtype)]
    variables = dict(zip(moving, counters(len(moving)), strict=True))
    names = [s.Name(variables[n]) if n in variables else s.Number(0) for n in range(len(region.sizes))]
    indices = [plus(offset, name) for offset, name in zip(region.offsets, names, strict=True)]
    extents = {variables[n]: _number(region.sizes[n]) for n in moving}
    base, places = _place(region.memory, indices)
    box = box_of(base, [simplified(place, extents) for place in places], Space(extents))
    return None if box is None or box.order != list(extents) else box.region
