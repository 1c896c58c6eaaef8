"""Placement of circular buffers, and the table that explains why they do not fit."""

from __future__ import annotations

import pytest

from tilesmith.arch import load_arch
from tilesmith.errors import L1BudgetError
from tilesmith.formats import DataFormat
from tilesmith.program import (
    BufferView,
    CBFormat,
    CircularBuffer,
    CoreCoord,
    CoreRange,
    CoreRangeSet,
    Kernel,
    Program,
    ReaderConfig,
    SourceType,
    check_program,
    layout_l1,
)
from tilesmith.program.budget import L1Claim
from tilesmith.program.l1 import rebind

WORMHOLE = load_arch("n150")
BASE = WORMHOLE.l1_unreserved_base
BF16 = DataFormat.Float16_b
ROW = CoreRange((0, 0), (3, 0))


def cb(index: int, total: int, cores: object = ROW, page: int = 2048, **more: object) -> CircularBuffer:
    return CircularBuffer(total, cores, CBFormat(index, BF16, page), **more)  # type: ignore[arg-type]


def program(*cbs: CircularBuffer) -> Program:
    return Program([Kernel("void kernel_main() {}", ROW, ReaderConfig(), SourceType.SOURCE_CODE)], cbs)


def test_bottom_up_in_order() -> None:
    placement = layout_l1(program(cb(0, 4096), cb(1, 2048), cb(2, 8192)), WORMHOLE)
    assert placement.addresses == (BASE, BASE + 4096, BASE + 6144)
    assert placement.top == BASE + 14336
    assert placement.cbs_on[CoreCoord(2, 0)] == (0, 1, 2)


def test_one_address_on_all_cores() -> None:
    """The second buffer starts above the highest end on any of its cores, as tt-metal places it."""
    placement = layout_l1(
        program(cb(0, 4096, (0, 0)), cb(1, 2048, ROW), cb(2, 2048, (3, 0)), cb(3, 2048, (1, 1))), WORMHOLE
    )
    assert placement.addresses == (BASE, BASE + 4096, BASE + 6144, BASE)
    assert placement.end[CoreCoord(0, 0)] == BASE + 6144
    assert placement.cbs_on[CoreCoord(1, 1)] == (3,)


def test_addresses_suit_dram_reads() -> None:
    for arch in (WORMHOLE, load_arch("p150")):
        placement = layout_l1(program(cb(0, 48, page=48), cb(1, 2048)), arch)
        assert placement.addresses[1] % arch.dram_alignment == 0
        assert placement.addresses[1] - placement.addresses[0] in (64,)


def test_buffers_on_shards_take_no_l1_and_follow_the_tensor() -> None:
    shards = BufferView(1_400_000, 8192, CoreRangeSet(ROW))
    first = program(cb(0, 4096, buffer=shards, address_offset=64), cb(1, 2048))
    placement = layout_l1(first, WORMHOLE)
    assert placement.addresses == (1_400_064, BASE)
    moved = program(
        cb(0, 4096, buffer=BufferView(1_300_000, 8192, CoreRangeSet(ROW)), address_offset=64), cb(1, 2048)
    )
    assert rebind(placement, moved).addresses == (1_300_064, BASE)
    plain = program(cb(1, 2048))
    unchanged = layout_l1(plain, WORMHOLE)
    assert rebind(unchanged, plain) is unchanged


def test_just_fits() -> None:
    room = (WORMHOLE.l1_size - BASE) // 2048 * 2048
    check_program(program(cb(0, room)), WORMHOLE)
    with pytest.raises(L1BudgetError):
        check_program(program(cb(0, room + 2048)), WORMHOLE)


def test_the_table_says_what_takes_which_bytes() -> None:
    crowded = program(cb(0, 400 * 2048), cb(1, 300 * 2048), cb(2, 10 * 1088, page=1088))
    with pytest.raises(L1BudgetError) as raised:
        check_program(crowded, WORMHOLE)
    error = raised.value
    needed, free = 700 * 2048 + 10880, WORMHOLE.l1_size - BASE
    assert (
        f"take {needed} bytes of L1 on core 0-0, but {free} are free: {needed - free} too many" in error.what
    )
    lines = error.table.splitlines()
    assert lines[0].split() == ["what", "pages", "bytes", "address", "declared", "at"]
    row = next(line for line in lines if line.startswith("cb 1 Float16_b"))
    assert "300 x 2048" in row
    assert "614400" in row
    assert hex(BASE + 400 * 2048) in row
    assert "test_l1.py:" in row
    assert error.table in str(error)


def test_the_smallest_change_fits() -> None:
    over_by_a_page = [cb(0, 600 * 2048), cb(1, 80 * 2048), cb(2, 60 * 64, page=64)]
    free = WORMHOLE.l1_size - BASE
    over = sum(one.total_size for one in over_by_a_page) - free
    assert 0 < over < 60 * 64
    with pytest.raises(L1BudgetError) as raised:
        check_program(program(*over_by_a_page), WORMHOLE)
    pages = 60 - -(-over // 64)
    assert raised.value.remedy == f"give circular buffer 2 {pages} pages instead of 60"
    check_program(program(*over_by_a_page[:2], cb(2, pages * 64, page=64)), WORMHOLE)


def test_when_no_single_change_fits() -> None:
    with pytest.raises(L1BudgetError, match="no single circular buffer can shrink enough"):
        check_program(program(*[cb(index, 200 * 2048) for index in range(8)]), WORMHOLE)


def test_tensors_in_l1_leave_less_room() -> None:
    tensor = L1Claim("weights", WORMHOLE.l1_size - 1_000_000, 1_000_000, "model.py:7")
    check_program(program(cb(0, 190 * 2048)), WORMHOLE, [tensor])
    with pytest.raises(L1BudgetError) as raised:
        check_program(program(cb(0, 200 * 2048)), WORMHOLE, [tensor])
    assert "tensor weights" in raised.value.table
    assert "model.py:7" in raised.value.table
    assert "give circular buffer 0 192 pages instead of 200" in raised.value.remedy
