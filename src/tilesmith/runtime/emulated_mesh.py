"""The chips of a mesh on the emulator: each with memory of its own, all under one clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace

from tilesmith.arch import Arch, Board, find_board
from tilesmith.program import Program
from tilesmith.program.executor import RunReport
from tilesmith.runtime.buffer import Bytes
from tilesmith.runtime.device import Device, open_device
from tilesmith.runtime.finding_errors import error_of
from tilesmith.runtime.tensor import Tensor
from tilesmith.runtime.tensor_spec import TensorSpec


class EmulatedChips:
    """Devices on which a tensor has one address; each may hold other tensors, too."""

    def __init__(self, board: Board, devices: Sequence[Device]) -> None:
        self.board = board
        chips = [divmod(number, board.shape[1]) for number in range(board.num_chips)]
        self.devices: dict[tuple[int, int], Device] = dict(zip(chips, devices, strict=True))
        self.arch = board.arch
        self.reports: dict[tuple[int, int], RunReport] = {}

    @classmethod
    def opened(cls, shape: tuple[int, int], arch: str | Arch) -> EmulatedChips:
        board = find_board(arch, shape)
        return cls(board, [open_device(board.arch) for _ in range(board.num_chips)])

    def in_row(self, first: int, count: int) -> EmulatedChips:
        """Neighbours in the only row of a mesh, as a mesh of their own."""
        return self.part((1, count), (0, first))

    def part(self, shape: tuple[int, int], first: tuple[int, int]) -> EmulatedChips:
        """Some rows and columns as a mesh of their own: the same chips, the same links."""
        rows, columns = (range(at, at + size) for at, size in zip(first, shape, strict=True))
        devices = [self.devices[row, column] for row in rows for column in columns]
        closed_rows = self.board.ring_rows and shape[1] == self.board.shape[1]
        closed_columns = self.board.ring_columns and shape[0] == self.board.shape[0]
        board = replace(self.board, shape=shape, ring_rows=closed_rows, ring_columns=closed_columns)
        return EmulatedChips(board, devices)

    def allocate(self, spec: TensorSpec) -> list[Tensor]:
        first, *others = self.devices.values()
        found = first._allocate_in_step(spec, others)
        address = found.address if spec.bytes_per_bank(self.arch) else None
        return [Tensor(found), *(Tensor(device._allocate_in_step(spec, at=address)) for device in others)]

    def local(self, handle: Sequence[Tensor]) -> Tensor:
        return handle[0]

    def write(self, handle: Sequence[Tensor], pages: Sequence[Bytes]) -> None:
        for tensor, part in zip(handle, pages, strict=True):
            tensor.buffer.write(part)

    def read(self, handle: Sequence[Tensor]) -> list[Bytes]:
        return [tensor.buffer.read() for tensor in handle]

    def read_one(self, handle: Sequence[Tensor], chip: int) -> Bytes:
        return handle[chip].buffer.read()

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
