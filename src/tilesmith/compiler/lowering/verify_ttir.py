"""Pass 16: nothing abstract is left, and what the kernels need fits the chip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import Operation

from tilesmith.arch import Arch, load_arch
from tilesmith.compiler.analysis.dst_usage import check_slots
from tilesmith.compiler.analysis.kernel_signature import COMMON_ARGS, CORE_ARGS, circular_buffers, kernels_of
from tilesmith.compiler.analysis.l1_budget import check_buffers_fit
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.walk import walk
from tilesmith.compiler.pass_group import Pass
from tilesmith.errors import CircularBufferError, InternalFault, KernelArgumentError
from tilesmith.program.checks import MAX_RUNTIME_ARGS

_ABSTRACT = (tt.ReleaseOp, tt.UndefOp)
# Scalars and their variables are as concrete as C++ is.
_CONCRETE_TILE = (tile.VarOp, tile.GetOp, tile.SetOp, tile.FnOp, tile.ViewOp)


@dataclass(frozen=True)
class VerifyTTIR(Pass):
    """Refuse what no kernel can be written for, and what the chip has no room for."""

    name = "verify-ttir"

    arch: str = "wormhole"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        arch = load_arch(self.arch)
        kernels = kernels_of(op)
        for kernel in kernels:
            for inner in walk(kernel):
                _check_concrete(inner)
            _check_arguments(kernel)
            check_slots(kernel, arch)
        buffers = circular_buffers(kernels)
        _check_count(buffers, arch)
        check_buffers_fit(buffers, arch)


def _check_concrete(op: Operation) -> None:
    op_type = type(op)
    in_tile = op_type.name.startswith("tile.") and op_type not in _CONCRETE_TILE
    if in_tile or op_type in _ABSTRACT:
        raise InternalFault(f"{op.name} is still there after every lowering", where=tile.location_of(op))
    if op_type is tt.AccessorOp and op.address is None:  # type: ignore[attr-defined]
        raise InternalFault("an accessor is bound to no argument", where=tile.location_of(op))


def _check_arguments(kernel: tt.KernelOp) -> None:
    count = sum(_length(kernel, which) for which in (COMMON_ARGS, CORE_ARGS))
    if count > MAX_RUNTIME_ARGS:
        raise KernelArgumentError(
            f"kernel {kernel.sym_name.data} needs {count} runtime arguments; a core takes {MAX_RUNTIME_ARGS}",
            where=tile.location_of(kernel),
            remedy="use fewer tensors and symbols in one kernel, for instance by packing tensors into one",
        )


def _length(kernel: tt.KernelOp, which: str) -> int:
    listed = kernel.attributes.get(which)
    return len(listed) if isinstance(listed, ArrayAttr) else 0


def _check_count(buffers: Sequence[tt.CBOp], arch: Arch) -> None:
    limit = arch.num_circular_buffers
    if len(buffers) <= limit:
        return
    names = ", ".join(op.cb_name.data for op in buffers)
    raise CircularBufferError(
        f"the kernel needs {len(buffers)} circular buffers and {arch.product} has {limit}: {names}",
        where=tile.location_of(buffers[limit]),
        remedy="use fewer buffers: one that is free again can take the place of another of its shape",
    )
