"""What a model would take on a chip, by the clock: its kernels are run for their time alone."""

from __future__ import annotations

from typing import Any

import tilesmith
from tilesmith import settings
from tilesmith.models.backends.tenstorrent import TenstorrentExecutable
from tilesmith.models.planning.steps import HostCall, Launch


def predicted(model: Any, inputs: tuple[Any, ...], target: str, **options: Any) -> dict[str, float]:
    """Microseconds of all kernels and their launches; operators on the host are counted, not timed."""
    compiled: Any = tilesmith.compile(model, target=target, checks="off", **options)
    compiled.prepare(*inputs)
    executable = compiled.executable
    assert isinstance(executable, TenstorrentExecutable)
    cycles, launch_us = 0, 0.0
    launches = [step for step in executable.plan.steps if isinstance(step, Launch)]
    with settings.using(checks="off", numbers="none"):
        for step in launches:
            report = executable.device.run(executable.program(step))
            cycles += report.cycles
            launch_us += report.launch_us
    host = sum(isinstance(step, HostCall) for step in executable.plan.steps)
    microseconds = cycles / (executable.arch.clock_ghz * 1e3) + launch_us
    return {"microseconds": microseconds, "kernels": len(launches), "host_operators": host}
