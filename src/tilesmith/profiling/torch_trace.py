"""Our programs as device events in the Chrome trace of torch.profiler, so that its viewers show both."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilesmith.errors import ProfileError
from tilesmith.profiling.report import Chip, Profile

if TYPE_CHECKING:
    import torch.profiler

_PROCESS = 2**30  # no process of the system has this number


def export_chrome_trace(torch_profile: torch.profiler.profile, profile: Profile, path: str | Path) -> Path:
    """Write the trace of a torch profiler with the programs of a recording that ran beside it.

        with torch.profiler.profile() as seen, recording() as recorder:
            model(x)
        export_chrome_trace(seen, recorder.profile, "trace.json")

    Events of the host are measured. Those of the chip are predicted: each begins when the host launched it,
    or when the one before it ends, and lasts as long as the chip would take.
    """
    path = Path(path)
    torch_profile.export_chrome_trace(str(path))
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text("utf-8")
    merged = json.dumps(with_programs(json.loads(text), profile))
    path.write_bytes(gzip.compress(merged.encode()) if path.suffix == ".gz" else merged.encode())
    return path


def with_programs(trace: dict[str, Any], profile: Profile) -> dict[str, Any]:
    """A trace of torch with our programs among its events."""
    if "traceEvents" not in trace:
        raise ProfileError(
            "this is no Chrome trace: it has no traceEvents", remedy="give what torch.profiler wrote"
        )
    if profile.chip is None:
        return trace
    base = int(trace.get("baseTimeNanoseconds", 0))
    return {**trace, "traceEvents": [*trace["traceEvents"], *_events(profile, profile.chip, base)]}


def _events(profile: Profile, chip: Chip, base_ns: int) -> list[dict[str, Any]]:
    name = f"{chip.product}, predicted by tilesmith"
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", "pid": _PROCESS, "tid": 0, "args": {"name": name}},
        {"ph": "M", "name": "thread_name", "pid": _PROCESS, "tid": 1, "args": {"name": "programs"}},
    ]
    free = 0.0
    for program in profile.programs:
        begin = max(free, (program.launched_ns - base_ns) / 1e3) + program.launch_us
        free = begin + program.microseconds
        told = {"cores": program.cores, "bound": program.bound.sentence, "cycles": program.cycles}
        event = {"ph": "X", "cat": "kernel", "name": program.name, "pid": _PROCESS, "tid": 1}
        events.append({**event, "ts": begin, "dur": program.microseconds, "args": told})
    return events
