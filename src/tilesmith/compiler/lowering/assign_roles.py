"""Say which of the three kernels of a core does each operation."""

from __future__ import annotations

from dataclasses import dataclass

from tilesmith.compiler.analysis.roles import assign_roles, set_role
from tilesmith.compiler.dialects.tile import FuncOp
from tilesmith.compiler.pass_group import FunctionPass


@dataclass(frozen=True)
class AssignRoles(FunctionPass):
    """Mark every operation on buffers or tensors with its role: reader, compute or writer."""

    name = "assign-roles"

    def rewrite(self, func: FuncOp) -> None:
        for op, role in assign_roles(func.body.block).items():
            set_role(op, role)
