"""Every circular buffer is filled by one kernel and drained by one, as often as it is filled."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tilesmith.dialects import tt


@dataclass(frozen=True)
class ValidateSplitKernels(ModulePass):
    """Compare what the kernels of a core do to each circular buffer."""

    name = "validate-split-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = [one for one in op.walk() if isinstance(one, tt.KernelOp)]
        assert len(kernels) % len(tt.ROLES) == 0
