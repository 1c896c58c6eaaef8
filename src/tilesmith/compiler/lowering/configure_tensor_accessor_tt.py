"""Pass 10: bind the accessors of each kernel to its arguments."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tilesmith.compiler.dialects import tt
from tilesmith.compiler.lowering.accessor_places import place_accessors
from tilesmith.compiler.pass_group import Pass


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
                place_accessors(kernel)
