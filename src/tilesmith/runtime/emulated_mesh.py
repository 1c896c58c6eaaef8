"""The chips of a mesh on the emulator: each with memory of its own, all under one clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace

from tilesmith.arch import Arch, Board, find_board
from tilesmith.errors import ProgramError
from tilesmith.program import Program
from tilesmith.program.executor import RunReport
from tilesmith.runtime.buffer import Bytes
from tilesmith.runtime.device import Device, open_device
from tilesmith.runtime.finding_errors import error_of
from tilesmith.runtime.tensor import Tensor
from tilesmith.runtime.tensor_spec import TensorSpec


class EmulatedChips:
    """Devices that allocate in step, so that a tensor has one address on all of them."""

    def __init__(self, shape: tuple[int, int], arch: str | Arch) -> None:
        self.board: Board = find_board(arch, shape)
        rows, columns = shape
        self.devices: dict[tuple[int, int], Device] = {
            (row, column): open_device(self.board.arch) for row in range(rows) for column in range(columns)
        }
        self.arch = self.board.arch
        self.reports: dict[tuple[int, int], RunReport] = {}

    def allocate(self, spec: TensorSpec) -> list[Tensor]:
        tensors = [
            device.empty(spec.shape, spec.dtype, spec.layout, spec.memory_config, spec.tile)
            for device in self.devices.values()
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
        """Run the programs together. A chip that has none still takes what others send it."""
        from tilesmith.emulator.executor import EmulatorExecutor
        from tilesmith.emulator.mesh import ChipRun, run_together

        with ExitStack() as held:
            chips = []
            for chip, device in self.devices.items():
                held.enter_context(device._lock)
                program = programs.get(chip, _IDLE)
                assert isinstance(device.executor, EmulatorExecutor)
                chips.append(ChipRun(device.executor, program, *device.ready(program)))
            reports = run_together(self.board, chips)
            self.reports = dict(zip(self.devices, reports, strict=True))
            for device, chip_run, report in zip(self.devices.values(), chips, reports, strict=True):
                device.ran(chip_run.program, chip_run.placement, chip_run.options, report)
        found = tuple(finding for report in reports for finding in report.findings)
        for chip_run, report in zip(chips, reports, strict=True):
            if report.findings:
                raise error_of(replace(report, findings=found), chip_run.program)

    def close(self) -> None:
        for device in self.devices.values():
            device.close()


_IDLE = Program()
