"""The clock's prediction: nearest against bilinear on raw bfloat16 coordinates in DRAM, interleaved."""

from __future__ import annotations

import pytest
from conformance.grid_sample.case import Size
from conformance.grid_sample.predicted_time import measure

from tilesmith.runtime import open_device


@pytest.mark.parametrize("size", [Size(1, 32, 32, 64, 64, 64), Size(1, 64, 64, 96, 64, 96)], ids=str)
def test_nearest_is_four_times_faster(size: Size) -> None:
    with open_device("wormhole") as device:
        row = measure(device, size, "raw, in DRAM")
    assert row.ratio >= 4, (row.nearest, row.bilinear)
