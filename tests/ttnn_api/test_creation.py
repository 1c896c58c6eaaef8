"""Tensors from nothing."""

from __future__ import annotations

import pytest
import torch

from tilesmith import ttnn


def test_constants(device: ttnn.MeshDevice) -> None:
    assert torch.equal(ttnn.zeros([2, 33], device=device).to_torch(), torch.zeros(2, 33).bfloat16())
    sevens = ttnn.full([3, 5], 7, ttnn.int32, ttnn.TILE_LAYOUT, device)
    assert torch.equal(sevens.to_torch(), torch.full((3, 5), 7, dtype=torch.int32))
    again = ttnn.full([3, 5], 8, optional_tensor=sevens)
    assert again is sevens
    assert int(sevens.to_torch().max()) == 8
    assert torch.equal(ttnn.ones_like(sevens).to_torch(), torch.ones(3, 5, dtype=torch.int32))
    assert ttnn.empty_like(sevens).shape == [3, 5]


def test_ranges(device: ttnn.MeshDevice) -> None:
    assert ttnn.arange(5).to_torch().tolist() == [0, 1, 2, 3, 4]
    made = ttnn.arange(1, 10, 3, dtype=ttnn.int32, device=device)
    assert made.to_torch().tolist() == [1, 4, 7]
    with pytest.raises(RuntimeError, match="Step direction"):
        ttnn.arange(5, 0, 1)


def test_random_numbers_come_from_the_device(device: ttnn.MeshDevice) -> None:
    one = ttnn.rand([64, 64], device, low=-2.0, high=3.0, seed=1, dtype=ttnn.float32).to_torch()
    same = ttnn.rand([64, 64], device, low=-2.0, high=3.0, seed=1, dtype=ttnn.float32).to_torch()
    other = ttnn.rand([64, 64], device, low=-2.0, high=3.0, dtype=ttnn.float32).to_torch()
    assert torch.equal(one, same)
    assert not torch.equal(one, other)
    assert -2.0 <= float(one.min()) < -1.5
    assert 2.5 < float(one.max()) < 3.0
    assert abs(float(one.mean()) - 0.5) < 0.3
    with pytest.raises(RuntimeError, match="must be below"):
        ttnn.rand([2, 2], device, low=1.0, high=0.0)


def test_padding_can_be_chosen(device: ttnn.MeshDevice) -> None:
    tensor = ttnn.from_torch(torch.zeros(2, 3), layout=ttnn.TILE_LAYOUT, device=device, pad_value=9.0)
    assert torch.equal(tensor.to_torch(), torch.zeros(2, 3))
    assert float(ttnn.untilize_with_unpadding(tensor, [1, 2]).to_torch().sum()) == 0.0


def test_floats_become_whole_numbers_as_in_torch(device: ttnn.MeshDevice) -> None:
    values = torch.tensor([[-2.7, -0.5, 0.0, 0.5, 1.5, 2.99]])
    tensor = ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=device)
    assert torch.equal(ttnn.typecast(tensor, ttnn.int32).to_torch(), values.to(torch.int32))
