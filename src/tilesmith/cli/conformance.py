"""`tilesmith conformance`: one workload on several targets, with a verdict for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tilesmith.cli.output import once_each
from tilesmith.conformance import Target, Verdict, compare_targets
from tilesmith.errors import BadCallError
from tilesmith.recording import Recording, Workload, load_recording, record, save_recording, workload_from
from tilesmith.recording.files import SUFFIX

DEFAULT_TARGETS = ("wormhole:chip", "wormhole:fast")


def work_from(text: str, sizes: str) -> Workload | Recording:
    """What the user names: a recording, a host function, or a kernel."""
    return load_recording(Path(text)) if text.endswith(SUFFIX) else workload_from(text, sizes_from(sizes))


def compared(text: str, sizes: str, on: Sequence[str] | None, to: Path | None) -> list[Verdict]:
    """The verdicts on two targets or more; none where the work was only to be recorded."""
    work, targets = work_from(text, sizes), on or DEFAULT_TARGETS
    if to is not None:
        save(work, targets[0], to)
        if on is None or len(targets) < 2:
            return []
    return verdicts(work, targets)


def as_data(verdict: Verdict) -> dict[str, Any]:
    return {**asdict(verdict), "same_bits": verdict.same_bits, "ok": verdict.ok}


def sizes_from(text: str) -> dict[str, int]:
    """
    >>> sizes_from("M=64,N=128")
    {'M': 64, 'N': 128}
    """
    pairs = [part.partition("=") for part in text.split(",") if part]
    wrong = [name for name, _, value in pairs if not value.isdigit()]
    if wrong:
        raise BadCallError(f"{text!r} gives no size for {wrong[0]}", remedy="write --sizes M=64,N=128")
    return once_each("--sizes", [(name, int(value)) for name, _, value in pairs])


def verdicts(work: Workload | Recording, targets: Sequence[str]) -> list[Verdict]:
    if len(targets) < 2:
        raise BadCallError(
            "there is nothing to compare with", remedy="name two targets or more: --on wormhole --on ttnn"
        )
    return compare_targets(work, [Target.parse(one) for one in targets])


def save(work: Workload | Recording, chip: str, path: Path) -> Recording:
    """Record a workload, and write it for another computer or another Python."""
    if path.suffix != SUFFIX:
        raise BadCallError(f"{path} does not end in {SUFFIX}", remedy=f"call it {path.name}{SUFFIX}")
    recording = work if isinstance(work, Recording) else record(work, Target.parse(chip).chip)
    if not recording.launches:
        raise BadCallError(
            f"{recording.title} launched no program on {recording.product}",
            remedy="record something that runs on a device",
        )
    save_recording(recording, path)
    return recording
