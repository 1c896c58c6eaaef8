"""The chips of a mesh that ttnn drives: its mesh device allocates in step, with a program for each chip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tilesmith.arch import add_arch
from tilesmith.errors import DeviceError
from tilesmith.program import Program
from tilesmith.runtime.buffer import Bytes
from tilesmith.runtime.tensor import Tensor
from tilesmith.runtime.tensor_spec import TensorSpec
from tilesmith.runtime.ttnn_arch import arch_of
from tilesmith.runtime.ttnn_buffer import TtnnBuffer
from tilesmith.runtime.ttnn_executor import TtnnDevice, TtnnExecutor
from tilesmith.runtime.ttnn_library import load_ttnn, vendor_message


class TtnnChips:
    """A mesh device of ttnn. While it is open, `open_device("ttnn")` cannot open one of its chips."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self._ttnn = load_ttnn()
        try:
            mesh = self._ttnn.open_mesh_device(mesh_shape=self._ttnn.MeshShape(*shape))
        except RuntimeError as problem:
            raise DeviceError(
                f"ttnn could not open a mesh of {shape[0]} x {shape[1]} chips: {vendor_message(problem)}",
                remedy="`tilesmith doctor` says what is there; the emulator: open_mesh((1, 2), 'wormhole')",
            ) from problem
        self.arch = arch_of(self._ttnn, mesh)
        add_arch(self.arch)
        self._executor = TtnnExecutor(
            self.arch, self._ttnn, mesh, close=lambda: self._ttnn.close_mesh_device(mesh)
        )
        self._device = TtnnDevice(self.arch, self._executor)

    def allocate(self, spec: TensorSpec) -> TtnnBuffer:
        buffer = self._device._allocate(spec)
        assert isinstance(buffer, TtnnBuffer)
        return buffer

    def local(self, handle: TtnnBuffer) -> Tensor:
        return Tensor(handle)

    def write(self, handle: TtnnBuffer, pages: Sequence[Bytes]) -> None:
        handle.write_parts(pages)

    def read(self, handle: TtnnBuffer) -> list[Bytes]:
        return handle.read_parts()

    def read_one(self, handle: TtnnBuffer, chip: int) -> Bytes:
        return handle.read_parts()[chip]

    def run(self, programs: Mapping[tuple[int, int], Program]) -> None:
        for program in {id(one): one for one in programs.values()}.values():
            self._device.check(program)
        self._executor.run_on(programs)

    def close(self) -> None:
        self._device.close()
