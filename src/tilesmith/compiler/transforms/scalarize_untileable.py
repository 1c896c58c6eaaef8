"""Operations that no layout lets work tile by tile become scalar code."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from tilesmith.compiler.analysis.layout_constraints import NotTileable, constraints_of
from tilesmith.compiler.analysis.storage_formats import is_integer_buffer, is_of_integers
from tilesmith.compiler.dialects.conversions import keeps_values
from tilesmith.compiler.dialects.elements import is_float
from tilesmith.compiler.dialects.tile import CopyOp, FillOp, FuncOp, ReduceOp
from tilesmith.compiler.dialects.walk import walk
from tilesmith.compiler.pass_group import FunctionPass
from tilesmith.compiler.transforms.scalarize import element_of, scalarize


@dataclass(frozen=True)
class ScalarizeUntileable(FunctionPass):
    """Write out, element by element, what no layout lets work tile by tile."""

    name = "scalarize-untileable"

    def rewrite(self, func: FuncOp) -> None:
        # A buffer that would have been floats holds integers once scalar code touches it: look again.
        while found := [op for op in walk(func) if _works_on_integers(op)]:
            for op in found:
                scalarize(op)
        for op in [op for op in walk(func) if _is_untileable(op)]:
            scalarize(op)


def _is_untileable(op: Operation) -> bool:
    return any(isinstance(constraint, NotTileable) for constraint in constraints_of(op))


def _works_on_integers(op: Operation) -> bool:
    if isinstance(op, ReduceOp):
        return is_of_integers(op)
    if isinstance(op, CopyOp):
        return is_integer_buffer(op.source) or is_integer_buffer(op.dest) or _narrows(op)
    return isinstance(op, FillOp) and is_integer_buffer(op.buffer)


def _narrows(op: CopyOp) -> bool:
    """Whether a copy cuts values to the integers of another type, which tiles of floats would not do."""
    source, dest = element_of(op.source), element_of(op.dest)
    return not is_float(dest) and not keeps_values(source, dest)
