"""Our programs in the trace of torch.profiler."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from examples.metal.elementwise import host as elementwise

import tilesmith
from tilesmith.errors import ProfileError
from tilesmith.profiling import Profile, export_chrome_trace, recording
from tilesmith.profiling.torch_trace import with_programs


@pytest.mark.parametrize("name", ["trace.json", "trace.json.gz"])
def test_both_stand_in_one_trace_at_their_times(tmp_path: Path, name: str) -> None:
    activities = [torch.profiler.ProfilerActivity.CPU]
    with (
        torch.profiler.profile(activities=activities) as seen,
        recording("sums") as recorder,
        tilesmith.open_device("wormhole") as device,
    ):
        torch.ones(4).add(1)
        elementwise.run(device, (32, 32))
        elementwise.run(device, (32, 32))
        torch.ones(4).mul(2)
    path = export_chrome_trace(seen, recorder.profile, tmp_path / name)
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    events: list[dict[str, Any]] = json.loads(text)["traceEvents"]
    ours = [event for event in events if event.get("cat") == "kernel"]
    first = next(event["ts"] for event in events if event.get("name") == "aten::add")
    last = next(event["ts"] for event in events if event.get("name") == "aten::mul")
    assert len(ours) == 2
    assert first < ours[0]["ts"] < last + 1e6
    assert ours[0]["ts"] + ours[0]["dur"] <= ours[1]["ts"], "a chip runs one program at a time"


def test_what_is_no_trace_is_refused(profile: Profile) -> None:
    with pytest.raises(ProfileError, match="no Chrome trace"):
        with_programs({}, profile)
