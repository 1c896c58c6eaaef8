"""Trace events for Perfetto and Chrome: a process per core, a thread per role, counters of DRAM."""

from __future__ import annotations

import json
from typing import Any

from tilesmith.profiling.model import ROLES, ProgramProfile
from tilesmith.profiling.report import Chip, Profile
from tilesmith.profiling.timeline import CONTROL, is_wait

Event = dict[str, Any]

_CHIP_PROCESS = 1
_FIRST_CORE_PROCESS = 2
_ZONES = 10  # added to a role's thread


def chrome_trace(profile: Profile) -> str:
    """JSON as chrome://tracing defines it: complete events in microseconds, names as metadata.

    >>> from tilesmith.profiling import recording
    >>> with recording() as recorder:
    ...     pass
    >>> json.loads(chrome_trace(recorder.profile))["traceEvents"]
    []
    """
    events: list[Event] = []
    if profile.chip is not None:
        events += _names(profile, profile.chip)
        start = 0.0
        for program in profile.programs:
            events += _program(program, profile.chip, start + program.launch_us)
            start += program.launch_us + program.microseconds
    told = {"traceEvents": events, "displayTimeUnit": "ns", "otherData": {"title": profile.title}}
    return json.dumps(told, separators=(",", ":"))


def _process(chip: Chip, x: int, y: int) -> int:
    return _FIRST_CORE_PROCESS + y * chip.grid_x + x


def _thread(role: str) -> int:
    return 1 + ROLES.index(role)


def _names(profile: Profile, chip: Chip) -> list[Event]:
    cores = sorted({(role.y, role.x, role.role) for one in profile.programs for role in one.roles})
    events = [_meta("process_name", _CHIP_PROCESS, 0, f"{chip.product}: programs and DRAM")]
    events.append(_meta("thread_name", _CHIP_PROCESS, 1, "programs"))
    for y, x in sorted({(y, x) for y, x, _ in cores}):
        events.append(_meta("process_name", _process(chip, x, y), 0, f"Core ({x}, {y})"))
        events.append(
            {
                **_meta("process_sort_index", _process(chip, x, y), 0, ""),
                "args": {"sort_index": 10 + y * 100 + x},
            }
        )
    for y, x, role in cores:
        events.append(_meta("thread_name", _process(chip, x, y), _thread(role), role))
    for y, x, role in sorted({(zone.y, zone.x, zone.role) for one in profile.programs for zone in one.zones}):
        events.append(_meta("thread_name", _process(chip, x, y), _thread(role) + _ZONES, f"{role}, zones"))
    return events


def _meta(name: str, process: int, thread: int, text: str) -> Event:
    return {"name": name, "ph": "M", "pid": process, "tid": thread, "args": {"name": text}}


def _program(program: ProgramProfile, chip: Chip, start: float) -> list[Event]:
    per_us = chip.clock_ghz * 1e3
    events: list[Event] = [
        {
            "name": program.name,
            "cat": "program",
            "ph": "X",
            "ts": start,
            "dur": program.microseconds,
            "pid": _CHIP_PROCESS,
            "tid": 1,
            "args": {"bound": program.bound.sentence, "change": program.hint},
        }
    ]
    for lane in program.timeline.lanes:
        process, thread = _process(chip, lane.x, lane.y), _thread(lane.role)
        for begin, end, state in zip(lane.begin, lane.end, lane.state, strict=True):
            name = program.timeline.states[state]
            if name == CONTROL:
                continue
            events.append(
                {
                    "name": name,
                    "cat": "wait" if is_wait(name) else "work",
                    "ph": "X",
                    "ts": round(start + begin / per_us, 6),
                    "dur": round((end - begin) / per_us, 6),
                    "pid": process,
                    "tid": thread,
                    "args": {"program": program.name, "cycles": end - begin},
                }
            )
    return events + _zones(program, chip, start) + _dram_counters(program, per_us, start)


def _zones(program: ProgramProfile, chip: Chip, start: float) -> list[Event]:
    """Zones have threads of their own: a wait may reach over the end of one."""
    per_us = chip.clock_ghz * 1e3
    return [
        {
            "name": zone.name,
            "cat": "zone",
            "ph": "X",
            "ts": round(start + zone.begin / per_us, 6),
            "dur": round((zone.end - zone.begin) / per_us, 6),
            "pid": _process(chip, zone.x, zone.y),
            "tid": _thread(zone.role) + _ZONES,
            "args": {"program": program.name},
        }
        for zone in program.zones
    ]


def _dram_counters(program: ProgramProfile, per_us: float, start: float) -> list[Event]:
    """GB/s would hide that banks fill up one by one: each bank's part of its peak."""
    step = program.timeline.dram_step
    return [
        {
            "name": f"DRAM bank {bank} %",
            "ph": "C",
            "ts": round(start + index * step / per_us, 6),
            "pid": _CHIP_PROCESS,
            "tid": 0,
            "args": {"busy": round(100 * value, 1)},
        }
        for bank, row in enumerate(program.timeline.dram)
        for index, value in enumerate(row)
        if index == 0 or value != row[index - 1]
    ]
