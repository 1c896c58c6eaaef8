"""The device, its program cache, memory configs and golden functions."""

from __future__ import annotations

import inspect

import pytest
import torch

from tilesmith import ttnn


def _ones(device: ttnn.MeshDevice, *shape: int) -> ttnn.Tensor:
    made: ttnn.Tensor = ttnn.ones(shape, layout=ttnn.TILE_LAYOUT, device=device)
    return made


def test_the_device_describes_itself(device: ttnn.MeshDevice) -> None:
    assert device.compute_with_storage_grid_size() == ttnn.CoreCoord(8, 8)
    assert repr(device.core_grid) == "ttnn.CoreGrid(x=8, y=8)"
    assert device.arch() is ttnn.Arch.WORMHOLE_B0
    assert repr(device) == "MeshDevice(1x1 grid, 1 devices)"
    assert (device.get_num_devices(), device.id(), device.dram_grid_size()) == (1, 0, (12, 1))


def test_models_find_classes_where_ttnns_own_modules_have_them() -> None:
    assert ttnn._ttnn.tensor.Tensor is ttnn.Tensor
    assert ttnn._ttnn.tensor.MemoryConfig is ttnn.MemoryConfig
    assert ttnn._ttnn.global_semaphore.global_semaphore is ttnn.GlobalSemaphore
    assert ttnn._ttnn.device.SubDeviceId is ttnn.SubDeviceId


def test_the_program_cache_counts_as_ttnns() -> None:
    with ttnn.manage_device(device_id=0) as device:
        ttnn.add(_ones(device, 32, 32), _ones(device, 32, 32))
        assert device.num_program_cache_entries() == 1
        ttnn.add(_ones(device, 32, 32), _ones(device, 32, 32))
        assert device.num_program_cache_entries() == 1
        for number in (1.0, 2.0):
            got = ttnn.add(_ones(device, 32, 32), number)
            assert got.to_torch()[0, 0] == 1 + number
        assert device.num_program_cache_entries() == 2
        ttnn.add(_ones(device, 64, 32), _ones(device, 64, 32))
        assert device.num_program_cache_entries() == 3
        device.set_program_cache_misses_allowed(False)
        with pytest.raises(RuntimeError, match="cache misses are forbidden"):
            ttnn.add(_ones(device, 96, 32), 1.0)
        device.set_program_cache_misses_allowed(True)
        device.disable_and_clear_program_cache()
        ttnn.add(_ones(device, 32, 32), 1.0)
        assert device.num_program_cache_entries() == 0
        device.enable_program_cache()
        ttnn.add(_ones(device, 32, 32), 1.0)
        device.clear_program_cache()
        assert device.num_program_cache_entries() == 0


def test_memory_configs_are_ttnns() -> None:
    assert ttnn.L1_MEMORY_CONFIG.buffer_type is ttnn.BufferType.L1
    assert ttnn.L1_HEIGHT_SHARDED_MEMORY_CONFIG.is_sharded()
    with pytest.raises(RuntimeError, match="shard spec"):
        ttnn.L1_HEIGHT_SHARDED_MEMORY_CONFIG.placed()
    spec = ttnn.ShardSpec(ttnn.CoreGrid(y=1, x=1).ranges, [32, 32], ttnn.ShardOrientation.ROW_MAJOR)
    with pytest.raises(RuntimeError, match="does not take a shard spec"):
        ttnn.MemoryConfig(ttnn.TensorMemoryLayout.INTERLEAVED, ttnn.BufferType.L1, spec)


@pytest.mark.parametrize(
    ("strategy", "grid", "shard"),
    [("HEIGHT", (1, 4), (32, 64)), ("WIDTH", (1, 2), (128, 32)), ("BLOCK", (2, 2), (64, 32))],
)
def test_shards_follow_the_grid(strategy: str, grid: tuple[int, int], shard: tuple[int, int]) -> None:
    memory = ttnn.create_sharded_memory_config(
        [2, 64, 64], ttnn.CoreGrid(y=grid[0], x=grid[1]), ttnn.ShardStrategy[strategy]
    )
    assert memory.shard_spec is not None
    assert memory.shard_spec.shape == shard


def test_uneven_shards_are_refused() -> None:
    with pytest.raises(RuntimeError, match="Invalid sharding core_grid"):
        ttnn.create_sharded_memory_config([33, 64], ttnn.CoreGrid(y=1, x=2), ttnn.ShardStrategy.HEIGHT)


def test_sharded_tensors_travel(device: ttnn.MeshDevice) -> None:
    values = torch.randn(64, 64).bfloat16()
    tensor = ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=device)
    height = ttnn.create_sharded_memory_config([64, 64], ttnn.CoreGrid(y=1, x=2), ttnn.ShardStrategy.HEIGHT)
    block = ttnn.create_sharded_memory_config([64, 64], ttnn.CoreGrid(y=2, x=2), ttnn.ShardStrategy.BLOCK)
    there = ttnn.interleaved_to_sharded(tensor, height)
    assert there.memory_config() == height
    again = ttnn.sharded_to_interleaved(ttnn.reshard(there, block))
    assert torch.equal(again.to_torch(), values)
    with pytest.raises(RuntimeError, match="must be sharded"):
        ttnn.sharded_to_interleaved(tensor)


def test_golden_functions_are_attached_and_replaced() -> None:
    assert torch.equal(
        ttnn.get_golden_function(ttnn.relu)(torch.tensor([-1.0, 2.0])), torch.tensor([0.0, 2.0])
    )
    golden = ttnn.get_golden_function(ttnn.relu)
    ttnn.attach_golden_function(ttnn.relu, lambda x: x)
    assert ttnn.get_golden_function(ttnn.relu)(3) == 3
    ttnn.attach_golden_function(ttnn.relu, golden)
    with pytest.raises(RuntimeError, match="golden"):
        ttnn.get_golden_function(ttnn.empty)


def test_operations_show_ttnns_signatures() -> None:
    assert list(inspect.signature(ttnn.leaky_relu).parameters)[:2] == ["input_tensor", "negative_slope"]
    assert "fast_and_approximate_mode" in inspect.signature(ttnn.exp).parameters
    assert ttnn.registered_operations()["ttnn.add"].python_fully_qualified_name == "ttnn.add"
    with pytest.raises(TypeError):
        ttnn.leaky_relu(1)  # type: ignore[call-arg]  # that is the test
    with pytest.raises(AttributeError, match="no 'conv3d'"):
        _ = ttnn.conv3d  # type: ignore[attr-defined]  # that is the test
    assert {"add", "grid_sample", "Tensor"} <= set(dir(ttnn))
