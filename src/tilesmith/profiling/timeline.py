"""Every role's intervals in order: waits by what they wait for, work by kind, and RISC time in between."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilesmith.arch import Arch
from tilesmith.profiling.model import Lane, RoleProfile, Timeline
from tilesmith.profiling.traffic import dram_over_time
from tilesmith.profiling.waits import describe, event_keys
from tilesmith.program.trace import FIRST_TRANSFER, FIRST_WORK, Cause, Trace, Work

MOST_INTERVALS = 200_000  # of all lanes together; a page with more is slow to open
_DRAM_STEPS = 400
CONTROL = "control"
_WAITING = "wait: "


def timeline(
    trace: Trace,
    roles: Sequence[RoleProfile],
    arch: Arch,
    semaphore_base: int,
    most_intervals: int = MOST_INTERVALS,
) -> Timeline:
    """Exact where there are few intervals; where there are many, a step shows what took most of it."""
    events = trace.events[trace.events["kind"] < FIRST_TRANSFER]
    events = events[np.lexsort((events["begin"], events["fiber"]))]
    keys, which = _state_keys(events)
    states = (CONTROL, *(_state_name(key, arch, semaphore_base) for key in keys))
    edges = np.searchsorted(events["fiber"], np.arange(len(roles) + 1))
    end = max((role.cycles for role in roles), default=0)
    resolution = _resolution(len(events), len(roles) * end, most_intervals)
    lanes = []
    for i, role in enumerate(roles):
        mine = slice(edges[i], edges[i + 1])
        parts = _with_gaps(events[mine], which[mine] + 1, role.cycles)
        parts = parts if resolution == 1 else _resampled(parts, resolution)
        begin, finish, state = (tuple(map(int, part)) for part in parts)
        lanes.append(Lane(role.x, role.y, role.role, begin, finish, state))
    step = max(1, -(-end // _DRAM_STEPS))
    dram = dram_over_time(trace, arch, step, _DRAM_STEPS) if end else ()
    return Timeline(states, tuple(lanes), resolution, dram, step)


def _state_keys(events: NDArray[np.void]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    found, which = np.unique(event_keys(events), return_inverse=True)
    return found, which.reshape(-1)


def _state_name(key: np.uint64, arch: Arch, semaphore_base: int) -> str:
    code, thing = int(key) >> 32, int(key) & 0xFFFFFFFF
    if code >= FIRST_WORK:
        return Work(code - FIRST_WORK).name.lower()
    return _WAITING + describe(Cause(code), thing, arch, semaphore_base)


def is_wait(state: str) -> bool:
    """Whether a state of a timeline is a wait.

    >>> is_wait("wait: DRAM bank 3"), is_wait("matmul")
    (True, False)
    """
    return state.startswith(_WAITING)


def _resolution(events: int, cycles: int, most: int) -> int:
    """1 for few events; else the cycles of a step, so that all lanes together have `most` steps."""
    return 1 if 2 * events <= most else max(2, -(-cycles // most))


Parts = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def _with_gaps(events: NDArray[np.void], state: NDArray[np.int64], end: int) -> Parts:
    """Intervals that do not overlap, and control where nothing was recorded."""
    finish = np.maximum.accumulate(events["end"].astype(np.int64)) if len(events) else np.zeros(0, np.int64)
    begin = np.maximum(events["begin"].astype(np.int64), np.concatenate([[0], finish[:-1]])[: len(events)])
    kept = finish > begin
    begin, finish, state = begin[kept], finish[kept], state[kept]
    gap_begin = np.concatenate([[0], finish])
    gap_end = np.concatenate([begin, [max(end, int(finish[-1]) if len(finish) else 0)]])
    gaps = gap_end > gap_begin
    all_begin = np.concatenate([begin, gap_begin[gaps]])
    all_end = np.concatenate([finish, gap_end[gaps]])
    all_state = np.concatenate([state, np.zeros(int(gaps.sum()), np.int64)])
    order = np.argsort(all_begin, kind="stable")
    return all_begin[order], all_end[order], all_state[order]


def _resampled(parts: Parts, step: int) -> Parts:
    """One state for every step: the one with the most cycles in it. Equal neighbours become one."""
    begin, end, state = parts
    if not len(begin):
        return parts
    steps = int(-(-end[-1] // step))
    best = np.zeros(steps, np.int64)
    most = np.full(steps, -1.0)
    for entry in np.unique(state):
        mine = state == entry
        cycles = _cycles_in_steps(begin[mine], end[mine], step, steps)
        better = cycles > most
        best[better], most[better] = entry, cycles[better]
    change = np.flatnonzero(np.diff(best)) + 1
    starts = np.concatenate([[0], change])
    stops = np.concatenate([change, [steps]])
    return starts * step, np.minimum(stops * step, end[-1]), best[starts]


def _cycles_in_steps(
    begin: NDArray[np.int64], end: NDArray[np.int64], step: int, steps: int
) -> NDArray[np.float64]:
    """How many cycles of these intervals lie in each step: the growth of their sum up to each edge."""
    edges = np.arange(steps + 1) * step
    total = np.concatenate([[0], np.cumsum(end - begin)])
    index = np.searchsorted(begin, edges, side="right")
    inside = np.where(
        index > 0, np.minimum(edges, end[np.maximum(index - 1, 0)]) - end[np.maximum(index - 1, 0)], 0
    )
    upto = total[index] + inside
    return np.diff(upto).astype(np.float64)
