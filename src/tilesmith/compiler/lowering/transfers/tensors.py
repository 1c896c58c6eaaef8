"""What a transfer is between: the tensor with its accessor and sizes, and the pages of the buffer."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.tt_dataflow import AddressOp
from tilesmith.compiler.dialects.types import BufferType, Dim, TensorType
from tilesmith.compiler.lowering.transfers.build import Body, Index
from tilesmith.errors import InternalFault

Transfer = tile.LoadOp | tile.StoreOp


def buffer_of(value: SSAValue) -> BufferType:
    buffer_type = tile.place_of(value)
    assert isinstance(buffer_type, BufferType)
    return buffer_type


def tensor_of(value: SSAValue) -> TensorType:
    tensor_type = tile.place_of(value)
    assert isinstance(tensor_type, TensorType)
    return tensor_type


def parameter_of(tensor: SSAValue) -> SSAValue:
    """The parameter behind a tensor: views are only other shapes of it."""
    while isinstance(view := tensor.owner, tile.ViewOp):
        tensor = view.source
    return tensor


def accessor_of(op: Operation, tensor: SSAValue) -> SSAValue:
    """The accessor of a tensor's parameter in the kernel around an operation."""
    parameter = parameter_of(tensor)
    for use in parameter.uses:
        if isinstance(use.operation, tt.AccessorOp):
            return use.operation.accessor
    raise InternalFault(f"{op.name} names a tensor without an accessor: {parameter.name_hint}")


def name_of(value: SSAValue) -> str:
    return parameter_of(value).name_hint or "tensor"


def kernel_of(op: Operation) -> tt.KernelOp | tile.FuncOp:
    at = op.parent_op()
    while at is not None and not isinstance(at, tt.KernelOp | tile.FuncOp):
        at = at.parent_op()
    assert at is not None
    return at


def sizes_of(op: Operation, dims: Sequence[Dim]) -> tuple[Index, ...]:
    """The sizes of a tensor as indices: symbols are arguments of the kernel around the operation."""
    kernel = kernel_of(op)
    values = kernel.body.block.args[len(kernel.arg_names) :]
    symbols = {symbol.data: value for symbol, value in zip(kernel.symbols, values, strict=True)}
    return tuple(size if isinstance(size, int) else symbols[size] for size in dims)


def role_of(op: Operation) -> str:
    return kernel_of(op).role.data if isinstance(kernel_of(op), tt.KernelOp) else "reader"  # type: ignore[union-attr]


def linear(body: Body, indices: Sequence[Index], sizes: Sequence[Index]) -> Index:
    """The place of an element in row-major order."""
    place: Index = 0
    for index, size in zip(indices, sizes, strict=True):
        place = body.add(body.mul(place, size), index)
    return place


def address_of(body: Body, cb: SSAValue, side: str) -> SSAValue:
    """Where the pages that were reserved (to write) or waited for (to read) start."""
    op = AddressOp(cb, side)
    op.address.name_hint = f"{cb.name_hint}_at"
    body.op(op)
    return op.address
