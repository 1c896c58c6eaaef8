"""Tensors as ttnn shows them: attributes, operators, slicing, host and device."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tilesmith import ttnn


def _tensor(device: ttnn.MeshDevice, *shape: int) -> ttnn.Tensor:
    values = torch.arange(float(torch.Size(shape).numel())).reshape(shape)
    made: ttnn.Tensor = ttnn.from_torch(values, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
    return made


def test_attributes_are_ttnns(device: ttnn.MeshDevice) -> None:
    tensor = _tensor(device, 2, 33, 65)
    assert repr(tensor.shape) == "Shape([2, 33, 65])"
    assert tensor.shape == [2, 33, 65]
    assert tensor.padded_shape == (2, 64, 96)
    assert (tensor.dtype, tensor.layout) == (ttnn.float32, ttnn.TILE_LAYOUT)
    assert repr(tensor.dtype) == "DataType.FLOAT32"
    assert tensor.memory_config() == ttnn.DRAM_MEMORY_CONFIG
    assert tensor.device() is device
    assert tensor.storage_type() is ttnn.StorageType.DEVICE
    assert (tensor.volume(), tensor.logical_volume()) == (2 * 64 * 96, 2 * 33 * 65)
    assert tensor.buffer_page_size() == ttnn.tile_size(ttnn.float32) == 4096
    assert tensor.buffer_num_pages() == 12
    assert not tensor.is_sharded()


def test_a_tensor_without_a_device_stays_on_the_host(device: ttnn.MeshDevice) -> None:
    on_host = ttnn.from_torch(torch.ones(3, 5), dtype=ttnn.bfloat16)
    assert on_host.storage_type() is ttnn.StorageType.HOST
    assert on_host.device() is None
    there = ttnn.to_device(ttnn.to_layout(on_host, ttnn.TILE_LAYOUT), device)
    assert there.layout is ttnn.TILE_LAYOUT
    assert torch.equal(ttnn.to_torch(ttnn.from_device(there)), torch.ones(3, 5).bfloat16())
    with pytest.raises(RuntimeError, match="not on device"):
        on_host.buffer_address()


def test_operators_call_operations(device: ttnn.MeshDevice) -> None:
    tensor = _tensor(device, 4, 32)
    values = tensor.to_torch()
    assert torch.equal((tensor + tensor).to_torch(), values + values)
    assert torch.equal((2.0 * tensor).to_torch(), 2 * values)
    assert torch.equal((1.0 - tensor).to_torch(), 1 - values)
    assert torch.equal((tensor > 3.0).to_torch(), (values > 3).float())
    assert torch.equal((tensor == tensor).to_torch(), torch.ones(4, 32))
    assert len({tensor, tensor}) == 1


@pytest.mark.parametrize(
    "index", [0, -1, (slice(0, 2), 5), (..., 3), (slice(None), slice(None, None, 2)), (1, 2, slice(1, 9))]
)
def test_slicing_is_torchs(device: ttnn.MeshDevice, index: Any) -> None:
    tensor = _tensor(device, 2, 9, 33)
    assert torch.equal(tensor[index].to_torch(), tensor.to_torch()[index])


def test_indices_that_ttnn_refuses_are_refused(device: ttnn.MeshDevice) -> None:
    with pytest.raises(TypeError, match="Invalid slice type: None"):
        _tensor(device, 2, 3)[:, None]
    with pytest.raises(RuntimeError, match="out of range"):
        _tensor(device, 2, 3)[5]


def test_to_torch_takes_a_type_and_a_rank(device: ttnn.MeshDevice) -> None:
    tensor = _tensor(device, 1, 1, 4, 8)
    assert ttnn.to_torch(tensor, torch.float64, torch_rank=2).shape == (4, 8)
    with pytest.raises(RuntimeError, match="Unable to squeeze"):
        ttnn.to_torch(tensor, torch_rank=1)


def test_views_share_memory_and_copies_do_not(device: ttnn.MeshDevice) -> None:
    tensor = _tensor(device, 2, 32, 64)
    seen = ttnn.view(tensor, [64, 64])
    assert seen.buffer_address() == tensor.buffer_address()
    assert torch.equal(seen.to_torch(), tensor.to_torch().reshape(64, 64))
    assert ttnn.reshape(tensor, [64, 2, 32]).buffer_address() != tensor.buffer_address()
    with pytest.raises(RuntimeError, match="last dimension"):
        ttnn.view(tensor, [32, 128])


def test_a_deallocated_tensor_says_so(device: ttnn.MeshDevice) -> None:
    tensor = _tensor(device, 2, 3)
    ttnn.deallocate(tensor)
    assert not tensor.is_allocated()
    assert "not allocated" in repr(tensor)
    with pytest.raises(RuntimeError, match="not allocated"):
        ttnn.relu(tensor)


def test_tensors_print_as_ttnn_prints_them() -> None:
    tensor = ttnn.from_torch(torch.arange(12.0).reshape(2, 6) / 8, dtype=ttnn.bfloat16)
    rows = "ttnn.Tensor([[ 0.0000,  0.1250,  ...,  0.5000,  0.6250],\n"
    rows += "             [ 0.7500,  0.8750,  ...,  1.2500,  1.3750]], shape=Shape([2, 6]),"
    assert repr(tensor) == f"{rows} dtype=DataType::BFLOAT16, layout=Layout::ROW_MAJOR)"
    ttnn.set_printoptions(profile="full", sci_mode=False, precision=1)
    assert "..., " not in repr(tensor)
    ttnn.set_printoptions(profile="short")


@pytest.mark.parametrize("dtype", [ttnn.bfloat8_b, ttnn.bfloat4_b])
def test_block_floats_on_the_host_stay_in_tiles(dtype: ttnn.DataType) -> None:
    tensor = ttnn.from_torch(torch.arange(40.0).reshape(5, 8), dtype, layout=ttnn.TILE_LAYOUT)
    rows = tensor.to(ttnn.ROW_MAJOR_LAYOUT)
    assert rows.layout is ttnn.TILE_LAYOUT
    assert torch.equal(ttnn.to_torch(rows), ttnn.to_torch(tensor))
