"""Between 11 and 12: index arithmetic and control flow as a person would write them."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free

from tilesmith.compiler.analysis.kernel_signature import kernels_of
from tilesmith.compiler.lowering.canonicalize_scalars import CanonicalizeScalars
from tilesmith.compiler.pass_group import Pass, PassGroup
from tilesmith.compiler.transforms.loop_invariant_code_motion import LoopInvariantCodeMotion


@dataclass(frozen=True)
class SimplifyScalars(PassGroup):
    """Fold what is known, open loops of one turn, compute named indices once, outside the loops around."""

    name = "simplify-scalars"

    @property
    def passes(self) -> tuple[ModulePass, ...]:
        return (CanonicalizeScalars(), LoopInvariantCodeMotion(), DeadScalarElimination())


@dataclass(frozen=True)
class DeadScalarElimination(Pass):
    """Erase scalar code without effects whose results nobody uses."""

    name = "dead-scalar-elimination"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_of(op):
            _remove_unused(kernel.body.block)


def _remove_unused(block: Block) -> None:
    for op in reversed(list(block.ops)):
        if op.results and is_side_effect_free(op) and not any(result.first_use for result in op.results):
            Rewriter.erase_op(op)
            continue
        for region in op.regions:
            for inner in region.blocks:
                _remove_unused(inner)
