"""What a model would take on a chip, by the clock: its kernels are run for their time alone."""

from __future__ import annotations

from typing import Any

import tilesmith
from tilesmith import settings
from tilesmith.models.backends.autotune import timing_key
from tilesmith.models.backends.tenstorrent import TenstorrentExecutable
from tilesmith.models.planning.steps import Launch
from tilesmith.runtime import RunReport


def predicted(model: Any, inputs: tuple[Any, ...], target: str, **options: Any) -> dict[str, float]:
    """Microseconds of all kernels and their launches; operators on the host are counted, not timed.

    Launches of one template on tensors of the same sizes, formats and memory take the same time: one is run.
    """
    compiled: Any = tilesmith.compile(model, target=target, checks="off", **options)
    compiled.prepare(*inputs)
    executable = compiled.executable
    assert isinstance(executable, TenstorrentExecutable)
    cycles, launch_us = 0, 0.0
    launches = [step for step in executable.plan.steps if isinstance(step, Launch)]
    timed: dict[Any, RunReport] = {}
    with settings.using(checks="off", numbers="none"):
        for step in launches:
            key = (step.template, *timing_key(step, executable))
            if key not in timed:
                timed[key] = executable.device.run(executable.program(step))
            cycles += timed[key].cycles
            launch_us += timed[key].launch_us
    microseconds = cycles / (executable.arch.clock_ghz * 1e3) + launch_us
    host = len(compiled.report.host)
    counts = {"kernels": len(launches), "distinct_kernels": len(timed), "host_operators": host}
    return {"microseconds": microseconds, **counts}
