"""A compiled kernel on every chip of a mesh, each with its part of the tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from tilesmith.compiler.codegen.program import build_program
from tilesmith.compiler.compile import CompiledKernel
from tilesmith.compiler.dialects.types import TensorType
from tilesmith.compiler.launch import LAYOUTS, tensor_types
from tilesmith.compiler.marshal import from_storage, to_storage
from tilesmith.errors import BadCallError
from tilesmith.formats import DataFormat
from tilesmith.runtime import Mesh, MeshTensor

Array = NDArray[Any]


def data_parallel(
    kernel: CompiledKernel, mesh: Mesh, arrays: Mapping[str, Array], split: Mapping[str, int]
) -> dict[str, Array]:
    """Call `kernel`, compiled for the sizes of one chip's part, on all chips; returns what it wrote.

    `arrays` are whole. `split` names the dimension along which chips share a parameter; others are on every
    chip. An output that is not among the arrays starts undefined.
    """
    if len(kernel.modules) != 1 or kernel.signature.symbols:
        raise BadCallError(
            f"{kernel.signature.kernel} has {_obstacle(kernel)}",
            where="data_parallel(...)",
            remedy="give every chip one grid of fixed size: compile the kernel for one chip's part",
        )
    unknown = [name for name in (*arrays, *split) if name not in kernel.signature.tensors]
    if unknown:
        raise BadCallError(
            f"{kernel.signature.kernel} has no parameter {unknown[0]}", where=str(kernel.signature)
        )
    module = kernel.modules[0]
    types = {
        name: tensor_type for name, tensor_type in tensor_types(module).items() if tensor_type.layout.data
    }
    tensors = {name: _allocated(mesh, tensor_type, split.get(name)) for name, tensor_type in types.items()}
    for name, values in arrays.items():
        tensors[name].copy_from_numpy(to_storage(values, tensors[name].local.dtype, name))
    local = {name: tensor.local for name, tensor in tensors.items()}
    mesh.run(build_program(module, mesh.arch, local, {}))
    written = [name for name, one in kernel.signature.tensors.items() if one.is_written]
    return {name: from_storage(tensors[name].to_numpy(), types[name].element_type) for name in written}


def _obstacle(kernel: CompiledKernel) -> str:
    symbols = ", ".join(kernel.signature.symbols)
    return f"sizes that come with the call ({symbols})" if symbols else f"{len(kernel.modules)} grids"


def _allocated(mesh: Mesh, tensor_type: TensorType, dim: int | None) -> MeshTensor:
    part = [int(size) for size in tensor_type.dims]
    whole = [size * (mesh.num_chips if position == dim else 1) for position, size in enumerate(part)]
    layout, form = LAYOUTS[tensor_type.layout.data], DataFormat[tensor_type.format.data]
    return mesh.empty(whole, form, layout, shard_dim=dim)
