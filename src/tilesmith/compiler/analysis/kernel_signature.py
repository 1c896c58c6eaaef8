"""The kernels of a lowered module, their circular buffers, and the attributes that list their arguments."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from tilesmith.compiler.dialects import tt

ADDRESS = "address_"
COMMON_ARGS = "common_args"
CORE_ARGS = "core_args"
FIDELITY = "math_fidelity"


def kernels_of(module: ModuleOp) -> list[tt.KernelOp]:
    """The kernels of a module: reader, compute, writer."""
    return [op for op in module.ops if isinstance(op, tt.KernelOp)]


def circular_buffers(kernels: list[tt.KernelOp]) -> list[tt.CBOp]:
    """The circular buffers of all kernels, each once, by index."""
    by_index: dict[int, tt.CBOp] = {}
    for kernel in kernels:
        for op in kernel.body.block.ops:
            if isinstance(op, tt.CBOp) and op.index is not None:
                by_index.setdefault(op.index.value.data, op)
    return [by_index[index] for index in sorted(by_index)]


def accessor_name(op: tt.AccessorOp) -> str:
    """The parameter whose pages an accessor finds."""
    kernel = op.parent_op()
    assert isinstance(kernel, tt.KernelOp)
    index = kernel.body.block.args.index(op.tensor)
    return kernel.arg_names.data[index].data
