"""Results in L1: what lives together has memory of its own, above the circular buffers of what runs."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
import torch
from torch import nn

import tilesmith
from tilesmith.models.backends.l1_placement import lifetimes, live_slots, place_in_l1
from tilesmith.models.backends.tenstorrent import TenstorrentExecutable
from tilesmith.models.planning.steps import HostCall, Launch
from tilesmith.runtime import Layout, open_device
from tilesmith.runtime.memory_config import L1_MEMORY_CONFIG


@pytest.fixture(scope="module")
def executable() -> TenstorrentExecutable:
    torch.manual_seed(0)
    layers = (nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 256), nn.LayerNorm(256), nn.Linear(256, 32))
    compiled = tilesmith.compile(nn.Sequential(*layers).eval(), backend="tenstorrent")
    compiled.prepare(torch.randn(64, 64))
    made = compiled.executable
    assert isinstance(made, TenstorrentExecutable)
    return made


def test_what_lives_together_does_not_overlap(executable: TenstorrentExecutable) -> None:
    plan, size = executable.plan, 1000
    memory = place_in_l1(plan, 10_000, lambda _: 6000, lambda _: size)
    lives = lifetimes((*plan.steps, *plan.commits))
    held = {storage: slot.address for storage, slot in memory.slots.items() if slot.in_l1}
    assert len(held) > 2
    assert all(6000 <= address <= 9000 for address in held.values())
    for one, other in combinations(held, 2):
        if lives[one].meets(lives[other]):
            assert abs(held[one] - held[other]) >= size
    assert len(set(held.values())) < len(held), "memory of what is dead is used again"


def test_large_circular_buffers_send_results_to_dram(executable: TenstorrentExecutable) -> None:
    plan = executable.plan
    last = next(step for step in reversed(plan.steps) if isinstance(step, Launch))
    memory = place_in_l1(plan, 10_000, lambda step: 10_000 if step is last else 0, lambda _: 1000)
    assert not any(memory.slots[out].in_l1 for out in last.outputs)
    first = next(step for step in plan.steps if isinstance(step, Launch))
    assert all(memory.slots[out].in_l1 for out in first.outputs)
    assert not any(slot.in_l1 for slot in place_in_l1(plan, 0, lambda _: 0, lambda _: 8).slots.values())


def test_what_lives_while_a_collective_runs_is_in_dram(executable: TenstorrentExecutable) -> None:
    """Its programs have circular buffers and semaphores of their own in L1, and know of no results there."""
    plan = executable.plan
    launches = [at for at, step in enumerate(plan.steps) if isinstance(step, Launch)]
    middle = launches[len(launches) // 2]
    for on_chips in (False, True):
        call = HostCall("all_reduce", "", on_chips)
        steps = (*plan.steps[:middle], call, *plan.steps[middle:])
        memory = place_in_l1(replace(plan, steps=steps), 10_000, lambda _: 0, lambda _: 1000)
        lives = lifetimes(steps)
        across = [slot for storage, slot in memory.slots.items() if middle in lives[storage].steps]
        assert any(slot.in_l1 for slot in across) != on_chips
        assert any(slot.in_l1 for slot in memory.slots.values())


def test_launches_hold_all_that_lives(executable: TenstorrentExecutable) -> None:
    live = live_slots(executable.plan, executable.memory.slots)
    for step in executable.plan.steps:
        if isinstance(step, Launch):
            slots = {executable.memory.slots.get(one) for one in step.storages.values()}
            assert {slot for slot in slots if slot is not None and slot.address} <= set(live[id(step)])


def test_results_move_when_others_take_their_memory() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64)).eval()
    compiled, x = tilesmith.compile(model, backend="tenstorrent"), torch.randn(32, 64)
    before = compiled(x)
    made = compiled.executable
    assert isinstance(made, TenstorrentExecutable)
    addresses = {slot.address for slot in made.memory.slots.values() if slot.in_l1}
    taken = made.device.empty((256, 256), memory_config=L1_MEMORY_CONFIG)
    assert torch.equal(compiled(x), before)
    moved = {slot.address for slot in made.memory.slots.values() if slot.in_l1}
    assert max(moved) < taken.address <= max(addresses)


def test_placed_tensors_are_there_while_they_are_held() -> None:
    with open_device("n150") as device:
        dram = device.empty((32, 32))
        spec = (dram.shape, dram.dtype, Layout.TILE, L1_MEMORY_CONFIG)
        one, other = (device.placed(*spec, address=0x100000) for _ in range(2))
        seen = [one.is_allocated]
        with device.holding([one]):
            seen += [one.is_allocated, other.is_allocated]
            assert [buffer.address for buffer in device.buffers() if not buffer.in_dram] == [0x100000]
        seen.append(one.is_allocated)
        assert seen == [False, True, False, False]
        del one, other
        assert device.l1_lowest == device.arch.l1_size
