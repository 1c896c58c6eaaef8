"""A sample of the calls that conformance/grid_sample_cases.py compares with torch, under checks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conformance.grid_sample.case import SIZES, Case, Mode, all_cases
from conformance.grid_sample.run import run_case

from tilesmith.formats import DataFormat
from tilesmith.runtime import Device

_SAMPLE = all_cases()[::17]


@pytest.mark.parametrize("case", _SAMPLE, ids=range(len(_SAMPLE)))
def test_equals_torch_and_reads_each_pixel_once(case: Case, device_of: Callable[[str], Device]) -> None:
    outcome = run_case(device_of(case.arch), case)
    assert outcome.comparison.ok, f"{case}: {outcome.comparison}"
    assert outcome.reads == (1 if case.mode == "nearest" else 4)


def test_there_are_more_than_300_cases_with_every_option_in_both_modes() -> None:
    cases = all_cases()
    assert len(cases) > 300
    for mode in ("nearest", "bilinear"):
        mine = [case for case in cases if case.mode == mode]
        assert {case.padding for case in mine} == {"zeros", "border", "reflection"}
        assert {case.align_corners for case in mine} == {False, True}
        assert {case.prepared for case in mine} == {False, True}
        assert {case.image_type for case in mine} == {DataFormat.Float16_b, DataFormat.Float32}
        assert {case.grid_type for case in mine} == {DataFormat.Float16_b, DataFormat.Float32}
        assert {case.image_memory for case in mine} == {"dram", "l1", "shards"}
        assert {case.grid_memory for case in mine} == {"dram", "l1", "shards"}
        assert {case.output for case in mine} == {"", "dram", "l1", "shards", "shards by column"}
        assert {case.joined for case in mine} == {False, True}
        assert {case.size for case in mine} >= set(SIZES)


@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
def test_only_bilinear_computes(mode: Mode, device: Device) -> None:
    outcome = run_case(device, Case(mode=mode, grid_memory="shards"))
    assert outcome.compute_kernels == (0 if mode == "nearest" else 1)


def test_half_way_points_go_where_torch_sends_them(device: Device) -> None:
    outcome = run_case(device, Case(coordinates="halfway"))
    assert outcome.comparison.max_abs == 0.0


def test_other_orders_of_scheduling_give_the_same(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in ("3", "14", "159"):
        monkeypatch.setenv("TILESMITH_SEED", seed)
        assert run_case(device, Case(mode="bilinear", grid_memory="shards", sets=40)).ok
