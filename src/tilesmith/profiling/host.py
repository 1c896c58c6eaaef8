"""What the host did while nothing ran on a device: wall time and resident memory, measured."""

from __future__ import annotations

import resource
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from tilesmith.units import readable

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


@dataclass(frozen=True)
class HostFigures:
    """Of this process on this computer, not of a chip: wall time, and memory that was resident."""

    microseconds: float
    resident_before: int
    peak_resident: int
    label: str = "host, measured"

    def __str__(self) -> str:
        grown = readable(self.peak_resident - self.resident_before)
        return (
            f"{self.label}: {self.microseconds:,.1f} us; {readable(self.peak_resident)} resident at the peak,"
            f" {grown} more than before"
        )


class HostMeter:
    """Measures from when it is made until it is stopped."""

    def __init__(self) -> None:
        with suppress(OSError):
            _RESET.write_text("5")  # Linux: the peak begins anew
        self._before = _resident("VmRSS")
        self._figures: HostFigures | None = None
        self._begin = perf_counter()

    def figures(self) -> HostFigures:
        """So far, or at the stop."""
        if self._figures is not None:
            return self._figures
        elapsed = (perf_counter() - self._begin) * 1e6
        return HostFigures(elapsed, self._before, max(self._before, _resident("VmHWM")))

    def stop(self) -> None:
        self._figures = self.figures()


def _resident(field: str) -> int:
    """Bytes of a line of /proc/self/status; where there is none, the most this process ever had."""
    with suppress(OSError):
        for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) * 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
