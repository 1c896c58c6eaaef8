"""Indices as sums: a constant plus values times factors, and how far the values reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects import arith, scf
from xdsl.ir import BlockArgument, SSAValue

from tilesmith.compiler.analysis.index_expressions import TRANSPARENT, constant_of


@dataclass(frozen=True)
class Linear:
    """`constant` plus the sum of value * factor over `terms`."""

    constant: int = 0
    terms: Mapping[SSAValue, int] = field(default_factory=dict)

    def plus(self, other: Linear, times: int = 1) -> Linear:
        terms = dict(self.terms)
        for value, factor in other.terms.items():
            terms[value] = terms.get(value, 0) + factor * times
        kept = {value: factor for value, factor in terms.items() if factor}
        return Linear(self.constant + other.constant * times, kept)


def linear_of(value: SSAValue) -> Linear:
    """An index as a sum; what is no sum stays one term."""
    number = constant_of(value)
    if number is not None:
        return Linear(number)
    op = value.owner
    if isinstance(op, TRANSPARENT):
        return linear_of(op.operands[0])
    if isinstance(op, arith.AddiOp):
        return linear_of(op.lhs).plus(linear_of(op.rhs))
    if isinstance(op, arith.SubiOp):
        return linear_of(op.lhs).plus(linear_of(op.rhs), -1)
    if isinstance(op, arith.MuliOp):
        for scale, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            factor = constant_of(scale)
            if factor is not None:
                return Linear().plus(linear_of(other), factor)
    return Linear(0, {value: 1})


def range_of(value: SSAValue) -> tuple[int, int] | None:
    """The least and greatest value of the index of a loop with constant bounds; None for anything else."""
    if not isinstance(value, BlockArgument):
        return None
    loop = value.block.parent_op()
    if not isinstance(loop, scf.ForOp) or value.index != 0:
        return None
    first, end, step = constant_of(loop.lb), constant_of(loop.ub), constant_of(loop.step)
    if first is None or end is None or step is None:
        return None
    return first, first + max((end - first - 1) // step, 0) * step
