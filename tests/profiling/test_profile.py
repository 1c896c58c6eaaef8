"""Profiles: figures that add up, JSON both ways, and what a kernel's `profile` gives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from tests.compiler import kernels

import tilesmith
from tilesmith.errors import ProfileError
from tilesmith.profiling import PerformanceProfiler, Profile, recording
from tilesmith.profiling.timeline import is_wait


def test_programs_in_order(profile: Profile) -> None:
    assert [one.name for one in profile.programs] == ["ttnn.matmul", "ttnn.add", "hasty", "copy"]
    assert profile.cycles == sum(one.cycles for one in profile.programs)
    assert profile.chip is not None
    assert profile.chip.product == "n150"


def test_own_time_leaves_out_partners(profile: Profile) -> None:
    reader = next(one for one in profile.programs[0].roles if one.role == "reader")
    pack = next(one for one in profile.programs[0].roles if one.role == "pack")
    assert reader.own == reader.cycles - sum(one.cycles for one in reader.waits if one.cause == "CB_SPACE")
    assert pack.own < 0.1 * pack.cycles


def test_the_timeline_covers_every_role(profile: Profile) -> None:
    program = profile.programs[0]
    for lane, role in zip(program.timeline.lanes, program.roles, strict=True):
        assert lane.begin[0] == 0
        assert lane.end[-1] == role.cycles
        assert list(lane.begin[1:]) == list(lane.end[:-1])
        states = program.timeline.states
        waited = sum(
            end - begin
            for begin, end, state in zip(lane.begin, lane.end, lane.state, strict=True)
            if is_wait(states[state])
        )
        assert waited == role.waited


def test_traffic_per_tensor(profile: Profile) -> None:
    a, b, out = profile.programs[0].tensors
    assert (a.shape, b.shape, out.shape) == ((96, 128), (128, 64), (96, 64))
    assert (a.times_read, b.times_read, out.times_read) == (2, 3, 0)
    assert out.written == out.size


def test_banks_share_the_traffic(profile: Profile) -> None:
    program = profile.programs[0]
    moved = sum(one.dram_read_bytes + one.dram_written_bytes for one in program.traffic)
    assert sum(bank.read + bank.written for bank in program.banks) == moved


def test_no_unit_is_used_more_than_all_the_time(profile: Profile) -> None:
    for program in profile.programs:
        used = program.utilisation
        shares = (
            used.matrix,
            used.matrix_used,
            used.vector_used,
            used.unpack_used,
            used.pack_used,
            used.dram,
        )
        assert all(0.0 <= share <= 1.0 for share in (*shares, *used.noc, used.busiest_noc))
    assert profile.programs[0].utilisation.matrix > 0.0


def test_roofline_is_below_the_prediction(profile: Profile) -> None:
    for program in profile.programs:
        assert program.roofline.cycles <= program.cycles
    product = profile.programs[0].roofline
    assert product.flops == 2 * 96 * 128 * 64
    assert product.math_cycles == pytest.approx(3 * 4 * 2 * 64 / 64)
    assert product.dram_bytes == 2 * (96 * 128 + 128 * 64 + 96 * 64)


def test_json_both_ways(profile: Profile) -> None:
    assert Profile.from_json(profile.to_json()) == profile


def test_bottlenecks_of_a_saved_profile(profile: Profile, tmp_path: Path) -> None:
    found = PerformanceProfiler(profile.save(tmp_path)).find_bottlenecks()
    assert found[0].program == "ttnn.matmul"
    assert "reader waits on DRAM" in found[0].sentence
    assert found[0].saving_us < found[0].microseconds
    assert "issue several reads before each barrier" in str(found[0])
    assert sum(one.share for one in found) == pytest.approx(1)


def test_a_missing_or_broken_profile_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="there is no profile at"):
        PerformanceProfiler(tmp_path)
    (tmp_path / "profile.json").write_text("{}")
    with pytest.raises(ProfileError, match=r"profile.json is not a profile"):
        PerformanceProfiler(tmp_path)


def test_nothing_ran() -> None:
    with recording() as recorder:
        pass
    assert recorder.profile.bound is None
    assert str(recorder.profile).startswith("no program ran: host, measured: ")


def test_profile_of_a_compiled_kernel() -> None:
    kernel = tilesmith.compile(kernels.scaled(40, 70))
    values = torch.randn(40, 70)
    given = kernel.profile(values)
    again = kernel.profile()
    assert given.cycles == again.cycles == kernel.summary().cycles
    assert given.programs[0].name == "scaled_kernel"
    assert given.bound is not None
    assert given.bound.change
    assert json.loads(given.to_json())["title"] == "scaled_kernel"


def test_text_shows_the_bound_and_the_change(profile: Profile) -> None:
    text = str(profile)
    for part in ("three programs on n150", "change first: issue several reads", "roofline", "DRAM in"):
        assert part in text
    assert "1 finding" in text
