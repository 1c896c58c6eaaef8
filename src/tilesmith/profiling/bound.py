"""What holds a program back: the role that needs the most cycles by itself, and why it needs them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tilesmith.arch import Arch
from tilesmith.profiling.changes import (
    MANY_TRANSFERS,
    bandwidth_changes,
    banks_uneven,
    burst_changes,
    hand_over_changes,
    latency_changes,
    math_changes,
    pack_changes,
    risc_changes,
    start_up_changes,
    unpack_changes,
    vector_changes,
    with_general,
)
from tilesmith.profiling.model import BankTraffic, Bound, CircularBufferUse, RoleProfile, TensorTraffic
from tilesmith.program import Program

_TAKES_TURNS = 0.6  # below this part of the time even the busiest role mostly waits for others
_SLIVER = 0.05
_MATTERS = 0.25  # of the time: a wait that long for a partner is worth a change
_SATURATED = 0.6  # of its peak rate, a bank serves about as much as banks are measured to


@dataclass(frozen=True)
class Evidence:
    """What the judgement rests on."""

    arch: Arch
    program: Program
    cycles: int
    fidelity: str
    approximate: bool
    roles: Sequence[RoleProfile]
    tensors: Sequence[TensorTraffic]
    banks: Sequence[BankTraffic]
    buffers: Sequence[CircularBufferUse]

    @property
    def cores(self) -> int:
        """Those that have work: some role takes more than a sliver of the time."""
        return len({(role.x, role.y) for role in self.roles if role.own > _SLIVER * self.cycles})

    def transfers_per_barrier(self, role: RoleProfile) -> float:
        """Transfers of all roles of its kind for each barrier one of them stood at."""
        mine = [one for one in self.roles if one.kernel == role.kernel and one.role == role.role]
        barriers = sum(wait.count for one in mine for wait in one.waits if not wait.is_on_partner)
        return sum(one.transfers for one in mine) / max(1, barriers)


def find_bound(evidence: Evidence) -> Bound:
    """The bound of a run. A program without roles has none worth naming."""
    if not evidence.roles or not evidence.cycles:
        return Bound("nothing", "", 0, 0, 0.0, "no kernel took any time", ("nothing to change",))
    role = max(evidence.roles, key=lambda one: one.own)
    share = role.own / evidence.cycles
    if share < _TAKES_TURNS:
        return _hand_over(evidence, share)
    resource, sentence, changes = _JUDGES[role.role](role, evidence)
    changes = with_general(changes, role, evidence)
    return Bound(resource, role.role, role.x, role.y, share, sentence, changes)


Judgement = tuple[str, str, tuple[str, ...]]


# ---- the roles that move data ----


def _data_movement(role: RoleProfile, evidence: Evidence) -> Judgement:
    barriers = [wait for wait in role.waits if not wait.is_on_partner]
    waited = sum(wait.cycles for wait in barriers)
    if waited <= role.work.get("noc", 0) + role.work.get("control", 0):
        return _risc(role, evidence)
    target = _target([(wait.what, wait.cycles) for wait in barriers])
    part = f"{waited / evidence.cycles:.0%} of the time"
    each = evidence.transfers_per_barrier(role)
    if "DRAM" in target and each >= MANY_TRANSFERS:
        return _streaming(role, evidence, part, each)
    sentence = f"{role.role} waits on {target}, {part}: latency, {each:.1f} transfers for each barrier"
    resource = "dram-latency" if "DRAM" in target else "noc-latency"
    return resource, sentence, latency_changes(role, evidence)


def _streaming(role: RoleProfile, evidence: Evidence, part: str, each: float) -> Judgement:
    """Many transfers in flight: the last one to arrive says little, how the banks are used says more."""
    busiest = max(evidence.banks, key=lambda bank: bank.utilisation)
    target = f"DRAM bank {busiest.bank}" if banks_uneven(evidence) else "DRAM"
    used = f"its busiest bank gives {busiest.utilisation:.0%} of its peak"
    if busiest.utilisation >= _SATURATED:
        sentence = f"{role.role} waits on {target}, {part}: DRAM bandwidth, {used}"
        return "dram-bandwidth", sentence, bandwidth_changes(evidence)
    sentence = f"{role.role} waits on {target}, {part}: bursts, {each:.0f} transfers for each barrier, {used}"
    return "dram-bursts", sentence, burst_changes(evidence)


def _target(waits: Sequence[tuple[str, int]]) -> str:
    """The bank or core that most of the waiting is for, or what they have in common."""
    total = sum(cycles for _, cycles in waits)
    what, most = max(waits, key=lambda pair: pair[1])
    if 2 * most > total:
        return what
    banks = sum(cycles for name, cycles in waits if name.startswith("DRAM"))
    return f"DRAM, {len(waits)} banks" if 2 * banks > total else "the L1 of other cores"


def _risc(role: RoleProfile, evidence: Evidence) -> Judgement:
    issue, control = role.work.get("noc", 0), role.work.get("control", 0)
    doing = "issuing NoC transfers" if issue >= control else "running its own code and CB calls"
    part = max(issue, control) / evidence.cycles
    return "risc", f"{role.role} is bound by {doing}, {part:.0%} of the time", risc_changes(issue >= control)


# ---- the three compute roles ----


def _math(role: RoleProfile, evidence: Evidence) -> Judgement:
    matmul, vector, other = (role.work.get(kind, 0) for kind in ("matmul", "sfpu", "fpu"))
    part = f"{role.busy / evidence.cycles:.0%} of the time"
    if vector > max(matmul, other):
        mode = "approximate" if evidence.approximate else "exact"
        return "vector", f"math bound, vector unit ({mode} functions), {part}", vector_changes(evidence)
    unit = "tile products" if matmul >= other else "element-wise operations"
    return (
        "math",
        f"math bound, {evidence.fidelity} ({unit}), {part}",
        math_changes(evidence, matmul >= other),
    )


def _unpack(role: RoleProfile, evidence: Evidence) -> Judgement:
    part = f"{role.busy / evidence.cycles:.0%} of the time"
    return "unpack", f"unpack bound, {part}", unpack_changes(evidence)


def _pack(role: RoleProfile, evidence: Evidence) -> Judgement:
    part = f"{role.busy / evidence.cycles:.0%} of the time"
    return "pack", f"pack bound, {part}", pack_changes(evidence)


_JUDGES: dict[str, Callable[[RoleProfile, Evidence], Judgement]] = {
    "reader": _data_movement,
    "writer": _data_movement,
    "unpack": _unpack,
    "math": _math,
    "pack": _pack,
}


# ---- nobody is busy ----


def _hand_over(evidence: Evidence, share: float) -> Bound:
    """Roles or cores take turns. The longest waits for a partner say where."""
    waits = [
        (wait.cycles, role, wait)
        for role in evidence.roles
        for wait in role.waits
        if wait.cause in ("CB_SPACE", "SEMAPHORE", "DST_FREE")
    ]
    longest = max(waits, key=lambda one: one[0], default=None)
    if longest is None or longest[0] < _MATTERS * evidence.cycles:
        return _start_up(evidence, share)
    cycles, role, wait = longest
    part = f"{cycles / evidence.cycles:.0%} of the time"
    sentence = f"roles take turns: {role.role} of core ({role.x}, {role.y}) waits for {wait.what}, {part}"
    resource = "semaphore" if wait.cause == "SEMAPHORE" else "hand-over"
    return Bound(resource, role.role, role.x, role.y, share, sentence, hand_over_changes(wait, evidence))


def _start_up(evidence: Evidence, share: float) -> Bound:
    """Nobody is kept waiting for long, and nobody is busy for long: the pipeline fills and drains once."""
    role = max(evidence.roles, key=lambda one: one.own)
    sentence = f"too little work for each core: its roles follow one another, {role.role} takes longest"
    return Bound("start-up", role.role, role.x, role.y, share, sentence, start_up_changes())
