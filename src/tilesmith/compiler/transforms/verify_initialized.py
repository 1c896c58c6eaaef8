"""Refuse kernels that compute with a buffer nothing has been written to."""

from __future__ import annotations

from dataclasses import dataclass

from tilesmith.compiler.analysis.uninitialized import check_written
from tilesmith.compiler.dialects.tile import FuncOp
from tilesmith.compiler.pass_group import FunctionPass


@dataclass(frozen=True)
class VerifyInitialized(FunctionPass):
    """Refuse an operation that reads a buffer before any other writes it. Changes nothing."""

    name = "verify-initialized"

    def rewrite(self, func: FuncOp) -> None:
        check_written(func)
