"""Fold index arithmetic that is known, and open loops of one turn and branches that are decided."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.constant_folding import Scaled, fold
from tilesmith.compiler.analysis.index_expressions import constant_of
from tilesmith.compiler.analysis.kernel_signature import kernels_of
from tilesmith.compiler.pass_group import Pass


@dataclass(frozen=True)
class CanonicalizeScalars(Pass):
    """Fold what is known; put the body of a loop of one turn, or of a decided branch, in its place."""

    name = "canonicalize-scalars"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_of(op):
            _simplify(kernel.body.block)


def _simplify(block: Block) -> None:
    op = block.first_op
    while op is not None:
        inlined = _opened(op)
        if inlined is not None:
            op = _inline(op, inlined)
            continue
        after = op.next_op
        for region in op.regions:
            for inner in region.blocks:
                _simplify(inner)
        _replace_by_fold(op)
        op = after


def _opened(op: Operation) -> Block | None:
    """The block that can stand in the place of a loop or branch; an empty one if nothing runs."""
    if isinstance(op, scf.ForOp) and not op.iter_args:
        first, end, step = (constant_of(value) for value in (op.lb, op.ub, op.step))
        if first is None or end is None or step is None or step <= 0:
            return None
        turns = max(0, -(-(end - first) // step))
        return None if turns > 1 else op.body.block if turns else Block()
    if isinstance(op, scf.IfOp) and not op.results:
        taken = constant_of(op.cond)
        if taken is None:
            return None
        return (op.true_region if taken else op.false_region).blocks.first or Block()
    return None


def _inline(op: Operation, block: Block) -> Operation | None:
    """Put the block's operations where `op` is; the first of them, or what follows `op`."""
    if isinstance(op, scf.ForOp) and block.args:
        block.args[0].replace_all_uses_with(op.lb)
    before = op.prev_op
    parent = op.parent
    assert parent is not None
    for inner in list(block.ops):
        inner.detach()  # type: ignore[no-untyped-call]
        if not isinstance(inner, scf.YieldOp):
            parent.insert_op_before(inner, op)
    Rewriter.erase_op(op)
    return parent.first_op if before is None else before.next_op


def _replace_by_fold(op: Operation) -> None:
    simpler = fold(op) if op.name.startswith("arith.") else None
    if simpler is None:
        return
    (old,) = op.results
    if isinstance(simpler, SSAValue):
        old.replace_all_uses_with(simpler)
    else:
        new = _made(simpler, old.type)
        new[-1].results[0].name_hint = old.name_hint
        Rewriter.insert_op(new, InsertPoint.before(op))
        old.replace_all_uses_with(new[-1].results[0])
    Rewriter.erase_op(op)


def _made(simpler: int | Scaled, result_type: Attribute) -> list[Operation]:
    assert isinstance(result_type, IndexType | IntegerType)
    if isinstance(simpler, int):
        return [arith.ConstantOp(IntegerAttr(simpler, result_type))]
    factor = arith.ConstantOp(IntegerAttr(simpler.factor, result_type))
    return [factor, arith.MuliOp(simpler.value, factor)]
