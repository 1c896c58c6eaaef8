"""Running a workload, or a recording, on a target and keeping what its tensors hold afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tilesmith.compiler.launch import lent_device
from tilesmith.conformance.compare import Stored, Verdict, compare_stored
from tilesmith.conformance.target import Target
from tilesmith.recording import Recording, Workload, replay
from tilesmith.recording.recorder import Recorder
from tilesmith.runtime.observers import observing


@dataclass(frozen=True)
class Outcome:
    """What the tensors that programs changed hold in the end, by their numbers."""

    target: Target
    launches: int
    tensors: dict[int, Stored]


def outcome_on(target: Target, work: Workload | Recording) -> Outcome:
    """Run on one target. A workload makes its programs for the chip; a recording has them."""
    with target.opened() as device:
        if isinstance(work, Recording):
            pages = replay(work, device)
            stored = {number: Stored(work.tensors[number], one) for number, one in pages.items()}
            return Outcome(target, len(work.launches), stored)
        recorder = Recorder(device)
        with observing(recorder), lent_device(device):
            work.run(device)
        changed = {number: one for launch in recorder.launches for number, one in launch.results.items()}
        specs = recorder.specs
        return Outcome(
            target,
            len(recorder.launches),
            {number: Stored(specs[number], pages) for number, pages in sorted(changed.items())},
        )


def compare_targets(work: Workload | Recording, targets: Sequence[Target]) -> list[Verdict]:
    """The outcome on every other target against that on the first.

    >>> nothing = Workload("nothing", lambda device: None)
    >>> [one.same_bits for one in compare_targets(nothing, [Target("wormhole"), Target("blackhole")])]
    [True]
    """
    first, *others = (outcome_on(target, work) for target in targets)
    return [
        Verdict(
            work.title, str(first.target), str(target.target), compare_stored(first.tensors, target.tensors)
        )
        for target in others
    ]
