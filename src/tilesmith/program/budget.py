"""Does it all fit into L1? If not: what takes which bytes, from where, and the smallest change that fits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tilesmith.arch.cores import CoreCoord
from tilesmith.errors import L1BudgetError
from tilesmith.program.circular_buffer import CircularBuffer
from tilesmith.program.l1 import Placement, layout_l1
from tilesmith.program.program import Program

if TYPE_CHECKING:
    from tilesmith.arch import Arch


@dataclass(frozen=True)
class L1Claim:
    """L1 a tensor holds, on every core alike."""

    name: str
    address: int
    size: int
    declared_at: str = ""


def check_l1_budget(
    program: Program, arch: Arch, placement: Placement, claims: Sequence[L1Claim] = ()
) -> None:
    """Circular buffers grow up, tensors grow down: they must not meet."""
    ceiling = min((claim.address for claim in claims), default=arch.l1_size)
    if placement.top <= ceiling:
        return
    core = max(placement.end, key=lambda one: placement.end[one])
    free = max(ceiling - arch.l1_unreserved_base, 0)
    over = placement.top - ceiling
    here = [(cb, placement.addresses[i]) for i, cb in enumerate(program.cbs) if i in placement.cbs_on[core]]
    wanted = placement.top - arch.l1_unreserved_base
    largest = max((cb for cb, _ in here if cb.is_allocated), key=lambda cb: cb.total_size)
    raise L1BudgetError(
        f"circular buffers take {wanted} bytes of L1 on core {core}, but {free} are free: {over} too many",
        where=largest.declared_at,
        remedy=_smallest_change(program, arch, ceiling, over, core),
        table=_table(arch, here, claims, free, over),
    )


def _table(
    arch: Arch, cbs: Iterable[tuple[CircularBuffer, int]], claims: Iterable[L1Claim], free: int, over: int
) -> str:
    rows = [("what", "pages", "bytes", "address", "declared at")]
    rows.append(("L1 of a core", "", str(arch.l1_size), "", ""))
    rows.append(("firmware and kernels", "", str(arch.l1_unreserved_base), "0x0", ""))
    for cb, address in cbs:
        pages = " = ".join(
            f"{cb.total_size // descriptor.page_size} x {descriptor.page_size}"
            for descriptor in cb.format_descriptors
        )
        taken = str(cb.total_size) if cb.is_allocated else "0 (shard)"
        formats = "/".join(one.data_format.name for one in cb.format_descriptors)
        name = f"cb {', '.join(map(str, cb.indices))} {formats}"
        rows.append((name, pages, taken, hex(address), cb.declared_at))
    for claim in sorted(claims, key=lambda one: one.address):
        rows.append((f"tensor {claim.name}", "", str(claim.size), hex(claim.address), claim.declared_at))
    rows.append(("free for circular buffers", "", str(free), "", ""))
    rows.append(("too many", "", str(over), "", ""))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    return "\n".join("  ".join(_cells(row, widths)).rstrip() for row in rows)


def _cells(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [
        cell.rjust(width) if i == 2 else cell.ljust(width)
        for i, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]


def _smallest_change(program: Program, arch: Arch, ceiling: int, over: int, core: CoreCoord) -> str:
    """The one circular buffer that needs to lose the fewest bytes; proved by laying the program out again."""
    best: tuple[int, str] | None = None
    for index, cb in enumerate(program.cbs):
        if not cb.is_allocated or not cb.core_ranges.contains(core):
            continue
        step = max(one.page_size for one in cb.format_descriptors)
        pages = cb.total_size // step
        # Alignment gaps can ask for one page more than the arithmetic does.
        for drop in range(-(-over // step), min(-(-over // step) + 2, pages)):
            if _fits(program, index, cb.total_size - drop * step, arch, ceiling):
                text = f"give circular buffer {cb.indices[0]} {pages - drop} pages instead of {pages}"
                best = min(best, (drop * step, text)) if best is not None else (drop * step, text)
                break
    if best is not None:
        return best[1]
    return (
        "no single circular buffer can shrink enough: use smaller blocks or formats, or move tensors to DRAM"
    )


def _fits(program: Program, index: int, size: int, arch: Arch, ceiling: int) -> bool:
    cbs = list(program.cbs)
    old = cbs[index]
    cbs[index] = CircularBuffer(size, old.core_ranges, old.format_descriptors, None, 0, old.declared_at)
    return layout_l1(replace_cbs(program, cbs), arch).top <= ceiling


def replace_cbs(program: Program, cbs: Sequence[CircularBuffer]) -> Program:
    return replace(program, cbs=tuple(cbs))
