"""Comparison and gate: kernels are matched by what they compute, slowdowns named with their bound."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from examples.metal.elementwise import host as elementwise

from tilesmith.errors import BadCallError, RunStoreError
from tilesmith.profiling import recording
from tilesmith.profiling.runs import BaselineFile, KernelFigures, RunFigures, compare, judge, parse_tolerance
from tilesmith.profiling.runs.figures import figures_of, measured
from tilesmith.profiling.runs.views import page_html
from tilesmith.profiling.runs.watch import watching
from tilesmith.runtime import open_device


def kernel(name: str, us: float, operands: str = "[64, 64] Float16_b", bound: str = "math") -> KernelFigures:
    return KernelFigures(name, operands, 1, us, 0.0, 4096, bound, f"{bound} bound", "use HiFi2")


def run(*kernels: KernelFigures, findings: int = 0) -> RunFigures:
    total = sum(one.microseconds for one in kernels)
    return RunFigures("model", "n150", "chip, predicted", total, total, 0.0, 0, 0, 0, findings, kernels)


def test_kernels_are_matched_by_what_they_compute() -> None:
    before = run(kernel("linear", 4.0), kernel("linear", 1.0, "[32, 32] Float16_b"), kernel("softmax", 2.0))
    after = run(kernel("linear", 1.0, "[32, 32] Float16_b"), kernel("linear", 8.0), kernel("gelu", 1.0))
    rows = compare([("a", before), ("b", after)]).kernels
    times = {(row.name, row.operands): [one and one.microseconds for one in row.runs] for row in rows}
    assert times == {
        ("linear", "[64, 64] Float16_b"): [4.0, 8.0],
        ("linear", "[32, 32] Float16_b"): [1.0, 1.0],
        ("softmax", "[64, 64] Float16_b"): [2.0, None],
        ("gelu", "[64, 64] Float16_b"): [None, 1.0],
    }
    assert rows[0].change_us == 4.0, "the largest change comes first"


def test_another_format_is_still_the_same_kernel() -> None:
    rows = compare(
        [("a", run(kernel("linear", 4.0))), ("b", run(kernel("linear", 2.0, "[64, 64] Bfp8_b")))]
    ).kernels
    assert len(rows) == 1


def test_three_runs_side_by_side() -> None:
    runs = [(name, run(kernel("linear", us))) for name, us in (("O0", 4.0), ("O1", 2.0), ("O2", 1.0))]
    comparison = compare(runs)
    assert comparison.ratio() == 4.0
    text = str(comparison)
    assert "-75.0 %" in text
    assert "O1" in text
    assert "<td>-75.0 %</td>" in page_html(comparison)


def test_names_are_escaped_in_html() -> None:
    page = page_html(compare([("<a>", run(kernel("<script>", 1.0))), ("b", run())]))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_predicted_beside_measured_is_said() -> None:
    remarks = compare(
        [("chip", run(kernel("a", 1.0))), ("host", measured("model", (1.0,) * 8, "cpu"))]
    ).remarks
    assert any("predicted and measured" in remark for remark in remarks)


def test_the_gate_passes_what_is_as_fast() -> None:
    verdict = judge(run(kernel("a", 100.0)), run(kernel("a", 104.9)))
    assert verdict.ok
    assert str(verdict).startswith("ok: model")


def test_the_gate_names_the_kernel_and_the_bound_that_changed() -> None:
    before = run(kernel("linear", 50.0), kernel("softmax", 50.0))
    after = run(kernel("linear", 90.0, bound="DRAM latency"), kernel("softmax", 50.0))
    verdict = judge(before, after)
    assert not verdict.ok
    assert verdict.reasons == (
        "linear: 50.0 us -> 90.0 us; its bound changed from math to DRAM latency: DRAM latency bound",
    )


def test_a_new_finding_fails_the_gate() -> None:
    assert not judge(run(kernel("a", 1.0)), run(kernel("a", 1.0), findings=1)).ok


def test_measured_times_are_judged_by_their_median_and_spread() -> None:
    quiet = measured("model", (10.0,) * 9, "cpu")
    noisy = measured("model", (8.0, 9.0, 9.0, 11.0, 12.0, 12.0, 13.0, 14.0, 15.0), "cpu")
    assert not judge(quiet, replace(quiet, latency_us=12.0)).ok
    verdict = judge(quiet, noisy)
    assert verdict.ok
    assert "spread" in verdict.reasons[0]


@pytest.mark.parametrize("text", ["five", "-1%", "", "5%%x", "nan", "2000%"])
def test_a_tolerance_that_means_nothing_is_refused(text: str) -> None:
    with pytest.raises(BadCallError, match="is no tolerance"):
        parse_tolerance(text)


def test_baselines_are_read_back_and_kept_apart(tmp_path: Path) -> None:
    file = BaselineFile(tmp_path / "sub" / "baseline.json")
    assert file.get("a") is None
    file.update("a", run(kernel("x", 1.0)))
    file.update("b", run(kernel("y", 2.0)))
    assert file.get("a") == run(kernel("x", 1.0))
    assert list(json.loads(file.path.read_text())["baselines"]) == ["a", "b"]


def test_a_broken_baseline_is_told(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text('{"baselines": [1]}')
    with pytest.raises(RunStoreError, match="is not a file of baselines"):
        BaselineFile(tmp_path / "b.json").read()


def test_programs_are_called_alike_with_and_without_a_trace() -> None:
    with recording() as recorder, watching("sum") as watch, open_device("n150") as device:
        elementwise.run(device, (32, 32))
    traced = figures_of(recorder.profile)
    assert [kernel.name for kernel in watch.figures.kernels] == [kernel.name for kernel in traced.kernels]
    assert watch.figures.latency_us == pytest.approx(traced.latency_us)
    assert watch.figures.dram_bytes == traced.dram_bytes
