"""The virtual clock: deterministic, can be switched off, and close to a sample of published measurements.

All published rows are in benchmarks/timing_accuracy.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from conformance.timing import gemm, launch, noc
from conformance.timing.rows import NocRow, noc_rows, quantile

from tilesmith import settings
from tilesmith.arch import load_arch
from tilesmith.emulator.launch import launch_us
from tilesmith.program import Program
from tilesmith.runtime import Device, open_device

READ = NocRow("wormhole", "dram_bank", "one_from_one", "unicast", 0, "both", 0, 1, 1, 2048, 16, 1914, True)
SPREAD = replace(READ, memory="dram_pages", pattern="one_from_all")
TO_GRID = NocRow("wormhole", "l1", "one_to_grid", "multicast", 0, "both", 0, 1, 4, 2048, 16, 4007, True)


@pytest.fixture(scope="module")
def n150() -> Iterator[Device]:
    with open_device("n150") as device:
        yield device


def cycles(device: Device, row: NocRow) -> float:
    return noc.run_row(device, row).predicted


@pytest.mark.parametrize("row", [READ, SPREAD, TO_GRID], ids=["bank", "pages", "multicast"])
def test_a_sample_of_measured_transfers(n150: Device, row: NocRow) -> None:
    published = next(
        one for one in noc_rows() if replace(one, cycles=0, taken=True) == replace(row, cycles=0)
    )
    assert cycles(n150, row) == pytest.approx(published.cycles, rel=0.1)


def test_the_same_run_takes_the_same_time(n150: Device) -> None:
    assert cycles(n150, SPREAD) == cycles(n150, SPREAD)


def test_banks_serve_side_by_side(n150: Device) -> None:
    assert cycles(n150, SPREAD) < 0.85 * cycles(n150, READ)


def test_a_bank_serves_its_readers_one_after_the_other(n150: Device) -> None:
    both_on_bank_0 = 13  # core 12 reads bank 0, as core 0 does
    crowded = replace(READ, transactions=64, cores=both_on_bank_0, pattern="all_from_all")
    alone = replace(crowded, cores=1, pattern="one_from_one")
    assert cycles(n150, crowded) > 1.8 * cycles(n150, alone)


def test_linked_multicasts_reserve_their_path_once(n150: Device) -> None:
    linked = replace(TO_GRID, mechanism="multicast_linked")
    assert cycles(n150, linked) < 0.5 * cycles(n150, TO_GRID)


def test_another_row_and_column_is_a_longer_way(n150: Device) -> None:
    near = NocRow("wormhole", "l1", "one_to_one", "unicast", 0, "same", 0, 1, 1, 64, 1, 205, True)
    way_round = n150.arch.noc_grid[0] * n150.arch.timing.noc.hop
    assert cycles(n150, replace(near, axis="both")) - cycles(n150, near) == way_round


def test_without_a_clock_no_time_passes(n150: Device) -> None:
    with settings.using(clock="off"):
        assert cycles(n150, READ) == 0


def test_the_smallest_published_matmul(n150: Device) -> None:
    row = next(row for row in gemm.gemm_rows() if row.product == "n150" and row.work == 16**3)
    assert gemm.emulate(n150, row) == pytest.approx(row.cycles, rel=0.1)


def test_launch_costs_more_with_arguments_and_kernels() -> None:
    n150 = load_arch("n150")
    empty = launch_us(Program([], []), n150)
    assert empty == n150.timing.dispatch.launch_us
    rows = launch.launch_rows()
    for row in (
        one for one in rows if one["arch"] == "wormhole" and one["case"].startswith("8 kernel groups")
    ):
        assert launch.run_launch(n150, row).predicted > empty
        assert abs(launch.run_launch(n150, row).error) < 0.25


def test_quantile() -> None:
    assert quantile([0.4, 0.1, 0.2, 0.3], 0.5) == 0.2
    assert quantile([], 0.9) == 0.0
