"""Which results lie in L1, and at which addresses: those that never live together may overlap.

Circular buffers grow from the bottom of L1 while a kernel runs, so what lives then must lie above them. A
kernel with small circular buffers leaves more to tensors than one with large ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tilesmith.arch import Arch
from tilesmith.formats import TileShape
from tilesmith.models.backends.launch_program import stored_format
from tilesmith.models.backends.memory import MemoryPlan, Slot, plan_memory, touched
from tilesmith.models.planning.steps import HostCall, Launch, Plan, Step
from tilesmith.models.planning.views import Storage
from tilesmith.runtime import L1_MEMORY_CONFIG
from tilesmith.runtime.tensor_spec import TensorSpec


@dataclass(frozen=True)
class Lifetime:
    """The steps from the first that touches a storage to the last."""

    first: int
    last: int

    @property
    def steps(self) -> range:
        return range(self.first, self.last + 1)

    def meets(self, other: Lifetime) -> bool:
        return self.first <= other.last and other.first <= self.last


@dataclass(frozen=True)
class _Placed:
    lifetime: Lifetime
    start: int
    stop: int


def place_in_l1(
    plan: Plan, top: int, bottom: Callable[[Launch], int], size: Callable[[Storage], int]
) -> MemoryPlan:
    """Results that fit into L1 below `top` get addresses there; the rest has slots in DRAM.

    `bottom` is the first address above the circular buffers of a launch, `size` what a storage takes of each
    bank. What lives shortest is placed first. The programs of a collective take what they like of L1: results
    that live meanwhile are in DRAM.
    """
    steps = (*plan.steps, *plan.commits)
    lives = lifetimes(steps)
    floors = [_floor(steps[at : at + 2], top, bottom) for at in range(len(steps))]
    placed: list[_Placed] = []
    slots: dict[Storage, Slot] = {}
    for storage in sorted(_results(plan, steps), key=lambda one: (len(lives[one].steps), lives[one].first)):
        lifetime, needed = lives[storage], size(storage)
        floor = max(floors[at] for at in lifetime.steps)
        address = _highest(top, needed, [one for one in placed if one.lifetime.meets(lifetime)])
        if address >= floor:
            placed.append(_Placed(lifetime, address, address + needed))
            slots[storage] = Slot(len(slots), in_l1=True, address=address)
    return MemoryPlan({**plan_memory(plan, 0, len(slots), skipped=slots).slots, **slots})


def _floor(steps: Sequence[Step], top: int, bottom: Callable[[Launch], int]) -> int:
    """Of the first of two steps. A collective reads on the chips what is downloaded for it."""
    if isinstance(steps[0], Launch):
        return bottom(steps[0])
    return top if any(isinstance(step, HostCall) and step.on_chips for step in steps) else 0


def _highest(top: int, needed: int, taken: Sequence[_Placed]) -> int:
    """The highest address below `top` with so much room beside what is taken; below zero if none has."""
    for stop in (top, *sorted((one.start for one in taken), reverse=True)):
        start = stop - needed
        if not any(one.start < stop and start < one.stop for one in taken):
            return start
    return -1


def _results(plan: Plan, steps: Sequence[Step]) -> Iterator[Storage]:
    fixed = {upload.view.storage for upload in plan.constants}
    fixed |= {view.storage for view in plan.residents.values()}
    outputs = dict.fromkeys(out for step in steps if isinstance(step, Launch) for out in step.outputs)
    return (storage for storage in outputs if storage not in fixed)


def lifetimes(steps: Sequence[Step]) -> dict[Storage, Lifetime]:
    found: dict[Storage, Lifetime] = {}
    for number, step in enumerate(steps):
        for storage in touched(step):
            first = found[storage].first if storage in found else number
            found[storage] = Lifetime(first, number)
    return found


def live_slots(plan: Plan, slots: Mapping[Storage, Slot]) -> dict[int, tuple[Slot, ...]]:
    """The slots with addresses that must be held during each launch, by the id of the launch."""
    steps = (*plan.steps, *plan.commits)
    lives = lifetimes(steps)
    held: list[list[Slot]] = [[] for _ in steps]
    for storage, slot in slots.items():
        for at in lives[storage].steps if slot.address and storage in lives else ():
            held[at].append(slot)
    return {id(step): tuple(held[at]) for at, step in enumerate(steps) if isinstance(step, Launch)}


def bank_bytes(storage: Storage, arch: Arch) -> int:
    """What a storage takes of each core's L1."""
    shape = (storage.rows, storage.cols)
    spec = TensorSpec(shape, stored_format(storage), storage.layout, L1_MEMORY_CONFIG, TileShape())
    return -(-spec.bytes_per_bank(arch) // arch.dram_alignment) * arch.dram_alignment
