"""Tensors as ttnn shows them: attributes, operators, slicing, host and device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tilesmith import ttnn
from tilesmith.errors import OperationError


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


def test_pad_to_tile_keeps_the_shape(device: ttnn.MeshDevice) -> None:
    values = torch.randn(3, 30, 30).bfloat16()
    tensor = ttnn.Tensor(values, ttnn.bfloat16).pad_to_tile(float("nan")).to(ttnn.TILE_LAYOUT).to(device)
    assert tensor.shape == [3, 30, 30]
    assert torch.equal(tensor.cpu().to(ttnn.ROW_MAJOR_LAYOUT).to_torch(), values)
    assert tensor.to_torch_with_padded_shape()[:, 30:].isnan().all()
    exact = values.float().sum((1, 2))
    torch.testing.assert_close(ttnn.to_torch(ttnn.sum(tensor, [1, 2])).float(), exact, rtol=1e-2, atol=1e-1)


def test_the_type_of_a_spec_is_a_data_type(device: ttnn.MeshDevice) -> None:
    names: dict[Any, str] = {ttnn.float32: "float32", ttnn.bfloat16: "bfloat16"}
    spec = ttnn.TensorSpec([2, 40], ttnn.bfloat16, ttnn.TILE_LAYOUT)
    assert names[spec.dtype] == "bfloat16"
    assert spec.dtype == ttnn.bfloat16
    assert _tensor(device, 4, 4).spec.dtype == ttnn.float32
    assert spec.dtype != ttnn.float32


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.uint16, torch.uint32, torch.int32])
def test_integers_of_torch_have_a_type_of_their_own(dtype: torch.dtype) -> None:
    values = torch.tensor([[0, 1, 100]]).to(dtype)
    assert ttnn.Tensor(values).to_torch().tolist() == values.tolist()


def test_shards_by_the_names_of_ttnn() -> None:
    grid = ttnn.num_cores_to_corerangeset(target_num_cores=8, grid_size=[8, 7], row_wise=True)
    spec = ttnn.ShardSpec(grid=grid, shard_shape=[64, 32], shard_orientation=ttnn.ShardOrientation.COL_MAJOR)
    assert spec == ttnn.ShardSpec(grid, [64, 32], ttnn.ShardOrientation.COL_MAJOR)


@pytest.mark.parametrize("layout", [ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT])
def test_int8_is_moved_and_not_computed_with(device: ttnn.MeshDevice, layout: ttnn.Layout) -> None:
    values = list(range(-128, 128))
    tensor = ttnn.from_buffer(values, [8, 32], ttnn.int8, device, layout)
    assert ttnn.to_torch(tensor).flatten().tolist() == values
    assert ttnn.to_torch(ttnn.transpose(tensor, 0, 1)).T.flatten().tolist() == values
    for compute in (lambda x: ttnn.add(x, x), lambda x: ttnn.typecast(x, ttnn.float32), ttnn.sum, ttnn.relu):
        with pytest.raises(OperationError, match="INT8"):
            compute(tensor)
    with pytest.raises(OperationError, match="Unreachable"):
        ttnn.from_buffer(values, [8, 32], ttnn.bfloat8_b, device)


@pytest.mark.parametrize("layout", [ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT])
@pytest.mark.parametrize("way", ["height_sharded", "width_sharded", "block_sharded", "nd"])
def test_files_keep_shards(device: ttnn.MeshDevice, tmp_path: Path, layout: ttnn.Layout, way: str) -> None:
    grid = ttnn.num_cores_to_corerangeset(4, [2, 2], True)
    plain = ttnn.TensorSpec((2, 3, 40, 50), ttnn.float32, layout, buffer_type=ttnn.BufferType.L1)
    spec = plain.sharded((1, 32, 32), grid) if way == "nd" else getattr(plain, way)(grid)
    values = torch.randn(2, 3, 40, 50)
    tensor = ttnn.from_torch(values, spec=spec, device=device)
    ttnn.dump_tensor(tmp_path / "a.tensorbin", tensor)
    loaded = ttnn.load_tensor(tmp_path / "a.tensorbin", device=device)
    assert loaded.spec == spec
    assert torch.equal(ttnn.to_torch(loaded), values)
    assert torch.equal(ttnn.to_torch(ttnn.load_tensor(tmp_path / "a.tensorbin")), values)


@pytest.mark.parametrize("dtype", ["float16", "float64", "uint16", "uint32", "int8", "int64"])
def test_from_torch_takes_arrays(device: ttnn.MeshDevice, dtype: str) -> None:
    values = np.arange(16).reshape(4, 4).astype(dtype)
    tensor = ttnn.from_torch(values, ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
    assert ttnn.to_torch(tensor).tolist() == values.astype(np.float32).tolist()


def test_more_padding_than_tiles_need(device: ttnn.MeshDevice) -> None:
    values = torch.arange(43 * 64, dtype=torch.int32).reshape(43, 64)
    rows = ttnn.from_torch(values, ttnn.int32, device=device)
    assert torch.equal(ttnn.to_torch(ttnn.tilize_with_val_padding(rows, [64, 128], 1.3)), values)
    with pytest.raises(OperationError, match="smaller in dimension 0"):
        ttnn.tilize_with_val_padding(rows, [32, 128], 0)


@pytest.mark.parametrize(("dtype", "fill"), [(ttnn.uint32, 5), (ttnn.int32, -2), (ttnn.bfloat16, 1.5)])
def test_rows_are_taken_out_of_the_padding_too(
    device: ttnn.MeshDevice, dtype: ttnn.DataType, fill: float
) -> None:
    values = torch.arange(30 * 62).reshape(30, 62).remainder(101).int()
    rows = ttnn.from_torch(values, dtype=dtype, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
    tiles = ttnn.to_layout(rows, ttnn.TILE_LAYOUT, pad_value=fill)
    whole = ttnn.to_torch(ttnn.untilize_with_unpadding(tiles, [31, 63]))
    wanted = torch.nn.functional.pad(values.double(), (0, 2, 0, 2), value=fill)
    assert torch.equal(whole.double(), wanted)
