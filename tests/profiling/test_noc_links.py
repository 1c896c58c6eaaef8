"""Bytes on the links of the NoCs, against routes counted by hand; and who holds L1."""

from __future__ import annotations

import numpy as np
import pytest
from examples.metal.multicast import host as multicast
from examples.metal.sharded_add import host as sharded_add

import tilesmith
from tilesmith.arch import load_arch
from tilesmith.profiling import recording
from tilesmith.profiling.model import NocLinks, RoleProfile
from tilesmith.profiling.noc_links import noc_links
from tilesmith.program.trace import EVENT, FIRST_TRANSFER, Moved, Trace

N150 = load_arch("n150")
WIDTH, HEIGHT = N150.noc_grid
ROLE = RoleProfile(0, 0, "reader", "kernel", 100, 0, {}, ())  # core (0, 0) stands at (1, 1)


def links(moved: Moved, noc: int, remote: int, address: int = 0) -> dict[tuple[str, int, int], int]:
    """The links of one transfer of 64 bytes: axis and the router it leaves."""
    event = np.zeros(1, EVENT)
    event["kind"], event["noc"], event["object"] = FIRST_TRANSFER + moved, noc, remote
    event["bytes"], event["address"] = 64, address
    found = noc_links(Trace(event, ()), [ROLE], N150)
    return {place: size for one in found for place, size in _places(one).items()}


def _places(found: NocLinks) -> dict[tuple[str, int, int], int]:
    axes = (("x", found.along_x), ("y", found.along_y))
    return {
        (axis, at % WIDTH, at // WIDTH): size for axis, sizes in axes for at, size in enumerate(sizes) if size
    }


def test_a_write_to_a_core_two_to_the_right_and_one_down() -> None:
    core = 0x10000 + 1 * N150.grid.x + 2
    assert links(Moved.WRITE, 0, core) == {("x", 1, 1): 64, ("x", 2, 1): 64, ("y", 3, 1): 64}


def test_the_same_write_on_the_other_noc_goes_round_the_rings() -> None:
    found = links(Moved.WRITE, 1, 0x10000 + 1 * N150.grid.x + 2)
    assert sum(axis == "y" for axis, _, _ in found) == HEIGHT - 1
    assert sum(axis == "x" for axis, _, _ in found) == WIDTH - 2
    assert ("y", 1, 1) in found  # along y first, upwards
    assert all(x == 1 for axis, x, _ in found if axis == "y")


def test_a_read_comes_from_its_bank() -> None:
    x, y = N150.dram_physical_xy(0, 0)
    found = links(Moved.READ, 0, 0)
    assert len(found) == (1 - x) % WIDTH + (1 - y) % HEIGHT
    assert all(row == y for axis, _, row in found if axis == "x")
    assert all(column == 1 for axis, column, _ in found if axis == "y")


def test_a_multicast_is_a_tree() -> None:
    """To the four columns of a rectangle of 4 x 3 cores: along its row once, down every column."""
    (left, top), (right, bottom) = (
        N150.worker_noc_xy(tilesmith.CoreCoord(x, y)) for x, y in ((0, 0), (3, 2))
    )
    address = top << 54 | left << 48 | bottom << 42 | right << 36 | 0x20000
    found = links(Moved.MULTICAST, 0, 0x20000 + 11, address)
    along_x = {place for place in found if place[0] == "x"}
    assert along_x == {("x", 1, 1), ("x", 2, 1), ("x", 3, 1)}
    assert {place for place in found if place[0] == "y"} == {
        ("y", x, y) for x in (1, 2, 3, 4) for y in (1, 2)
    }


def test_what_a_run_multicasts_is_on_its_links() -> None:
    with recording() as recorder, tilesmith.open_device("n150") as device:
        multicast.run(device, (4, 3), 2)
    [program] = recorder.profile.programs
    noc = next(part for part in program.links if part.noc == 0)
    sent = sum(moved.multicast_bytes for moved in program.traffic)
    assert sent > 0
    # The row of the sender, cores (0, 0) to (3, 0), stands in row 1 from column 1 on.
    assert [noc.along_x[WIDTH + x] >= sent for x in (1, 2, 3)] == [True] * 3
    assert max(tensor.read for tensor in program.tensors) > 0  # corners are no part of an address


@pytest.mark.parametrize("core", [(0, 0), (0, 1)])
def test_l1_has_buffers_and_shards(core: tuple[int, int]) -> None:
    with recording() as recorder, tilesmith.open_device("n150") as device:
        sharded_add.run(device, 2, 64)
    [program] = recorder.profile.programs
    tensors = [block for block in program.l1 if block.name.startswith("tensor")]
    held = [
        block
        for block in tensors
        if any(x0 <= core[0] <= x1 and y0 <= core[1] <= y1 for x0, y0, x1, y1 in block.areas)
    ]
    assert len(tensors) == 3
    assert all(block.size > 0 for block in tensors)
    assert len(held) in (0, 3)
    assert [block.address for block in program.l1] == sorted(block.address for block in program.l1)
