"""Power: an estimate between idle and the board's limit, and readings of a card through the real code."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
import torch

from tilesmith.arch import load_arch
from tilesmith.dashboard import PerformanceCollector
from tilesmith.profiling import Profile
from tilesmith.profiling.power import Activity, PowerSampler, estimate, find_source, power_of
from tilesmith.profiling.report import Chip

LIMITS = {"n150": 160, "p150": 300}  # watts of the whole board, as published


@pytest.mark.parametrize("board", LIMITS)
def test_idle_copy_and_product_stand_in_their_order_below_the_limit(board: str) -> None:
    chip = Chip.of(load_arch(board))
    idle = estimate(chip, Activity())
    copy = estimate(chip, Activity(noc=0.3, dram_rate=chip.dram_peak_gb_per_s * 1e9))
    product = estimate(chip, Activity(matrix=1.0, noc=0.2, dram_rate=0.2 * chip.dram_peak_gb_per_s * 1e9))
    assert 0 < idle.watts < copy.watts < product.watts <= LIMITS[board]
    for power in (idle, copy, product):
        assert power.low < power.watts <= power.high <= LIMITS[board]
    assert product.watts > 0.8 * LIMITS[board], "large products are known to meet the limit"


@pytest.mark.parametrize("board", LIMITS)
def test_programs_stand_in_the_same_order(board: str) -> None:
    from conformance.power_estimates import rows, table

    found = list(rows(512, (board,)))
    idle, copied, product = (row.power for row in found)
    assert 0 < idle.watts < copied.watts < product.watts < LIMITS[board]
    assert f"| {board} | {LIMITS[board]} W |" in table(found)


def test_a_model_of_tokens_has_the_energy_of_one(tmp_path: Path) -> None:
    model = torch.nn.Embedding(32, 32)
    metrics = PerformanceCollector(tmp_path).collect_metrics(model, torch.zeros(2, 16, dtype=torch.int64))
    assert metrics.energy_per_token_uj == pytest.approx(metrics.energy_uj / 32)
    assert metrics.energy_per_token_uj > 0
    without = PerformanceCollector(tmp_path).collect_metrics(torch.nn.ReLU(), torch.zeros(32, 32))
    assert without.energy_per_token_uj == 0


def test_a_profile_has_power_and_energy(profile: Profile) -> None:
    power = power_of(profile)
    assert power is not None
    assert power.energy_uj == pytest.approx(power.watts * (profile.microseconds + profile.launch_us))
    assert "estimate" in str(power)
    assert str(power) in str(profile)


def hwmon_tree(folder: Path, name: str = "wormhole") -> Path:
    sensor = folder / "hwmon3"
    sensor.mkdir(parents=True)
    (sensor / "name").write_text(f"{name}\n")
    (sensor / "power1_input").write_text("42000000\n")
    (sensor / "power1_max").write_text("85000000\n")
    return sensor


def test_a_card_is_read_through_hwmon(tmp_path: Path) -> None:
    sensor = hwmon_tree(tmp_path)
    source = find_source(tmp_path, "no-such-tt-smi")
    assert source is not None
    assert source.limit == 85
    with PowerSampler(source, interval=0.001) as sampler:
        time.sleep(0.02)
        (sensor / "power1_input").write_text("60000000\n")
        time.sleep(0.02)
    power = sampler.power
    assert power is not None
    assert 42 < power.watts < 60
    assert (power.low, power.high) == (42, 60)
    assert "card, hwmon" in str(power)


def test_sensors_of_other_hardware_are_not_ours(tmp_path: Path) -> None:
    hwmon_tree(tmp_path, "coretemp")
    assert find_source(tmp_path, "no-such-tt-smi") is None


def fake_tt_smi(folder: Path, text: str, code: int = 0) -> str:
    program = folder / "tt-smi"
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\nexit {code}\n")
    program.chmod(0o755)
    return str(program)


def test_a_card_is_read_through_tt_smi(tmp_path: Path) -> None:
    devices = [{"telemetry": {"power": " 21.0", "aiclk": "500"}}, {"telemetry": {"power": "77.5"}}]
    program = fake_tt_smi(tmp_path, "Gathering information\n" + json.dumps({"device_info": devices}))
    source = find_source(tmp_path / "none", program, chip=1)
    assert source is not None
    assert source.name == "card, tt-smi"
    assert source.read() == 77.5
    assert find_source(tmp_path / "none", program, chip=2) is None


@pytest.mark.parametrize(("text", "code"), [("no devices detected", 0), ("{}", 0), ("{", 0), ("", 1)])
def test_a_tt_smi_without_a_card_gives_none(tmp_path: Path, text: str, code: int) -> None:
    assert find_source(tmp_path / "none", fake_tt_smi(tmp_path, text, code)) is None


def test_a_card_that_stops_answering_is_asked_again(tmp_path: Path) -> None:
    sensor = hwmon_tree(tmp_path)
    source = find_source(tmp_path, "no-such-tt-smi")
    assert source is not None
    with PowerSampler(source, interval=0.001) as sampler:
        (sensor / "power1_input").unlink()
        time.sleep(0.02)
        (sensor / "power1_input").write_text("50000000\n")
    assert sampler.power is not None
    assert sampler.power.high == 50
