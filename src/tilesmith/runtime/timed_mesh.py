"""What a sequence of programs takes on the emulator's mesh."""

from __future__ import annotations

from collections.abc import Mapping

from tilesmith.program import Program
from tilesmith.runtime.mesh import Chip, Mesh


class TimedMesh(Mesh):
    """A mesh that adds up its runs: the cycles of the slowest chip of each, and the launches.

    >>> from tilesmith.runtime import open_mesh
    >>> with open_mesh((1, 2), "n300") as mesh:
    ...     timed = TimedMesh(mesh.shape, mesh.chips)
    ...     timed.run(Program())
    ...     timed.cycles, timed.launch_us > 0
    (0, True)
    """

    cycles = 0
    launch_us = 0.0

    def run(self, program: Program | Mapping[Chip, Program]) -> None:
        super().run(program)
        reports = self.reports.values()
        self.cycles += max((report.cycles for report in reports), default=0)
        self.launch_us += max((report.launch_us for report in reports), default=0.0)

    @property
    def microseconds(self) -> float:
        """On the chips, without the launches."""
        return self.arch.microseconds(self.cycles)
