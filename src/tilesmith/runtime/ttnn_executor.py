"""The chip that ttnn drives: a card, the vendor's simulator, or the mock cluster, which runs nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any, Literal, NoReturn
from weakref import WeakSet

from tilesmith.arch import Arch, add_arch
from tilesmith.errors import DeviceError, OutOfDeviceMemoryError, ProgramError
from tilesmith.program import CoreCoord, Kernel, Program, ReaderConfig, SourceType
from tilesmith.program.budget import L1Claim
from tilesmith.program.executor import RunOptions, RunReport
from tilesmith.program.l1 import Placement
from tilesmith.runtime.allocator import Allocation
from tilesmith.runtime.buffer import Buffer
from tilesmith.runtime.device import Device
from tilesmith.runtime.tensor_spec import TensorSpec
from tilesmith.runtime.ttnn_arch import arch_of
from tilesmith.runtime.ttnn_buffer import TtnnBuffer
from tilesmith.runtime.ttnn_library import load_ttnn, vendor_message
from tilesmith.runtime.ttnn_translate import Translator

FIRST_DEVICE = 0
_IDLE = Program(
    [Kernel("void kernel_main() {}", CoreCoord(0, 0), ReaderConfig(), SourceType.SOURCE_CODE, name="idle")]
)


class _SharedMesh:
    """The chip as ttnn opened it, which it does only once: our devices share it, the last one closes it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._mesh: Any = None
        self._users = 0

    def take(self, ttnn: Any) -> Any:
        with self._lock:
            if self._mesh is None:
                self._mesh = _opened(ttnn)
            self._users += 1
            return self._mesh

    def give_back(self, ttnn: Any) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                mesh, self._mesh = self._mesh, None
                ttnn.close_device(mesh)


_shared = _SharedMesh()


class TtnnExecutor:
    """Runs programs with `ttnn.generic_op`. A chip checks nothing, so the options change nothing."""

    def __init__(self, arch: Arch, ttnn: Any, mesh: Any, close: Callable[[], None]) -> None:
        self.arch = arch
        self.ttnn = ttnn
        self.mesh = mesh
        self.chips = chips_of(mesh)
        self._close = close
        self.buffers: WeakSet[TtnnBuffer] = WeakSet()
        self._translator = Translator(ttnn, arch.num_circular_buffers, self._l1_tensor_at)

    def run(self, program: Program, placement: Placement, options: RunOptions) -> RunReport:  # noqa: ARG002
        self._launch(self._translator.program(program), [program])
        return RunReport()

    def run_on(self, programs: Mapping[tuple[int, int], Program]) -> None:
        """A program for each of these chips of the mesh; it is translated once for those that share it."""
        # generic_op crashes when a chip of the mesh is left out, or has a program without kernels.
        given = {chip: programs.get(chip, _IDLE) for chip in self.chips}
        translated = {id(program): self._translator.program(program) for program in given.values()}
        if len(translated) == 1:
            ranges = {self._range(self.chips[0], self.chips[-1]): next(iter(translated.values()))}
        else:
            ranges = {self._range(chip, chip): translated[id(one)] for chip, one in given.items()}
        self._launch(self.ttnn.MeshProgramDescriptor(ranges), list(programs.values()))

    def _range(self, first: tuple[int, int], last: tuple[int, int]) -> Any:
        coordinates = [self.ttnn.MeshCoordinate(list(chip)) for chip in (first, last)]
        return self.ttnn.MeshCoordinateRange(*coordinates)

    def _launch(self, descriptor: Any, programs: Sequence[Program]) -> None:
        try:
            self.ttnn.generic_op(self._tensors_of(programs), descriptor)
            self.ttnn.synchronize_device(self.mesh)
        except RuntimeError as problem:
            names = ", ".join(dict.fromkeys(kernel.label for one in programs for kernel in one.kernels))
            raise ProgramError(
                f"ttnn refused the program: {vendor_message(problem)}", where=names
            ) from problem

    def dram(self, bank: int) -> NoReturn:  # noqa: ARG002
        self._no_view()

    def l1(self, core: CoreCoord) -> NoReturn:  # noqa: ARG002
        self._no_view()

    def note_host_write(
        self, memory: Literal["dram", "l1"], index: int | CoreCoord, address: int, size: int
    ) -> None:
        """Nothing to note: a chip does not track what was written."""

    def begin(self, options: RunOptions) -> None:
        """Nothing to start: ttnn compiles programs only."""

    def build(self, programs: Sequence[Program], options: RunOptions) -> None:
        """Nothing to do ahead: ttnn compiles a program when it first runs, its kernels side by side."""

    def close(self) -> None:
        for buffer in list(self.buffers):
            buffer.deallocate()
        self._close()

    def _tensors_of(self, programs: Sequence[Program]) -> list[Any]:
        """What the programs read and write: the tensors whose addresses their kernels are given.

        generic_op wants at least two, the last of them an output; it looks at none of them itself.
        """
        given = {address for program in programs for address in _addresses(program)}
        named = [one.tensor for one in self.buffers if one.is_allocated and one.address in given]
        named = named or [one.tensor for one in self.buffers if one.is_allocated]
        if not named:
            raise ProgramError(
                "no tensor is on the device",
                remedy="a program on ttnn needs a tensor to write its results to",
            )
        return [named[0], *named] if len(named) == 1 else named

    def _l1_tensor_at(self, address: int) -> Any:
        there = (one.tensor for one in self.buffers if one.is_allocated and not one.in_dram)
        return next((tensor for tensor in there if tensor.buffer_address() == address), None)

    def _no_view(self) -> NoReturn:
        raise DeviceError(
            "the memory of a chip behind ttnn cannot be looked into",
            remedy="read tensors with to_numpy() or to_torch()",
        )


class TtnnDevice(Device):
    """A Device whose tensors are ttnn's. Programs are checked as for the emulator before they are sent."""

    executor: TtnnExecutor
    can_place = False

    def check(self, program: Program) -> None:
        """What is checked before a program runs, without running it."""
        self._check_open()
        self._placement(program)

    def _allocate(self, spec: TensorSpec) -> Buffer:
        self._check_open()
        self._check_cores(spec)
        try:
            buffer = TtnnBuffer(self, spec)
        except RuntimeError as problem:
            name = f"tensor {list(spec.shape)} {spec.dtype.name}"
            what = f"ttnn could not allocate a {name}: {vendor_message(problem)}"
            raise OutOfDeviceMemoryError(what) from problem
        self.executor.buffers.add(buffer)
        return buffer

    def tensors(self) -> list[tuple[TensorSpec, Allocation]]:
        return [
            (
                buffer.spec,
                Allocation(buffer.address, buffer.size_per_bank, f"tensor {list(buffer.spec.shape)}", ""),
            )
            for buffer in self.buffers()
            if buffer.num_pages
        ]

    def _l1_claims(self) -> list[L1Claim]:
        return [
            L1Claim(f"tensor {list(buffer.spec.shape)}", buffer.address, buffer.size_per_bank, "")
            for buffer in self.executor.buffers
            if buffer.is_allocated and not buffer.in_dram and buffer.num_pages
        ]


def open_ttnn_device() -> TtnnDevice:
    """The first chip that ttnn finds. Which one that is, its environment variables decide."""
    ttnn = load_ttnn()
    mesh = _shared.take(ttnn)
    arch = arch_of(ttnn, mesh)
    # The compiler asks for chips by name.
    add_arch(arch)
    return TtnnDevice(arch, TtnnExecutor(arch, ttnn, mesh, close=lambda: _shared.give_back(ttnn)))


def chips_of(mesh: Any) -> list[tuple[int, int]]:
    """(row, column) of every chip, row by row."""
    rows, columns = mesh.shape
    return [(row, column) for row in range(rows) for column in range(columns)]


def _opened(ttnn: Any) -> Any:
    try:
        return ttnn.open_device(device_id=FIRST_DEVICE)
    except RuntimeError as problem:
        raise DeviceError(
            f"ttnn could not open a device: {vendor_message(problem)}",
            remedy="`tilesmith doctor` says what is missing; without a card, set TT_METAL_SIMULATOR to the"
            " vendor's simulator, or use the emulator: open_device('wormhole')",
        ) from problem


def _addresses(program: Program) -> list[int]:
    words = [word for kernel in program.kernels for word in kernel.common_runtime_args]
    words += [word for kernel in program.kernels for args in kernel.runtime_args.values() for word in args]
    return words + [cb.buffer.address for cb in program.cbs if cb.buffer is not None]
