"""What went over each link of the two NoCs: every transfer on its route, a multicast on the tree it makes.

Both NoCs are rings along x and y. NoC 0 goes towards higher coordinates, along x first; NoC 1 the other way,
along y first. The bytes of a read travel from the memory to the core, those of a write away from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tilesmith.arch import Arch
from tilesmith.arch.cores import CoreCoord
from tilesmith.profiling.model import NocLinks, RoleProfile
from tilesmith.program.trace import FIRST_TRANSFER, Moved, Trace, corners, dram_bank, worker

Node = tuple[int, int]
_GROUPED = ("fiber", "kind", "noc", "object")


def noc_links(trace: Trace, roles: Sequence[RoleProfile], arch: Arch) -> tuple[NocLinks, ...]:
    """The bytes of every link, by the router it leaves, row by row; a NoC that nobody used has none."""
    width, height = arch.noc_grid
    links = np.zeros((2, 2, height, width))
    for fiber, moved, noc, remote, address, size in _grouped(trace.transfers):
        core = arch.worker_physical_xy(CoreCoord(roles[fiber].x, roles[fiber].y))
        for axis, x, y in _route(arch, core, moved, noc, remote, address):
            links[noc, axis, y, x] += size
    return tuple(
        NocLinks(noc, _flat(links[noc, 0]), _flat(links[noc, 1])) for noc in (0, 1) if links[noc].any()
    )


def _flat(values: NDArray[np.float64]) -> tuple[int, ...]:
    return tuple(map(int, values.reshape(-1)))


def _grouped(moved: NDArray[np.void]) -> Iterator[tuple[int, int, int, int, int, int]]:
    """Transfers with the same ends, together: fiber, kind, NoC, remote, address of a multicast, bytes."""
    many = moved["kind"] == FIRST_TRANSFER + Moved.MULTICAST
    area = np.where(many, moved["address"] >> np.uint64(36), np.uint64(0)).astype(np.int64)
    keys = np.stack([*(moved[name].astype(np.int64) for name in _GROUPED), area], axis=1)
    found, which = np.unique(keys, axis=0, return_inverse=True)
    sizes = np.bincount(which.reshape(-1), moved["bytes"].astype(float), len(found))
    for (fiber, event, noc, remote, corner), size in zip(found.tolist(), sizes.tolist(), strict=True):
        yield fiber, event - FIRST_TRANSFER, noc, remote, corner << 36, int(size)


def _route(
    arch: Arch, core: Node, moved: int, noc: int, remote: int, address: int
) -> Iterator[tuple[int, int, int]]:
    """The links of a transfer: 0 along x or 1 along y, and the router it leaves."""
    if moved == Moved.MULTICAST:
        yield from _tree(arch, core, noc, address)
        return
    bank, index = dram_bank(remote), worker(remote)
    if bank is not None:
        there = arch.dram_physical_xy(bank, noc)
    elif index is not None:
        there = arch.worker_physical_xy(CoreCoord(index % arch.grid.x, index // arch.grid.x))
    else:
        return
    yield from _path(arch, noc, there, core) if moved == Moved.READ else _path(arch, noc, core, there)


def _path(arch: Arch, noc: int, start: Node, end: Node) -> Iterator[tuple[int, int, int]]:
    turn = (end[0], start[1]) if noc == 0 else (start[0], end[1])
    for axis in (0, 1) if noc == 0 else (1, 0):
        begin, last = (start, turn) if (axis == 0) == (noc == 0) else (turn, end)
        for at in _along(begin[axis], last[axis], arch.noc_grid[axis], noc):
            yield (0, at, begin[1]) if axis == 0 else (1, begin[0], at)


def _along(start: int, end: int, ring: int, noc: int) -> Iterator[int]:
    """The routers left between two places of a ring.

    >>> list(_along(8, 1, 10, 0)), list(_along(1, 8, 10, 1)), list(_along(3, 3, 10, 0))
    ([8, 9, 0], [1, 0, 9], [])
    """
    step = 1 if noc == 0 else -1
    while start != end:
        yield start
        start = (start + step) % ring


def _tree(arch: Arch, core: Node, noc: int, address: int) -> Iterator[tuple[int, int, int]]:
    """Along the first axis to the far side of the rectangle, and from there along the other in every line."""
    nodes = _nodes_in(arch, corners(address))
    if not nodes:
        return
    first = 0 if noc == 0 else 1
    lines = sorted(
        {node[first] for node in nodes}, key=lambda at: _far(core[first], at, arch.noc_grid[first], noc)
    )
    crossing = [node[1 - first] for node in nodes]
    second = arch.noc_grid[1 - first]
    last = max(crossing, key=lambda at: _far(core[1 - first], at, second, noc))
    for at in _along(core[first], lines[-1], arch.noc_grid[first], noc):
        yield (first, at, core[1]) if first == 0 else (first, core[0], at)
    for line in lines:
        for at in _along(core[1 - first], last, second, noc):
            yield (1, line, at) if first == 0 else (0, at, line)


def _far(start: int, end: int, ring: int, noc: int) -> int:
    """How many links away a place is."""
    return (end - start) % ring if noc == 0 else (start - end) % ring


def _nodes_in(arch: Arch, area: tuple[int, int, int, int]) -> list[Node]:
    """Where the workers of a rectangle of the kernels' coordinates stand."""
    (x0, x1), (y0, y1) = sorted((area[0], area[2])), sorted((area[1], area[3]))
    cores = (CoreCoord(x, y) for y in range(arch.grid.y) for x in range(arch.grid.x))
    inside = [core for core in cores if _within(arch.worker_noc_xy(core), x0, x1, y0, y1)]
    return [arch.worker_physical_xy(core) for core in inside]


def _within(node: Node, x0: int, x1: int, y0: int, y1: int) -> bool:
    return x0 <= node[0] <= x1 and y0 <= node[1] <= y1
