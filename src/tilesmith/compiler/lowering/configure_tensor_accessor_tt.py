"""Pass 10: bind the accessors of each kernel to its arguments."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from tilesmith.compiler.dialects import tt
from tilesmith.compiler.pass_group import Pass

INTERLEAVED_WORDS = 2
"""Compile-time words of the accessor of an interleaved tensor: configuration bits and page size."""


@dataclass(frozen=True)
class ConfigureTensorAccessorTT(Pass):
    """Every accessor a kernel uses gets its place among the compile-time words and the common arguments.

    The address of a tensor is a common runtime argument, so that a call with other tensors compiles nothing.
    Accessors a kernel does not use disappear from it.
    """

    name = "configure-tensor-accessor-tt"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, tt.KernelOp):
                bind_accessors(kernel)


def bind_accessors(kernel: tt.KernelOp) -> None:
    """Number the accessors that are used; the others go."""
    position = 0
    for accessor in [one for one in kernel.body.block.ops if isinstance(one, tt.AccessorOp)]:
        if accessor.tensor.uses.get_length() == 1 and not accessor.accessor.uses.get_length():
            Rewriter.erase_op(accessor)
            continue
        accessor.compile_time_offset = tt.number(INTERLEAVED_WORDS * position)
        accessor.address = tt.number(position)
        position += 1
