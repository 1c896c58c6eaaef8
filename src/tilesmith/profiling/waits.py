"""Who waited for what: a run's wait events grouped by role and by what was waited for."""

from __future__ import annotations

from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from tilesmith.arch import Arch
from tilesmith.profiling.model import RoleProfile, WaitShare
from tilesmith.program.executor import RunReport
from tilesmith.program.trace import Cause, Trace, Work, dram_bank, worker

_SEMAPHORE_STRIDE = 16
_FIXED = {
    Cause.SRC_FREE: "a free source register (math)",
    Cause.SRC_DATA: "a filled source register (unpack)",
    Cause.DST_FREE: "free DST (pack)",
    Cause.DST_DATA: "finished DST (math)",
}
_NUMBERED_ALIKE = tuple(_FIXED)  # banks of a register are one thing to wait for
_ROLE_NAMES = ("writer", "reader", "unpack", "math", "pack")


def describe(cause: Cause, thing: int, arch: Arch, semaphore_base: int) -> str:
    """What a role waited for, in words.

    >>> from tilesmith.arch import load_arch
    >>> n150 = load_arch("n150")
    >>> describe(Cause.CB_PAGES, 3, n150, 0), describe(Cause.READ_BARRIER, 3, n150, 0)
    ('pages of CB 3', 'DRAM bank 3')
    """
    if cause in _FIXED:
        return _FIXED[cause]
    if cause in (Cause.CB_PAGES, Cause.CB_SPACE):
        return f"{'pages' if cause is Cause.CB_PAGES else 'space'} of CB {thing}"
    if cause is Cause.SEMAPHORE:
        number, rest = divmod(thing - semaphore_base, _SEMAPHORE_STRIDE)
        known = rest == 0 and 0 <= number < arch.num_semaphores
        return f"semaphore {number}" if known else f"the word at L1 0x{thing:x}"
    if cause is Cause.MAILBOX:
        return f"a word from {_ROLE_NAMES[thing]}"
    if cause is Cause.ATOMIC_BARRIER:
        return f"atomics on NoC {thing}"
    if cause is Cause.FABRIC_SLOT:
        return f"a slot of the router on channel {thing}"
    return _remote(thing, arch)


def _remote(thing: int, arch: Arch) -> str:
    bank, core = dram_bank(thing), worker(thing)
    if bank is not None:
        return f"DRAM bank {bank}"
    if core is not None:
        return f"the L1 of core ({core % arch.grid.x}, {core // arch.grid.x})"
    return "the receivers of a multicast"


def event_keys(events: NDArray[np.void]) -> NDArray[np.uint64]:
    """A number for what each event is about: its kind and its object."""
    alike = np.isin(events["kind"], _NUMBERED_ALIKE)
    things = np.where(alike, 0, events["object"]).astype(np.uint64)
    keys: NDArray[np.uint64] = events["kind"].astype(np.uint64) << np.uint64(32) | things
    return keys


def place(trace: Trace, file: int, line: int) -> str:
    return f"{PurePath(trace.files[file]).name}:{line}" if line else ""


def role_profiles(report: RunReport, arch: Arch, semaphore_base: int) -> tuple[RoleProfile, ...]:
    """Every role of every core, with its waits, the longest first."""
    trace = report.trace
    assert trace is not None
    waits = trace.waits
    order = np.argsort(waits["fiber"], kind="stable")
    waits = waits[order]
    edges = np.searchsorted(waits["fiber"], np.arange(len(report.roles) + 1))
    names = [work.name.lower() for work in Work]
    moved = trace.transfers
    transfers = np.bincount(moved["fiber"], minlength=len(report.roles))
    amounts = np.bincount(moved["fiber"], moved["bytes"].astype(float), len(report.roles))
    return tuple(
        RoleProfile(
            x=role.core.x,
            y=role.core.y,
            role=role.role,
            kernel=role.kernel,
            cycles=role.cycles,
            waited=role.waited,
            work={name: cycles for name, cycles in zip(names, role.work, strict=True) if cycles},
            waits=_shares(waits[edges[i] : edges[i + 1]], trace, arch, semaphore_base),
            transfers=int(transfers[i]),
            bytes_moved=int(amounts[i]),
        )
        for i, role in enumerate(report.roles)
    )


def _shares(waits: NDArray[np.void], trace: Trace, arch: Arch, semaphore_base: int) -> tuple[WaitShare, ...]:
    if not len(waits):
        return ()
    found, which = np.unique(event_keys(waits), return_inverse=True)
    taken = (waits["end"] - waits["begin"]).astype(float)
    cycles = np.bincount(which, taken, len(found))
    counts = np.bincount(which, minlength=len(found))
    first = _longest_places(waits, which, taken, len(found))
    shares = [
        WaitShare(
            cause=Cause(int(waits["kind"][at])).name,
            what=describe(Cause(int(waits["kind"][at])), int(waits["object"][at]), arch, semaphore_base),
            cycles=int(cycles[i]),
            count=int(counts[i]),
            place=place(trace, int(waits["file"][at]), int(waits["line"][at])),
        )
        for i, at in enumerate(first)
    ]
    return tuple(sorted(shares, key=lambda share: -share.cycles))


def _longest_places(
    waits: NDArray[np.void], which: NDArray[np.intp], taken: NDArray[np.float64], groups: int
) -> list[int]:
    """For each group an event of the source line where it waited longest."""
    lines = waits["file"].astype(np.int64) << 32 | waits["line"]
    _, at, line = np.unique(lines, return_index=True, return_inverse=True)
    total = np.bincount(which * len(at) + line, taken, groups * len(at)).reshape(groups, len(at))
    longest = total.argmax(axis=1)
    return [int(np.flatnonzero((which == group) & (line == longest[group]))[0]) for group in range(groups)]
