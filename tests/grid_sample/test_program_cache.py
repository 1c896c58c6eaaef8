"""A second call with equal tensors compiles and makes nothing; ttnn counts the same entries."""

from __future__ import annotations

import pytest
import torch
from conformance.grid_sample.case import Case, Mode
from conformance.grid_sample.run import run_case

from tilesmith.ops.framework import operation_cache
from tilesmith.ops.grid_sample import golden_grid_sample, grid_sample
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Device, Layout


def _sample(device: Device, grid_rows: int, mode: str) -> None:
    image, grid = torch.randn(1, 8, 8, 32), torch.rand(1, grid_rows, 5, 2) - 0.5
    there = [Tensor.of_device(device.from_torch(one, layout=Layout.ROW_MAJOR)) for one in (image, grid)]
    result = grid_sample(*there, mode=mode).to_torch()
    assert torch.allclose(result, golden_grid_sample(image, grid, mode=mode), atol=0.15)


def test_entries_are_counted_as_in_ttnn(device: Device) -> None:
    cache = operation_cache(device)
    cache.clear()
    counts = []
    for rows, mode in ((6, "nearest"), (6, "nearest"), (6, "bilinear"), (7, "bilinear")):
        _sample(device, rows, mode)
        counts.append(len(cache))
    assert counts == [1, 1, 2, 3]


@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
def test_a_hit_works_on_the_new_tensors_shards(device: Device, mode: Mode) -> None:
    case = Case(mode=mode, image_memory="shards", grid_memory="shards", sets=2)
    run_case(device, case)
    kept = device.empty((64, 64))  # so that the next tensors lie elsewhere
    hits = operation_cache(device).hits
    assert run_case(device, case, seed=1).ok
    assert operation_cache(device).hits == hits + 1
    kept.deallocate()
