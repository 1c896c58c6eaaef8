"""Pass 15: the argument lists of the kernels."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from tilesmith.compiler.analysis.kernel_signature import (
    ADDRESS,
    COMMON_ARGS,
    CORE_ARGS,
    FIDELITY,
    accessor_name,
    kernels_of,
)
from tilesmith.compiler.dialects import tt
from tilesmith.compiler.dialects import tt_compute as ttc
from tilesmith.compiler.dialects.elements import bits_of
from tilesmith.compiler.dialects.walk import operations_of, walk
from tilesmith.compiler.lowering.accessor_places import place_accessors
from tilesmith.compiler.lowering.tiles.stage import buffer_of
from tilesmith.compiler.pass_group import Pass

EXACT = "HiFi4"


@dataclass(frozen=True)
class FinalizePersistentSignatureTT(Pass):
    """Number the runtime arguments of every kernel and list their names on it.

    `common_args` are the same on every core: the addresses of the tensors ("address_A"), then symbols.
    `core_args` differ from core to core. Symbols a kernel uses become arguments; arguments it does not use
    go. Circular buffers that any kernel uses get their indices, the same in every kernel; the others go too.
    """

    name = "finalize-persistent-signature-tt"

    fidelity: str = "HiFi4"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = kernels_of(op)
        for kernel in kernels:
            _symbols_to_arguments(kernel)
            _drop_unused(kernel)
            place_accessors(kernel)  # transfers that lie outside their tensor are gone by now
            _number(kernel)
            if kernel.role.data == "compute":
                fidelity = EXACT if _multiplies_integers(kernel) else self.fidelity
                kernel.attributes[FIDELITY] = StringAttr(fidelity)
        _number_circular_buffers(kernels)


def _multiplies_integers(kernel: tt.KernelOp) -> bool:
    """Whether products must have all their bits, whatever fidelity was asked for."""
    products = operations_of(kernel, ttc.MatmulBlockOp)
    return any(bits_of(buffer_of(cb).element_type) > 0 for op in products for cb in (op.a, op.b))


def _symbols_to_arguments(kernel: tt.KernelOp) -> None:
    block = kernel.body.block
    values = block.args[len(kernel.arg_names) :]
    for symbol, value in zip(kernel.symbols, values, strict=True):
        if value.first_use is None:
            continue
        argument = tt.ArgOp(symbol.data, "common")
        block.insert_ops_before([argument], _first(kernel))
        value.replace_all_uses_with(argument.value)


def _first(kernel: tt.KernelOp) -> Operation:
    first = kernel.body.block.first_op
    assert first is not None  # it uses a symbol
    return first


def _drop_unused(kernel: tt.KernelOp) -> None:
    for op in list(walk(kernel)):
        if isinstance(op, tt.ArgOp) and op.value.first_use is None:
            Rewriter.erase_op(op)


def _number(kernel: tt.KernelOp) -> None:
    """Equal names are one argument, whoever asked for it."""
    tensors = [f"{ADDRESS}{accessor_name(one)}" for one in operations_of(kernel, tt.AccessorOp)]
    names: dict[str, list[str]] = {"common": tensors, "core": []}
    for op in operations_of(kernel, tt.ArgOp):
        listed, name = names[op.scope.data], op.arg_name.data
        if name not in listed:
            listed.append(name)
        op.position = tt.number(listed.index(name))
    kernel.attributes[COMMON_ARGS] = ArrayAttr([StringAttr(name) for name in names["common"]])
    kernel.attributes[CORE_ARGS] = ArrayAttr([StringAttr(name) for name in names["core"]])


def _number_circular_buffers(kernels: list[tt.KernelOp]) -> None:
    declared = [op for kernel in kernels for op in kernel.body.block.ops if isinstance(op, tt.CBOp)]
    used = {op.cb_name.data for op in declared if op.cb.first_use is not None}
    index: dict[str, int] = {}
    for op in declared:
        if op.cb_name.data in used:
            op.index = tt.number(index.setdefault(op.cb_name.data, len(index)))
        else:
            Rewriter.erase_op(op)
