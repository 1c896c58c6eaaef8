"""Timelines of long runs: drawn in steps, each with what took most of it."""

from __future__ import annotations

import numpy as np
import pytest

from tilesmith.arch import load_arch
from tilesmith.profiling.model import RoleProfile
from tilesmith.profiling.timeline import timeline
from tilesmith.program.trace import EVENT, FIRST_WORK, Cause, Trace, Work

CYCLES = 10_000


def trace_of(*events: tuple[int, int, int, int]) -> Trace:
    """Events of role 0: begin, end, kind, object."""
    made = np.zeros(len(events), EVENT)
    for name, column in zip(("begin", "end", "kind", "object"), zip(*events, strict=True), strict=True):
        made[name] = column
    return Trace(made, ("kernel.cpp",))


ROLE = RoleProfile(0, 0, "reader", "kernel", CYCLES, 0, {}, ())


def alternating() -> Trace:
    """Every hundred cycles: 60 of waiting for CB 3, 30 of issuing, and 10 of nothing recorded."""
    waits = [(at, at + 60, int(Cause.CB_SPACE), 3) for at in range(0, CYCLES, 100)]
    issues = [(at + 60, at + 90, FIRST_WORK + Work.NOC, 0) for at in range(0, CYCLES, 100)]
    return trace_of(*waits, *issues)


def test_few_intervals_are_exact() -> None:
    drawn = timeline(alternating(), [ROLE], load_arch("n150"), 0)
    [lane] = drawn.lanes
    assert drawn.resolution == 1
    assert len(lane.begin) == 300
    assert [drawn.states[state] for state in lane.state[:4]] == [
        "wait: space of CB 3", "noc", "control", "wait: space of CB 3",
    ]  # fmt: skip
    assert (lane.begin[:3], lane.end[:3]) == ((0, 60, 90), (60, 90, 100))


@pytest.mark.parametrize(("most", "step"), [(100, 100), (20, 500)])
def test_many_intervals_become_steps(most: int, step: int) -> None:
    drawn = timeline(alternating(), [ROLE], load_arch("n150"), 0, most)
    [lane] = drawn.lanes
    assert drawn.resolution == step
    assert [drawn.states[state] for state in lane.state] == ["wait: space of CB 3"]
    assert (lane.begin, lane.end) == ((0,), (CYCLES,))


def test_steps_keep_long_phases_apart() -> None:
    phases = trace_of((0, 4000, int(Cause.CB_PAGES), 1), (4000, 9990, FIRST_WORK + Work.MATMUL, 0))
    [lane] = timeline(phases, [ROLE], load_arch("n150"), 0, most_intervals=2).lanes
    assert lane.end[-1] == CYCLES
    drawn = timeline(phases, [ROLE], load_arch("n150"), 0, most_intervals=3)
    assert drawn.resolution == 3334
    assert [drawn.states[state] for state in drawn.lanes[0].state] == ["wait: pages of CB 1", "matmul"]


def test_a_role_that_did_nothing() -> None:
    idle = RoleProfile(0, 0, "pack", "kernel", 0, 0, {}, ())
    [lane] = timeline(Trace(np.zeros(0, EVENT), ()), [idle], load_arch("n150"), 0).lanes
    assert lane.begin == ()
