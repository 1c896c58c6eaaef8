"""From a launch of a plan to its compiled kernel, and to the program with its tensors in place."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tilesmith.arch import Arch
from tilesmith.compiler.codegen.program import build_program
from tilesmith.compiler.compile import CompiledKernel
from tilesmith.compiler.launch import tensor_types
from tilesmith.errors import InternalFault, L1BudgetError
from tilesmith.formats import DataFormat
from tilesmith.kernels.elementwise import Elementwise
from tilesmith.kernels.rowwise import RowWise
from tilesmith.kernels.rowwise_streamed import StreamedRowWise
from tilesmith.kernels.shared_group_norm import GroupSums, SharedGroupNorm
from tilesmith.models.backends.kernels import compiled
from tilesmith.models.options import ModelOptions
from tilesmith.models.planning.steps import Launch
from tilesmith.models.planning.views import Storage
from tilesmith.program import Program
from tilesmith.program.site import declared_by
from tilesmith.runtime import Tensor

# What multiplies single tiles only: all phases cost little, with fewer the vector unit would have to do it.
WITHOUT_PRODUCTS = (Elementwise, RowWise, StreamedRowWise, GroupSums, SharedGroupNorm)


def kernel_of(step: Launch, arch: Arch, options: ModelOptions) -> CompiledKernel:
    """The kernel of a launch, in the fidelity and with the approximations of the model or of its own."""
    usual = "HiFi4" if isinstance(step.template, WITHOUT_PRODUCTS) else options.fidelity
    approximate = step.approximate or options.approximation
    try:
        return compiled(step.template, arch, step.fidelity or usual, step.formats, approximate)
    except L1BudgetError as error:
        raise InternalFault(
            f"the kernel that tilesmith chose for {' + '.join(step.ops)} needs more L1 than a core has:"
            f" {error.what}"
        ) from error


def program_of(
    step: Launch, arch: Arch, options: ModelOptions, tensor: Callable[[Storage], Tensor]
) -> Program:
    """The program of a launch; `tensor` says where a storage is."""
    with declared_by(str(step.source)):
        (module,) = kernel_of(step, arch, options).modules
        types = tensor_types(module)
        _check_layouts(step, {name: kind.layout.data for name, kind in types.items()})
        tensors = {name: tensor(step.storages[name]) for name in types}
        sizes = {f"{name}_rows": storage.rows for name, storage in step.storages.items()}
        sizes |= {f"{name}_cols": storage.cols for name, storage in step.storages.items()}
        return build_program(module, arch, tensors, {**step.numbers, **sizes})


def stored_format(storage: Storage) -> DataFormat:
    """int8 has the same bits as uint8, which tensors have; kernels say how they read them."""
    return DataFormat.UInt8 if storage.format is DataFormat.Int8 else storage.format


def _check_layouts(step: Launch, layouts: Mapping[str, str]) -> None:
    """The plan and the tile compiler must agree on how tensors lie: nothing else would notice."""
    wrong = [
        name for name, layout in layouts.items() if layout and step.storages[name].layout.value != layout
    ]
    if wrong:
        raise InternalFault(
            f"the kernel of {' + '.join(step.ops)} reads {wrong[0]} in another layout than it was planned in"
        )
