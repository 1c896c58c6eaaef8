"""Pass 17: the C++ of every kernel."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from tilesmith.compiler.analysis.kernel_signature import kernels_of
from tilesmith.compiler.codegen.kernel import kernel_source


@dataclass(frozen=True)
class CodegenTT(ModulePass):
    """Write the C++ of every kernel into its property `source`."""

    name = "codegen-tt"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_of(op):
            kernel.source = StringAttr(kernel_source(kernel))
