"""The chips of a mesh on the emulator: one after another, each with memory of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tilesmith.arch import Arch
from tilesmith.errors import ProgramError
from tilesmith.program import Program
from tilesmith.runtime.buffer import Bytes
from tilesmith.runtime.device import Device, open_device
from tilesmith.runtime.tensor import Tensor
from tilesmith.runtime.tensor_spec import TensorSpec


class EmulatedChips:
    """Devices that allocate in step, so that a tensor has one address on all of them."""

    def __init__(self, shape: tuple[int, int], arch: str | Arch) -> None:
        rows, columns = shape
        self._devices: dict[tuple[int, int], Device] = {
            (row, column): open_device(arch) for row in range(rows) for column in range(columns)
        }
        self.arch = next(iter(self._devices.values())).arch

    def allocate(self, spec: TensorSpec) -> list[Tensor]:
        tensors = [
            device.empty(spec.shape, spec.dtype, spec.layout, spec.memory_config, spec.tile)
            for device in self._devices.values()
        ]
        if len({tensor.address for tensor in tensors}) > 1:
            raise ProgramError(
                "a tensor got another address on another chip of the mesh",
                remedy="allocate on a mesh through the mesh only",
            )
        return tensors

    def local(self, handle: Sequence[Tensor]) -> Tensor:
        return handle[0]

    def write(self, handle: Sequence[Tensor], pages: Sequence[Bytes]) -> None:
        for tensor, part in zip(handle, pages, strict=True):
            tensor.buffer.write(part)

    def read(self, handle: Sequence[Tensor]) -> list[Bytes]:
        return [tensor.buffer.read() for tensor in handle]

    def run(self, programs: Mapping[tuple[int, int], Program]) -> None:
        for chip, program in programs.items():
            self._devices[chip].run(program)

    def close(self) -> None:
        for device in self._devices.values():
            device.close()
