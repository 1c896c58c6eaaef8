"""Masks by an index: the tiles of a map that lie wholly inside need no comparing.

A matrix that ends inside a tile is masked there: `i < m ? x : 0`. All tiles but the last have `x` everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue

from tilesmith.compiler.analysis.affine import Linear, linear_of
from tilesmith.compiler.analysis.tile_geometry import TILE
from tilesmith.compiler.dialects import tile
from tilesmith.compiler.lowering.tiles.scalars import copied, is_computable
from tilesmith.compiler.lowering.tiles.stage import Stage
from tilesmith.compiler.lowering.transfers.build import Index

_BELOW = {2: 0, 3: 1, 6: 0, 7: 1}
"""By the number of a comparison that says below: what is added to its right side to make it strict."""
_ABOVE = {4: 0, 5: 1, 8: 0, 9: 1}


@dataclass(frozen=True)
class Inside:
    """The map is `value` where every index is below its limit."""

    value: SSAValue
    limits: Mapping[int, Linear]

    def tiles(self, stage: Stage, op: tile.MapOp, dim: int, most: int) -> Index:
        """How many tiles along a dimension lie before its limit, of so many."""
        if dim not in self.limits:
            return most
        limit, known = self.limits[dim], dict[SSAValue, SSAValue]()
        total: Index = limit.constant
        for value, factor in limit.terms.items():
            term = _as_index(stage, copied(stage, value, op.body.block, known))
            total = stage.add(total, stage.mul(term, factor))
        whole = stage.div(stage.larger(total, 0), TILE)
        return stage.named(stage.smaller(whole, most), "inside")


def inside_of(op: tile.MapOp) -> Inside | None:
    """What a map is where no mask hides it, and up to where that is; None without a mask."""
    last = op.body.block.last_op
    assert isinstance(last, tile.YieldOp)
    value, limits = last.value, dict[int, Linear]()
    while isinstance(select := value.owner, arith.SelectOp):
        found = _limits(op, select.cond)
        if found is None or found.keys() & limits.keys():
            break
        limits |= found
        value = select.lhs
    return Inside(value, limits) if limits else None


def _limits(op: tile.MapOp, condition: SSAValue) -> dict[int, Linear] | None:
    """The limit of every index that a condition compares; None if it says anything else."""
    test = condition.owner
    if isinstance(test, arith.AndIOp):
        left, right = _limits(op, test.lhs), _limits(op, test.rhs)
        if left is None or right is None or left.keys() & right.keys():
            return None
        return left | right
    if not isinstance(test, arith.CmpiOp):
        return None
    how = test.predicate.value.data
    if how not in _BELOW and how not in _ABOVE:
        return None
    low, high = (test.lhs, test.rhs) if how in _BELOW else (test.rhs, test.lhs)
    gap = linear_of(high).plus(linear_of(low), -1)
    return _limit(op, gap.plus(Linear(_BELOW.get(how, 0) + _ABOVE.get(how, 0))))


def _limit(op: tile.MapOp, gap: Linear) -> dict[int, Linear] | None:
    """The limit of the one index in a gap that must be above zero: the gap without it."""
    block = op.body.block
    indices: dict[SSAValue, int] = {arg: dim for dim, arg in enumerate(block.args[len(op.ins) :])}
    found = [(value, factor) for value, factor in gap.terms.items() if value in indices]
    rest = {value: factor for value, factor in gap.terms.items() if value not in indices}
    if len(found) != 1 or found[0][1] != -1 or not all(is_computable(one, block, {}) for one in rest):
        return None
    return {indices[found[0][0]]: Linear(gap.constant, rest)}


def _as_index(stage: Stage, value: SSAValue) -> SSAValue:
    if isinstance(value.type, IndexType):
        return value
    return stage.op(arith.IndexCastOp(value, IndexType())).results[0]
