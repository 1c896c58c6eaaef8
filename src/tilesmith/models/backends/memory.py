"""Where the tensors of a plan lie: which share memory, as they never live together, and which fit into L1."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from tilesmith.models.planning.steps import Download, Launch, Plan, Step, Upload
from tilesmith.models.planning.views import Storage


@dataclass(frozen=True)
class Slot:
    """Room for storages of one size, one after the other.

    With an address it is held there while its storages live, and what lives before or after may overlap it.
    """

    number: int
    in_l1: bool
    address: int = 0


@dataclass(frozen=True)
class MemoryPlan:
    """The slot of every storage that a call fills; weights have memory of their own."""

    slots: Mapping[Storage, Slot] = field(default_factory=dict)

    def bytes(self, in_l1: bool) -> int:
        """How much the slots take, in L1 or in DRAM, were each held all the time."""
        sizes = {slot: storage.bytes for storage, slot in self.slots.items() if slot.in_l1 == in_l1}
        return sum(sizes.values())


def plan_memory(plan: Plan, l1_bytes: int, first: int = 0, skipped: Collection[Storage] = ()) -> MemoryPlan:
    """Give storages slots in the order they are filled; a slot is free again after the last use.

    Results of kernels go to L1 while they fit into `l1_bytes`, all together. Slots are numbered from `first`;
    storages that are `skipped` get none.
    """
    fixed = {upload.view.storage for upload in plan.constants} | set(skipped)
    fixed |= {view.storage for view in plan.residents.values()}
    steps = (*plan.steps, *plan.commits)
    last = {storage: number for number, step in enumerate(steps) for storage in touched(step)}
    results = {out for step in steps if isinstance(step, Launch) for out in step.outputs}
    free: dict[tuple[object, ...], list[Slot]] = defaultdict(list)
    slots: dict[Storage, Slot] = {}
    used = 0
    for number, step in enumerate(steps):
        for storage in touched(step):
            if storage in fixed or storage in slots or storage.tiles is not None:
                continue
            is_result = storage in results
            room = free[_shape(storage, is_result)]
            if room:
                slots[storage] = room.pop()
                continue
            in_l1 = is_result and used + storage.bytes <= l1_bytes
            used += storage.bytes if in_l1 else 0
            slots[storage] = Slot(first + len(slots), in_l1)
        for storage in set(touched(step)):
            if last[storage] == number and storage in slots:
                free[_shape(storage, storage in results)].append(slots[storage])
    return MemoryPlan(slots)


def _shape(storage: Storage, is_result: bool) -> tuple[object, ...]:
    return storage.rows, storage.cols, storage.layout, storage.dtype, is_result


def touched(step: Step) -> Iterator[Storage]:
    """The storages a step reads or writes."""
    if isinstance(step, Launch):
        yield from step.storages.values()
    elif isinstance(step, Upload | Download):
        yield step.view.storage
