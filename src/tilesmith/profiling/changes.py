"""What to change for each bound, the most promising first. Each sentence names what the program has now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilesmith.formats import DataFormat
from tilesmith.profiling.model import RoleProfile, WaitShare

if TYPE_CHECKING:
    from tilesmith.profiling.bound import Evidence

_FIDELITIES = ("LoFi", "HiFi2", "HiFi3", "HiFi4")
MANY_TRANSFERS = 8  # transfers in flight that hide most of DRAM's latency
_READ_AGAIN = 1.5
_UNEVEN = 1.5


def latency_changes(role: RoleProfile, evidence: Evidence) -> tuple[str, ...]:
    """A role that waits at barriers for the latency of few transfers."""
    verb = "reads" if role.role == "reader" else "writes"
    several = f"issue several {verb} before each barrier ({evidence.transfers_per_barrier(role):.1f} now)"
    room = "take as many pages of the circular buffer at once, and give it room for twice as many"
    return (f"{several}: {room}", *_read_once(evidence))


def bandwidth_changes(evidence: Evidence) -> tuple[str, ...]:
    """DRAM gives what it can: spread the bytes over its banks, or move fewer."""
    changes: list[str] = []
    if banks_uneven(evidence):
        bank = max(evidence.banks, key=lambda one: one.read + one.written)
        changes.append(
            f"spread the pages over all banks: bank {bank.bank} moves {_part(evidence)} of all bytes"
        )
    changes += _read_once(evidence)
    wide = [tensor for tensor in evidence.tensors if tensor.dtype in ("Float16_b", "Float32")]
    if wide:
        changes.append(f"store {wide[0].name} in a narrower format (Bfp8_b halves the bytes of Float16_b)")
    return tuple(changes) or ("keep results in L1 for the program that reads them next",)


def burst_changes(evidence: Evidence) -> tuple[str, ...]:
    """Many transfers are in flight, but all at once, and the banks rest in between."""
    return (
        *_read_once(evidence),
        "read ahead: room for one more block lets a reader go on while the last one is used",
        "let each core start at another page, so that they do not ask one bank at the same time",
    )


def _read_once(evidence: Evidence) -> list[str]:
    again = [one for one in evidence.tensors if one.times_read > _READ_AGAIN and one.in_dram]
    if not again:
        return []
    most = max(again, key=lambda one: one.read)
    fewer = f"read {most.name} fewer times ({most.times_read:.1f} times now)"
    return [f"{fewer}: multicast it to the cores that share it, or keep its block in L1"]


def banks_uneven(evidence: Evidence) -> bool:
    moved = [bank.read + bank.written for bank in evidence.banks]
    return max(moved) > _UNEVEN * sum(moved) / len(moved)


def _part(evidence: Evidence) -> str:
    moved = [bank.read + bank.written for bank in evidence.banks]
    return f"{max(moved) / max(1, sum(moved)):.0%}"


def risc_changes(issuing: bool) -> tuple[str, ...]:
    """A data-movement role whose own instructions take the time."""
    if issuing:
        larger = "make transfers larger, or set the state once and use the *_with_state calls:"
        return (f"{larger} each call costs the RISC some twenty cycles",)
    return ("reserve and push several pages at a time: each CB call costs the RISC some cycles",)


def math_changes(evidence: Evidence, matmul: bool) -> tuple[str, ...]:
    """The matrix unit is busy: fewer phases, or more cores."""
    formats = _operand_formats(evidence)
    phases = _FIDELITIES.index(evidence.fidelity) + 1 if evidence.fidelity in _FIDELITIES else 1
    needed = max((_phases_for(one) for one in formats), default=phases)
    changes = []
    if needed < phases:
        names = " and ".join(sorted({one.name for one in formats}))
        enough = f"use {_FIDELITIES[needed - 1]} instead of {evidence.fidelity}"
        changes.append(f"{enough}: {names} operands have no more bits")
    elif phases > 1 and matmul:
        faster = _FIDELITIES[max(0, phases // 2 - 1)]
        changes.append(
            f"use {faster} instead of {evidence.fidelity} if the accuracy allows it:"
            f" {max(1, phases // 2)} instead of {phases} phases for each product"
        )
    return tuple(changes) or ("do fewer tile operations: fuse them, or skip blocks that are zero",)


def _operand_formats(evidence: Evidence) -> list[DataFormat]:
    """Formats of the circular buffers that unpack waits for."""
    waited = {
        int(wait.what.rsplit(" ", 1)[1])
        for role in evidence.roles
        if role.role == "unpack"
        for wait in role.waits
        if wait.cause == "CB_PAGES"
    }
    return [DataFormat[one.format] for one in evidence.buffers if waited & set(one.indices)]


def _phases_for(format: DataFormat) -> int:
    """Phases that cover every bit of an operand: the multiplier takes 5 bits of one and 7 of the other."""
    if format in (DataFormat.Bfp4_b, DataFormat.Bfp2_b, DataFormat.Bfp4, DataFormat.Bfp2):
        return 1
    return 2 if format in (DataFormat.Bfp8_b, DataFormat.Bfp8) else 4


def vector_changes(evidence: Evidence) -> tuple[str, ...]:
    """The vector unit is busy."""
    fewer = "replace functions by cheaper ones, or apply them to fewer tiles"
    if evidence.approximate:
        return (fewer,)
    return ("set math_approx_mode=True in the ComputeConfig if the accuracy allows it", fewer)


def unpack_changes(evidence: Evidence) -> tuple[str, ...]:
    """Operands come too slowly into the source registers."""
    changes = ["multiply larger blocks with matmul_block: each tile is unpacked once for a row of products"]
    if any(one.format == "Float32" for one in evidence.buffers):
        changes.insert(0, "unpack narrower operands: a Float32 tile takes twice as long as a Float16_b one")
    return (*changes, "store the operands in Bfp8_b: half the bytes to unpack")


def pack_changes(evidence: Evidence) -> tuple[str, ...]:
    """Results leave DST too slowly."""
    changes = [
        "pack less often: keep partial sums in DST over the whole inner loop, and pack each tile once",
        "pack a narrower format (Float16_b or Bfp8_b), and convert where it is needed",
    ]
    packed = {
        int(wait.what.rsplit(" ", 1)[1])
        for role in evidence.roles
        if role.role == "pack"
        for wait in role.waits
        if wait.cause == "CB_SPACE"
    }
    wide = [
        buffer
        for buffer in evidence.buffers
        if buffer.format == "Float32" and (not packed or packed & set(buffer.indices))
    ]
    return tuple(reversed(changes)) if wide else tuple(changes)


def start_up_changes() -> tuple[str, ...]:
    """A program that is over before its pipeline is full."""
    return ("give each core more blocks, or join this program with the one before or after it",)


def hand_over_changes(wait: WaitShare, evidence: Evidence) -> tuple[str, ...]:
    """Roles or cores take turns instead of working at the same time."""
    if wait.cause == "SEMAPHORE":
        return (
            "send the next block before the last one is used: two buffers and two semaphores let both go on",
        )
    if wait.cause == "DST_FREE":
        return (
            "set dst_full_sync_en=False, so that math fills one half of DST while pack empties the other",
        )
    index = int(wait.what.rsplit(" ", 1)[1])
    size = next((one.size // one.page_size for one in evidence.buffers if index in one.indices), 0)
    room = f"give CB {index} twice the room ({size} pages now)"
    return (f"{room}: its producer can fill one half while its consumer empties the other",)


def with_general(changes: tuple[str, ...], role: RoleProfile, evidence: Evidence) -> tuple[str, ...]:
    """What helps whatever the bound is: cores that have nothing to do, work that is unevenly split."""
    more: list[str] = []
    alike = [one.own for one in evidence.roles if (one.role, one.kernel) == (role.role, role.kernel)]
    mean = sum(alike) / len(alike)
    if len(alike) > 1 and role.own > _UNEVEN * mean:
        times = f"core ({role.x}, {role.y}) needs {role.own / mean:.1f} times the mean of its kernel"
        more.append(f"split the work evenly: {times}; where it sends to others, let more cores send")
    if evidence.cores * 2 <= evidence.arch.num_cores:
        more.append(f"use more cores: {evidence.cores} of {evidence.arch.num_cores} have work")
    return (*changes, *more)
