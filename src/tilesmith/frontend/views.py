"""Views of buffers -> accesses to the buffers themselves. Views of tensors stay: they are `tile.view`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tilesmith.frontend import source as s
from tilesmith.frontend.affine import plus, times
from tilesmith.frontend.expansions import counters
from tilesmith.frontend.refusals import refuse
from tilesmith.frontend.rewrite import transform_bodies, transform_statement


def without_views(statements: Sequence[s.Statement]) -> tuple[s.Statement, ...]:
    return tuple(transform_bodies(transform_statement(st, _load), _statement) for st in statements)


def _load(part: s.Expr) -> s.Expr:
    if isinstance(part, s.Load) and _is_view(part.memory):
        base, indices = _place(part.memory, part.indices)
        return s.Load(base, indices, part.dtype)
    return part


def _statement(part: s.Statement) -> s.Statement:
    if isinstance(part, s.Store) and _is_view(part.memory):
        base, indices = _place(part.memory, part.indices)
        return replace(part, memory=base, indices=indices)
    if isinstance(part, s.TileOp) and any(_is_view(region.memory) for region in part.regions):
        return _tile_op(part)
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


def _tile_op(op: s.TileOp) -> s.TileOp:
    """An operation on a view that only regroups leading dimensions of size 1, or cuts the first one short."""
    return replace(op, regions=tuple(_region(op, region) for region in op.regions))


def _region(op: s.TileOp, region: s.Region) -> s.Region:
    view = region.memory
    if not _is_view(view):
        return region
    base = view.base
    assert base is not None
    if view.shape[1:] == base.shape[1:] and view.dtype == base.dtype:
        return replace(region, memory=base)
    moving = [n for n, size in enumerate(region.sizes) if size != s.Number(1, size.dtype)]
    variables = dict(zip(moving, counters(len(moving)), strict=True))
    names: list[s.Expr] = [s.Name(variables[n]) if n in variables else s.Number(0) for n in range(len(region.sizes))]
    indices = [plus(offset, name) for offset, name in zip(region.offsets, names, strict=True)]
    found = _box(view, indices, {variables[n]: _number(region.sizes[n]) for n in moving})
    if found is None:
        refuse(
            f"T.{op.name} on {view.name}, another shape of {base.name}",
            op.at,
            "copy its elements into a buffer of that shape with T.Parallel",
        )
    return found


def _box(view: s.Memory, indices: Sequence[s.Expr], extents: dict[s.Variable, int]) -> s.Region | None:
    from tilesmith.frontend.elementwise import Space
    from tilesmith.frontend.maps import box_of
    from tilesmith.frontend.simplify import simplified

    base, places = _place(view, indices)
    box = box_of(base, [simplified(place, extents) for place in places], Space(extents))
    return None if box is None or box.order != list(extents) else box.region
