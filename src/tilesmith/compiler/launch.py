"""A compiled kernel with its tensors in place on a device: upload, run, download."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock, RLock
from typing import Any

from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from tilesmith import settings
from tilesmith.arch import Arch, add_finder
from tilesmith.compiler.codegen.program import build_program
from tilesmith.compiler.dialects import tt
from tilesmith.compiler.dialects.types import TensorType
from tilesmith.compiler.dialects.walk import operations_of
from tilesmith.compiler.marshal import from_storage, to_storage
from tilesmith.errors import TilesmithWarning, UnwrittenPagesError
from tilesmith.formats import DataFormat
from tilesmith.program import Program
from tilesmith.runtime import Device, Layout, RunReport, Tensor, open_device
from tilesmith.runtime.ttnn_arch import TTNN

Array = NDArray[Any]

LAYOUTS = {"tile": Layout.TILE, "row_major": Layout.ROW_MAJOR}
_devices: dict[str, Device] = {}
_opening = Lock()
_own: ContextVar[Device | None] = ContextVar("device of this thread", default=None)


def shared_device(arch: Arch) -> Device:
    """The one device all compiled kernels of a chip share, opened when first needed; or a thread's own."""
    own = _own.get()
    if own is not None and own.arch.name == arch.name:
        return own
    with _opening:
        device = _devices.get(arch.name)
        if device is None or device.is_closed:
            device = _devices[arch.name] = open_device(arch)
        return device


def _opened_by_ttnn() -> Arch:
    """The chip that ttnn drives; what is compiled for it shares it, as it does the emulator's."""
    with _opening:
        device = _devices[TTNN] = open_device(TTNN)
    return device.arch


add_finder(TTNN, _opened_by_ttnn)


@contextmanager
def own_device(device: Device) -> Iterator[None]:
    """Compiled kernels for the chip of `device` run on it inside the block, in this thread only."""
    token = _own.set(device)
    try:
        yield
    finally:
        _own.reset(token)


@contextmanager
def lent_device(device: Device) -> Iterator[None]:
    """Compiled kernels for the chip of `device` run on it inside the block."""
    name = device.arch.name
    with _opening:
        before = _devices.get(name)
        _devices[name] = device
    try:
        yield
    finally:
        with _opening:
            _devices.pop(name, None)
            if before is not None:
                _devices[name] = before


def tensor_types(module: ModuleOp) -> dict[str, TensorType]:
    """The type of every parameter after lowering, with the layout and format it has on the device."""
    kernel = next(op for op in operations_of(module, tt.KernelOp))
    named = zip(kernel.arg_names, kernel.body.block.args, strict=False)
    return {name.data: value.type for name, value in named if isinstance(value.type, TensorType)}


class Launch:
    """The tensors and the programs of one kernel for one set of symbols; a program for each of its grids."""

    def __init__(self, modules: Sequence[ModuleOp], arch: Arch, symbols: Mapping[str, int]) -> None:
        self.device = shared_device(arch)
        self.lock = RLock()
        self._elements: dict[str, Attribute] = {}
        self._parts = self._placed([tensor_types(module) for module in modules], symbols)
        self._holders: dict[str, Tensor] = {}
        self.programs: tuple[Program, ...] = tuple(
            build_program(module, arch, tensors, symbols)
            for module, tensors in zip(modules, self._parts, strict=True)
        )

    def upload(self, arrays: Mapping[str, Array]) -> None:
        """Bring the arguments of a call to the device, each to the first grid that uses it."""
        self._holders = {}
        for name, values in arrays.items():
            tensor = next((tensors[name] for tensors in self._parts if name in tensors), None)
            if tensor is not None:
                tensor.copy_from_numpy(to_storage(values, tensor.dtype, name))
                self._holders[name] = tensor

    def run(self) -> tuple[RunReport, ...]:
        return tuple(
            self._run_part(tensors, program)
            for tensors, program in zip(self._parts, self.programs, strict=True)
        )

    def download(self, names: Iterable[str]) -> dict[str, Array]:
        return {name: self._values(name) for name in names if name in self._holders}

    def _run_part(self, tensors: Mapping[str, Tensor], program: Program) -> RunReport:
        for name, tensor in tensors.items():
            # Another grid may want the tensor in another layout or format.
            if self._holders.get(name, tensor) is not tensor:
                tensor.copy_from_numpy(to_storage(self._values(name), tensor.dtype, name))
        self._holders.update(tensors)
        return self.device.run(program)

    def _values(self, name: str) -> Array:
        tensor = self._holders[name]
        try:
            values = tensor.to_numpy()
        except UnwrittenPagesError:
            # A tensor that the call made may be written in part: what is left out means nothing, as on a GPU.
            warnings.warn(
                f"the kernel writes {name} in part; what it holds elsewhere means nothing",
                TilesmithWarning,
                stacklevel=2,
            )
            with settings.using(suppress=(*settings.current().suppress, "mem.page-never-written")):
                values = tensor.to_numpy()
        return from_storage(values, self._elements[name])

    def _placed(
        self, types: Sequence[Mapping[str, TensorType]], symbols: Mapping[str, int]
    ) -> list[dict[str, Tensor]]:
        """The tensors of each grid; those of equal type are the same."""
        tensors: dict[tuple[str, TensorType], Tensor] = {}
        for name, tensor_type in (pair for part in types for pair in part.items()):
            if (name, tensor_type) not in tensors and tensor_type.layout.data:
                shape = [symbols[size] if isinstance(size, str) else size for size in tensor_type.dims]
                layout = LAYOUTS[tensor_type.layout.data]
                tensors[name, tensor_type] = self.device.empty(
                    shape, DataFormat[tensor_type.format.data], layout
                )
                self._elements[name] = tensor_type.element_type
        return [
            {
                name: tensors[name, tensor_type]
                for name, tensor_type in part.items()
                if tensor_type.layout.data
            }
            for part in types
        ]
