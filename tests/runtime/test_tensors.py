"""Data goes to the device and comes back; every page is where kernels will look for it."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runtime.fake_executor import JUNK, FakeExecutor

import tilesmith as ts
from tilesmith.errors import DeviceError, FormatError
from tilesmith.formats import DataFormat, TileShape, pack_tiles
from tilesmith.program import CoreCoord, CoreRange
from tilesmith.runtime import (
    L1_MEMORY_CONFIG,
    ROW_MAJOR_LAYOUT,
    TILE_LAYOUT,
    BufferType,
    Device,
    Layout,
    MemoryConfig,
    ShardOrientation,
    ShardSpec,
    TensorMemoryLayout,
    block_sharded,
    height_sharded,
    open_device,
    width_sharded,
)

FLOATS = [ts.float32, ts.bfloat16, ts.float16]
INTEGERS = [ts.uint8, ts.uint16, ts.uint32, ts.int32]


@pytest.fixture
def device() -> Device:
    return open_device("n150", executor=FakeExecutor)


def _values(shape: tuple[int, ...], dtype: DataFormat) -> np.ndarray[Any, Any]:
    """Small whole numbers: every format holds them exactly."""
    count = int(np.prod(shape))
    return (np.arange(count) % 61).reshape(shape).astype(np.int32 if dtype.is_integer else np.float32)


@pytest.mark.parametrize("memory", [ts.DRAM_MEMORY_CONFIG, L1_MEMORY_CONFIG], ids=["dram", "l1"])
@pytest.mark.parametrize("layout", [TILE_LAYOUT, ROW_MAJOR_LAYOUT])
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
def test_round_trip(device: Device, dtype: DataFormat, layout: Layout, memory: MemoryConfig) -> None:
    for shape in [(), (1,), (7,), (33, 65), (2, 3, 5, 24), (1, 1, 64, 64), (0, 32)]:
        values = _values(shape, dtype)
        tensor = device.from_numpy(values, dtype, layout, memory)
        assert np.array_equal(tensor.to_numpy(), values)
        assert tensor.to_numpy().shape == shape


@pytest.mark.parametrize("dtype", [ts.bfloat8_b, ts.bfloat4_b, ts.bfloat2_b])
def test_block_floats(device: Device, dtype: DataFormat) -> None:
    values = np.ones((40, 40), np.float32)
    assert np.array_equal(device.from_numpy(values, dtype).to_numpy(), values)
    with pytest.raises(DeviceError, match="tiles only"):
        device.from_numpy(values, dtype, ROW_MAJOR_LAYOUT)


ROW, SQUARE = CoreRange((0, 0), (3, 0)), CoreRange((1, 2), (2, 3))
BY_COLUMN = ShardOrientation.COL_MAJOR
SHARDED = {
    "height": ((512, 64), height_sharded(ROW, (128, 64))),
    "height, last shard short": ((480, 64), height_sharded(ROW, (128, 64))),
    "height, two ranges": (
        (256, 32),
        height_sharded([CoreRange((3, 3), (4, 3)), CoreRange((0, 0), (1, 0))], (64, 32)),
    ),
    "width": ((64, 256), width_sharded(ROW, (64, 64))),
    "width, last shard short": ((64, 224), width_sharded(ROW, (64, 64))),
    "block": ((128, 128), block_sharded(SQUARE, (64, 64))),
    "block by column": ((96, 128), block_sharded(SQUARE, (64, 64), BY_COLUMN)),
    "block in part of the cores": ((32, 128), block_sharded(SQUARE, (32, 64))),
    "DRAM": (
        (256, 64),
        MemoryConfig(TensorMemoryLayout.HEIGHT_SHARDED, BufferType.DRAM, ShardSpec(ROW, (64, 64))),
    ),
}


@pytest.mark.parametrize("layout", [TILE_LAYOUT, ROW_MAJOR_LAYOUT])
@pytest.mark.parametrize("dtype", [ts.bfloat16, ts.int32])
@pytest.mark.parametrize("case", SHARDED)
def test_sharded_round_trip(device: Device, case: str, dtype: DataFormat, layout: Layout) -> None:
    shape, memory = SHARDED[case]
    values = _values(shape, dtype)
    assert np.array_equal(device.from_numpy(values, dtype, layout, memory).to_numpy(), values)


def test_interleaved_pages_go_round_the_banks(device: Device) -> None:
    values = _values((32, 32 * 30), ts.float32)
    tensor = device.from_numpy(values, ts.float32)
    tiles = pack_tiles(values, ts.float32)
    for page in (0, 11, 12, 29):
        start = tensor.address + page // 12 * tensor.aligned_page_size
        assert np.array_equal(device.executor.dram(page % 12)[start : start + 4096], tiles[page])


def test_interleaved_l1_pages_go_round_the_cores_row_by_row(device: Device) -> None:
    values = _values((70, 24), ts.uint16)
    tensor = device.from_numpy(values, ts.uint16, ROW_MAJOR_LAYOUT, L1_MEMORY_CONFIG)
    for row in (0, 1, 8, 63, 64, 69):
        core = CoreCoord(row % 64 % 8, row % 64 // 8)
        start = tensor.address + row // 64 * tensor.aligned_page_size
        found = device.executor.l1(core)[start : start + 48].view(np.uint16)
        assert np.array_equal(found, values[row])


def test_padding_between_rows_is_left_alone(device: Device) -> None:
    tensor = device.from_numpy(np.zeros((30, 24), np.float32), ts.bfloat16, ROW_MAJOR_LAYOUT)
    assert (tensor.page_size, tensor.aligned_page_size) == (48, 64)
    bank = device.executor.dram(0)[tensor.address : tensor.address + 128]
    assert (bank[:48] == 0).all()
    assert (bank[48:64] == JUNK).all()
    assert (bank[64:112] == 0).all()


def test_padding_of_tiles_is_zero(device: Device) -> None:
    tensor = device.from_numpy(np.ones((5, 7), np.float32), ts.float32)
    tile = device.executor.dram(0)[tensor.address :][:4096].view(np.float32)
    assert tile.sum() == 35


def test_shards_lie_where_the_spec_says(device: Device) -> None:
    values = _values((128, 128), ts.float32)
    tensor = device.from_numpy(values, ts.float32, memory_config=block_sharded(SQUARE, (64, 64)))
    lower_left = pack_tiles(values[64:, :64], ts.float32).reshape(-1)
    shard = device.executor.l1(CoreCoord(1, 3))[tensor.address : tensor.address + tensor.size_per_bank]
    assert np.array_equal(shard, lower_left)
    by_column = device.from_numpy(
        values, ts.float32, memory_config=block_sharded(SQUARE, (64, 64), BY_COLUMN)
    )
    shard = device.executor.l1(CoreCoord(2, 2))[
        by_column.address : by_column.address + by_column.size_per_bank
    ]
    assert np.array_equal(shard, lower_left)


def test_the_executor_is_told_of_writes(device: Device) -> None:
    tensor = device.from_numpy(np.zeros((32, 64), np.float32), ts.float32)
    assert isinstance(device.executor, FakeExecutor)
    assert device.executor.notes == [("dram", bank, tensor.address, 4096) for bank in (0, 1)]
    device.empty((32, 32))
    assert len(device.executor.notes) == 2


@pytest.mark.parametrize(
    ("given", "dtype", "back"),
    [
        (torch.float32, ts.float32, torch.float32),
        (torch.float64, ts.float32, torch.float32),
        (torch.bfloat16, ts.bfloat16, torch.bfloat16),
        (torch.float16, ts.float16, torch.float16),
        (torch.int32, ts.int32, torch.int32),
        (torch.int64, ts.int32, torch.int32),
        (torch.uint8, ts.uint8, torch.uint8),
        (torch.bool, ts.uint8, torch.uint8),
    ],
)
def test_torch(device: Device, given: torch.dtype, dtype: DataFormat, back: torch.dtype) -> None:
    values = (torch.arange(40 * 50).reshape(40, 50) % 2).to(given)
    tensor = device.from_torch(values)
    assert tensor.dtype is dtype
    assert tensor.to_torch().dtype is back
    assert torch.equal(tensor.to_torch().double(), values.double())


@pytest.mark.parametrize(
    ("dtype", "back"), [(ts.uint32, torch.int64), (ts.uint16, torch.int32), (ts.bfloat8_b, torch.float32)]
)
def test_formats_torch_has_no_type_for(device: Device, dtype: DataFormat, back: torch.dtype) -> None:
    values = torch.ones((32, 32), dtype=torch.int32 if dtype.is_integer else torch.float32)
    result = device.from_torch(values, dtype).to_torch()
    assert result.dtype is back
    assert torch.equal(result, values.to(back))


def test_bfloat16_keeps_its_bits(device: Device) -> None:
    bits = np.arange(0, 0x7F80, dtype=np.uint16)[: 32 * 32 * 4].reshape(64, 64)
    tensor = device.from_torch(torch.from_numpy(bits.astype(np.int16)).view(torch.bfloat16))
    back = tensor.to_torch().view(torch.int16).numpy().view(np.uint16)
    assert np.array_equal(bits, back)
    assert tensor.to_numpy().dtype == np.float32
    assert device.from_numpy(bits.view(ml_dtypes.bfloat16)).dtype is ts.bfloat16


def test_strided_and_grad_torch_tensors(device: Device) -> None:
    values = torch.randn(50, 40, requires_grad=True)
    assert torch.equal(device.from_torch(values.t()).to_torch(), values.detach().t())


def test_small_tiles(device: Device) -> None:
    values = _values((48, 80), ts.bfloat16)
    tensor = device.from_numpy(values, ts.bfloat16, tile=TileShape(16, 32))
    assert (tensor.page_size, tensor.padded_shape, tensor.num_pages) == (1024, (48, 96), 9)
    assert np.array_equal(tensor.to_numpy(), values)


def test_replacing_the_contents(device: Device) -> None:
    tensor = device.from_numpy(np.zeros((40, 40), np.float32))
    tensor.copy_from_numpy(np.full((40, 40), 3, np.float32))
    assert (tensor.to_numpy() == 3).all()
    with pytest.raises(DeviceError, match=r"\(40, 41\) do not fit"):
        tensor.copy_from_numpy(np.zeros((40, 41), np.float32))


def test_the_memory_of_tiles_seen_as_rows(device: Device) -> None:
    tiles = device.from_numpy(np.arange(64 * 64, dtype=np.float32).reshape(64, 64), DataFormat.Float32)
    rows = device.seen_as(tiles, (4, 1024), Layout.ROW_MAJOR)
    assert rows.address == tiles.address
    found = rows.to_numpy()
    assert (found[1, :16] == np.arange(32, 48)).all()  # the tile beside the first
    assert (found[0, 512:528] == 16 * 64 + np.arange(16)).all()  # the first row of its third face
    with pytest.raises(DeviceError, match="its pages are others"):
        device.seen_as(tiles, (8, 512), Layout.ROW_MAJOR)
    tiles.buffer.deallocate()
    assert not rows.is_allocated


def test_mistakes(device: Device) -> None:
    with pytest.raises(FormatError, match="complex64"):
        device.from_numpy(np.zeros(4, np.complex64))
    with pytest.raises(DeviceError, match="shape"):
        device.empty((-1, 4))
    with pytest.raises(DeviceError, match="needs a shard spec"):
        MemoryConfig(TensorMemoryLayout.WIDTH_SHARDED)
    with pytest.raises(DeviceError, match="no shards"):
        MemoryConfig(shard_spec=ShardSpec(ROW, (32, 32)))
    with pytest.raises(DeviceError, match="holds nothing"):
        ShardSpec(ROW, (0, 32))
    with pytest.raises(DeviceError, match="placed on 8-0, but n150 has 8 x 8 cores"):
        device.empty((96, 32), memory_config=height_sharded(CoreRange((6, 0), (8, 0)), (32, 32)))


def test_repr(device: Device) -> None:
    tensor = device.empty((3, 40), ts.int32, memory_config=L1_MEMORY_CONFIG)
    assert repr(tensor) == "Tensor([3, 40], Int32, tile, interleaved l1)"
    tensor.deallocate()
    assert "deallocated" in repr(tensor)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=4),
    st.sampled_from([ts.bfloat16, ts.float32, ts.uint8]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["n150", "p100a"]),
)
def test_any_shape(shape: list[int], dtype: DataFormat, tiled: bool, in_l1: bool, product: str) -> None:
    device = open_device(product, executor=FakeExecutor)
    memory = L1_MEMORY_CONFIG if in_l1 else ts.DRAM_MEMORY_CONFIG
    values = _values(tuple(shape), dtype)
    tensor = device.from_numpy(values, dtype, TILE_LAYOUT if tiled else ROW_MAJOR_LAYOUT, memory)
    assert np.array_equal(tensor.to_numpy(), values)
