"""Sums of products that start from zero: the first product overwrites, so nobody fills the result first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard

from xdsl.dialects import scf
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.index_expressions import constant_of
from tilesmith.compiler.analysis.memory_effects import buffer_effects
from tilesmith.compiler.analysis.roles import steps
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.walk import walk
from tilesmith.compiler.lowering.tiles.integer_gemm import is_integer_product
from tilesmith.compiler.lowering.tiles.translate import known_number
from tilesmith.compiler.pass_group import FunctionPass

OVERWRITES = "overwrites"
"""Attribute of a gemm whose result starts from zero: "always", or in the "first" turn of its loop."""


@dataclass(frozen=True)
class StartWithProduct(FunctionPass):
    """Let the first product of a sum overwrite, so that nobody fills the result with zeros first."""

    name = "start-with-product"

    def rewrite(self, func: tile.FuncOp) -> None:
        start_with_product(func.body.block)


def start_with_product(block: Block) -> None:
    """Drop fills with zero that a product follows, and say so at the product."""
    for fill in [op for op in steps(block) if isinstance(op, tile.FillOp) and known_number(op.value) == 0.0]:
        user = _next_user(fill, fill.buffer)
        if _adds_to(user, fill.buffer):
            user.attributes[OVERWRITES] = StringAttr("always")
            Rewriter.erase_op(fill)
        elif isinstance(user, scf.ForOp) and _runs(user):
            first = _first_user(user.body.block, fill.buffer)
            if _adds_to(first, fill.buffer):
                first.attributes[OVERWRITES] = StringAttr("first")
                # The loop finds a version to replace, with nothing in it.
                Rewriter.insert_op(tt.UndefOp(fill.buffer), InsertPoint.before(fill))
                Rewriter.erase_op(fill)


def _adds_to(op: Operation | None, cb: SSAValue) -> TypeGuard[tile.GemmOp]:
    if not isinstance(op, tile.GemmOp) or is_integer_product(op):
        return False
    return op.c is cb and cb not in (op.a, op.b)


def _next_user(op: Operation, cb: SSAValue) -> Operation | None:
    at = op.next_op
    while at is not None and not _touches(at, cb):
        at = at.next_op
    return at


def _first_user(block: Block, cb: SSAValue) -> Operation | None:
    return next((op for op in block.ops if _touches(op, cb)), None)


def _touches(op: Operation, cb: SSAValue) -> bool:
    return any(
        cb in buffer_effects(inner).touches
        or (isinstance(inner, tt.ReleaseOp | tt.UndefOp) and inner.cb is cb)
        for inner in walk(op)
    )


def _runs(loop: scf.ForOp) -> bool:
    """Whether the loop certainly has a first turn."""
    lower, upper = constant_of(loop.lb), constant_of(loop.ub)
    return lower is not None and upper is not None and lower < upper
