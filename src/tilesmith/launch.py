"""A compiled kernel with its tensors in place on a device: upload, run, download."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from threading import Lock, RLock
from typing import Any

from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from tilesmith.arch import Arch
from tilesmith.carriers import from_carrier, to_carrier
from tilesmith.codegen.program import build_program
from tilesmith.dialects import tt
from tilesmith.dialects.types import TensorType
from tilesmith.formats import DataFormat
from tilesmith.runtime import Device, Layout, RunReport, Tensor, open_device

Array = NDArray[Any]

_LAYOUTS = {"tile": Layout.TILE, "row_major": Layout.ROW_MAJOR}
_devices: dict[str, Device] = {}
_opening = Lock()


def shared_device(arch: Arch) -> Device:
    """The one device all compiled kernels of a chip share; opened when first needed."""
    with _opening:
        device = _devices.get(arch.name)
        if device is None or device.is_closed:
            device = _devices[arch.name] = open_device(arch)
        return device


def tensor_types(module: ModuleOp) -> dict[str, TensorType]:
    """The type of every parameter after lowering, with the layout and format it has on the device."""
    kernel = next(op for op in module.walk() if isinstance(op, tt.KernelOp))
    named = zip(kernel.arg_names, kernel.body.block.args, strict=False)
    return {name.data: value.type for name, value in named if isinstance(value.type, TensorType)}


class Launch:
    """The tensors and the program of one kernel for one set of symbols."""

    def __init__(self, module: ModuleOp, arch: Arch, symbols: Mapping[str, int]) -> None:
        self.device = shared_device(arch)
        self._types = tensor_types(module)
        self.tensors: dict[str, Tensor] = {
            name: self._empty(kind, symbols) for name, kind in self._types.items() if kind.layout.data
        }
        self.program = build_program(module, arch, self.tensors, symbols)
        self.lock = RLock()

    def upload(self, arrays: Mapping[str, Array]) -> None:
        for name, values in arrays.items():
            if name in self.tensors:
                tensor = self.tensors[name]
                tensor.copy_from_numpy(to_carrier(values, tensor.dtype, name))

    def run(self) -> RunReport:
        return self.device.run(self.program)

    def download(self, names: Iterable[str]) -> dict[str, Array]:
        return {
            name: from_carrier(self.tensors[name].to_numpy(), self._types[name].element_type)
            for name in names
            if name in self.tensors
        }

    def _empty(self, kind: TensorType, symbols: Mapping[str, int]) -> Tensor:
        shape = [symbols[size] if isinstance(size, str) else size for size in kind.dims]
        return self.device.empty(shape, DataFormat[kind.format.data], _LAYOUTS[kind.layout.data])
