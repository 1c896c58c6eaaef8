"""Pass 17: the C++ of every kernel."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr

from tilesmith.compiler.analysis.kernel_signature import kernels_of
from tilesmith.compiler.codegen.kernel import kernel_source
from tilesmith.compiler.pass_group import Pass


@dataclass(frozen=True)
class CodegenTT(Pass):
    """Write the C++ of every kernel into its property `source`."""

    name = "codegen-tt"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_of(op):
            kernel.source = StringAttr(kernel_source(kernel))
