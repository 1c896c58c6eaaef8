"""Two loop variables that together count through one dimension -> one variable.

`C[i, j * 8 + v]` with v below 8 walks a dimension in order: as `C[i, w]` it is a plain element-wise access.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tilesmith.compiler.importer import source as s
from tilesmith.compiler.importer.affine import affine, plus, times
from tilesmith.compiler.importer.simplify import simplified

Fused = dict[tuple[s.Variable, s.Variable], s.Variable]


def fused_store(
    store: s.Store, conditions: tuple[s.Expr, ...], extents: Mapping[s.Variable, int], fused: Fused
) -> tuple[s.Store, tuple[s.Expr, ...], dict[s.Variable, int]]:
    """A store, its conditions and its space, with every dimension of the target following one variable."""
    space = dict(extents)
    exprs = [simplified(e, space) for e in (*store.indices, store.value, *conditions)]
    count = len(store.indices)
    while (pair := _pair(exprs[:count], space)) is not None:
        slow, fast = pair
        variable = fused.setdefault(pair, s.Variable(f"{slow.name}_{fast.name}", slow.dtype, counts=True))
        exprs = [_replaced(e, slow, fast, space[fast], variable) for e in exprs]
        space = {
            (variable if v is slow else v): (extent * space[fast] if v is slow else extent)
            for v, extent in space.items()
            if v is not fast
        }
    store = replace(store, indices=tuple(exprs[:count]), value=exprs[count])
    return store, tuple(exprs[count + 1 :]), space


def _pair(indices: list[s.Expr], space: Mapping[s.Variable, int]) -> tuple[s.Variable, s.Variable] | None:
    """Variables of one dimension only, of which one counts the whole turns of the other."""
    forms = [affine(index, space) for index in indices]
    for form in forms:
        if form is None or len(form.factors) < 2:
            continue
        for fast, step in form.factors.items():
            for slow, stride in form.factors.items():
                elsewhere = any(
                    other is not form and (other is None or slow in other.factors or fast in other.factors)
                    for other in forms
                )
                if slow is not fast and stride == step * space[fast] and not elsewhere:
                    return slow, fast
    return None


def _replaced(expr: s.Expr, slow: s.Variable, fast: s.Variable, turn: int, variable: s.Variable) -> s.Expr:
    """The expression in terms of `variable`, which is slow * turn + fast."""
    form = affine(expr, {slow, fast})
    if form is not None and form.factors:
        step = form.factors.get(fast, 0)
        if form.factors.get(slow, 0) == step * turn:
            return plus(times(s.Name(variable), step), form.rest)
    if isinstance(expr, s.Name):
        op = {slow: "floordiv", fast: "floormod"}.get(expr.variable)
        return expr if op is None else s.Binary(op, s.Name(variable), s.Number(turn), expr.dtype)
    parts = tuple(_replaced(part, slow, fast, turn, variable) for part in s.children(expr))
    return s.rebuild(expr, parts) if parts else expr
