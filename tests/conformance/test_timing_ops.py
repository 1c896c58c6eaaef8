"""Programs of operations with published device times, and what an L1 that many wait for costs."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace

import pytest
from conformance.timing.noc import run_row
from conformance.timing.ops.plan import shares
from conformance.timing.ops.rows import PROGRAMS, chip, predict
from conformance.timing.rows import DATA, NocRow, read_rows

from tilesmith.arch import load_arch
from tilesmith.program import CoreCoord
from tilesmith.runtime import Device, open_device

ROWS = read_rows("ops.csv")


@pytest.fixture(scope="module")
def galaxy() -> Iterator[Device]:
    with open_device(chip("galaxy7x10")) as device:
        yield device


def test_there_are_rows_of_many_families() -> None:
    assert len(ROWS) >= 150
    assert len({row["family"] for row in ROWS}) >= 8
    assert {row["program"] for row in ROWS} == set(PROGRAMS)


def test_every_row_names_its_source() -> None:
    with (DATA / "ops.csv").open(newline="", encoding="utf-8") as file:
        assert all(":" in row["source"] for row in csv.DictReader(file))


def test_shares_cover_the_work() -> None:
    parts = shares(70, [CoreCoord(x, 0) for x in range(8)])
    assert sum(count for _, count in parts.values()) == 70
    assert max(count for _, count in parts.values()) == 9


@pytest.mark.parametrize(
    ("program", "arguments", "published"),
    [
        ("typecast", "tiles=512;source=bf16;target=bfp8_b", 10182),
        ("create_heads", "rows=4;heads=8;kv_heads=1;width=4;dtype=bfp8_b", 21994),
        ("rms_before", "rows=4;width=64;dtype=bfp8_b", 38268),
        ("llama_product", "name=qkv;rows=4", 45011),
    ],
)
def test_published_times_are_met(galaxy: Device, program: str, arguments: str, published: float) -> None:
    assert predict(galaxy, program, arguments) == pytest.approx(published, rel=0.2)


def test_an_l1_that_many_wait_for_serves_slowly() -> None:
    """All of 5x5 cores read 4 KiB from each: a card took 22423 cycles."""
    row = NocRow("wormhole", "l1", "all_from_all", "unicast", 1, "", 0, 25, 25, 4096, 1, 22423, False)
    arch = load_arch("n150")
    free = replace(arch, timing=replace(arch.timing, noc=replace(arch.timing.noc, convoy_end=0.0)))
    with open_device(arch) as device, open_device(free) as without:
        slow, fast = run_row(device, row).predicted, run_row(without, row).predicted
    assert slow > 1.3 * fast
    assert slow == pytest.approx(row.cycles, rel=0.55)
