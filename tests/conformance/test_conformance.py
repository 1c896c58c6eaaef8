"""One workload on two executors: the same bits, small differences, and results that are wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from examples.metal.matmul_single import host as matmul
from typer.testing import CliRunner

from tilesmith.cli.app import app
from tilesmith.cli.conformance import save, sizes_from, work_from
from tilesmith.conformance import Target, Verdict, compare_targets
from tilesmith.conformance.compare import Stored, compare_stored
from tilesmith.errors import BadCallError, DeviceError, ProgramError
from tilesmith.formats import DataFormat
from tilesmith.recording import Recording, Workload, load_recording, record, save_recording
from tilesmith.runtime import DRAM_MEMORY_CONFIG, TILE_LAYOUT, Device
from tilesmith.runtime.pages import pages_of
from tilesmith.runtime.tensor_spec import TensorSpec
from tilesmith.runtime.ttnn_library import MOCK

MATMUL = Workload("matmul", lambda device: matmul.run(device, 64, 96, 32))
HOST = f"{Path(matmul.__file__)}:run(64, 96, 32)"


def _targets(*texts: str) -> list[Target]:
    return [Target.parse(text) for text in texts]


@pytest.fixture(scope="module")
def recording() -> Recording:
    return record(MATMUL, "wormhole")


def test_both_chips_give_the_same_bits_and_fast_numbers_stay_near() -> None:
    blackhole, fast = compare_targets(MATMUL, _targets("wormhole", "blackhole", "wormhole:fast"))
    assert blackhole.same_bits
    assert "blackhole:chip against wormhole:chip: the same bits" in str(blackhole)
    assert fast.ok
    assert not fast.same_bits
    assert fast.tensors[0].differing > 0
    assert "equal within errors" in str(fast)
    assert f"{fast.tensors[0].differing} of 2048 elements differ" in str(fast)


def test_a_recording_runs_again_from_a_file(recording: Recording, tmp_path: Path) -> None:
    save_recording(recording, tmp_path / "matmul.npz")
    again = load_recording(tmp_path / "matmul.npz")
    assert again.title == "matmul"
    (verdict,) = compare_targets(again, _targets("wormhole", "wormhole:chip"))
    assert verdict.same_bits
    with pytest.raises(DeviceError, match="was recorded for a n150; this is a p150"):
        compare_targets(again, _targets("wormhole", "blackhole"))


def test_wrong_results_are_told_apart_from_rounding() -> None:
    def verdict(other: np.ndarray) -> Verdict:
        spec = TensorSpec(values.shape, DataFormat.Float16_b, TILE_LAYOUT, DRAM_MEMORY_CONFIG)
        first, second = (Stored(spec, pages_of(one, spec)) for one in (values, other))
        return Verdict("test", "a", "b", compare_stored({0: first}, {0: second}))

    values = np.random.default_rng(0).standard_normal((40, 50)).astype(np.float32)
    scaled = verdict(values * 1.5)
    assert not scaled.ok
    assert "OUTSIDE THE TOLERANCE" in str(scaled)
    # A negative zero is another bit pattern, but no error.
    signed = verdict(np.where(np.arange(50) == 7, -0.0, values))
    assert not signed.same_bits
    zeros = np.zeros_like(values)
    values = zeros
    (only,) = verdict(np.where(np.arange(50) == 7, -0.0, zeros)).tensors
    assert (only.differing, only.first, only.ok) == (40, (0, 7), True)


def test_a_workload_that_does_something_else_on_another_chip_is_refused() -> None:
    def run(device: Device) -> None:
        matmul.run(device, 32, 32, 32 if device.arch.family == "wormhole" else 64)

    with pytest.raises(ProgramError, match="changed other tensors"):
        compare_targets(Workload("odd", run), _targets("wormhole", "blackhole"))


def test_the_command_reports_and_records(tmp_path: Path) -> None:
    runner = CliRunner()
    done = runner.invoke(app, ["conformance", HOST, "--on", "wormhole", "--on", "blackhole"])
    assert done.exit_code == 0, done.output
    assert "the same bits in all 2048 elements" in done.output
    path = tmp_path / "matmul.npz"
    done = runner.invoke(app, ["conformance", HOST, "--record", str(path)])
    assert done.output.strip() == str(path)
    assert isinstance(work_from(str(path), ""), Recording)
    with pytest.raises(BadCallError, match="nothing launched no program on n150"):
        save(Workload("nothing", lambda _: None), "wormhole", path)


def test_a_mock_cluster_has_no_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MOCK, "somewhere.yaml")
    with pytest.raises(DeviceError, match="which runs nothing"):
        compare_targets(MATMUL, _targets("ttnn", "wormhole"))


@pytest.mark.parametrize("text", ["", "wormhole:exact"])
def test_a_target_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadCallError, match="is no target"):
        Target.parse(text)


def test_mistakes_on_the_command_line_end_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadCallError, match="gives no size for M"):
        sizes_from("M=big")
    with pytest.raises(BadCallError, match="is no recording"):
        load_recording(tmp_path / "missing.npz")
    done = CliRunner().invoke(app, ["conformance", HOST, "--on", "wormhole"])
    assert isinstance(done.exception, BadCallError)
    assert "nothing to compare with" in str(done.exception)
