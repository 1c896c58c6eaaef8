"""Scalar code and control flow that nothing depends on goes."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.rewriter import Rewriter
from xdsl.traits import IsTerminator

from tilesmith.compiler.analysis.roles import steps
from tilesmith.compiler.analysis.scalar_dependence import is_accessed, is_step, needed_by
from tilesmith.compiler.dialects import tt
from tilesmith.compiler.dialects.walk import operations_of
from tilesmith.compiler.pass_group import Pass


@dataclass(frozen=True)
class DeadCodeElimination(Pass):
    """Keep the steps of a kernel, and of scalars, loops and branches only what decides about them."""

    name = "dead-code-elimination"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in operations_of(op, tt.KernelOp):
            remove_dead_scalars(kernel.body.block)


def remove_dead_scalars(block: Block) -> None:
    """Keep the steps, and of scalars, variables, loops and branches only what decides about them."""
    everything = list(steps(block))
    needed = needed_by(op for op in everything if is_step(op))
    for op in reversed(everything):
        if op not in needed and not (isinstance(op, tt.AccessorOp) and is_accessed(op)):
            Rewriter.erase_op(op)
        elif isinstance(op, scf.IfOp):
            _drop_empty_else(op)


def _drop_empty_else(op: scf.IfOp) -> None:
    region = op.false_region
    if region.blocks and all(inner.has_trait(IsTerminator) for inner in region.block.ops):
        region.erase_block(region.block)
