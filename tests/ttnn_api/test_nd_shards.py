"""NdShardSpec: shards with as many axes as wanted, on the host and through kernels."""

from __future__ import annotations

import pytest
import torch

from tilesmith import ttnn
from tilesmith.errors import OperationError
from tilesmith.ops.device import MeshDevice

GRID = ttnn.CoreRangeSet(ttnn.CoreRange((0, 0), (1, 1)))


def _nd(shape: list[int], strategy: ttnn.ShardDistributionStrategy) -> ttnn.MemoryConfig:
    spec = ttnn.NdShardSpec(ttnn.Shape(shape), GRID, shard_distribution_strategy=strategy)
    return ttnn.MemoryConfig(ttnn.BufferType.L1, spec)


@pytest.mark.parametrize("layout", [ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT])
@pytest.mark.parametrize(
    ("shard", "strategy"),
    [
        ([1, 2, 32, 32], ttnn.ShardDistributionStrategy.ROUND_ROBIN_1D),
        ([2, 1, 32, 32], ttnn.ShardDistributionStrategy.CONTIGUOUS_1D),
        ([3, 32, 64], ttnn.ShardDistributionStrategy.ROUND_ROBIN_1D),
    ],
)
def test_data_survives_the_way_through_kernels(
    device: MeshDevice, layout: ttnn.Layout, shard: list[int], strategy: ttnn.ShardDistributionStrategy
) -> None:
    values = torch.randn(2, 3, 64, 64).bfloat16()
    memory = _nd(shard, strategy)
    placed = ttnn.from_torch(values, layout=layout, device=device, memory_config=memory)
    assert placed.memory_config().nd_shard_spec == memory.nd_shard_spec
    moved = ttnn.to_memory_config(placed, ttnn.DRAM_MEMORY_CONFIG)
    back = ttnn.to_memory_config(moved, memory)
    for tensor in (placed, moved, back):
        assert torch.equal(ttnn.to_torch(tensor), values)


def test_shards_that_are_rows_are_height_shards(device: MeshDevice) -> None:
    memory = _nd([1, 1, 32, 64], ttnn.ShardDistributionStrategy.ROUND_ROBIN_1D)
    tensor = ttnn.from_torch(
        torch.ones(1, 1, 128, 64), layout=ttnn.TILE_LAYOUT, device=device, memory_config=memory
    )
    found = tensor.memory_config()
    assert found.memory_layout is ttnn.TensorMemoryLayout.HEIGHT_SHARDED
    assert found.shard_spec is not None
    assert found.shard_spec.shape == (32, 64)


def test_specs_can_be_sharded() -> None:
    spec = ttnn.TensorSpec([2, 64, 96], ttnn.bfloat16, ttnn.TILE_LAYOUT, buffer_type=ttnn.BufferType.L1)
    across = spec.sharded_across_dims([0, 1], GRID).memory_config.nd_shard_spec
    assert across is not None
    assert across.shard_shape == (1, 32, 96)
    rows = spec.height_sharded(GRID).memory_config.shard_spec
    assert rows is not None
    assert rows.shape == (32, 96)


@pytest.mark.parametrize("by_row", [True, False])
def test_cores_that_have_shards_in_their_order(device: MeshDevice, by_row: bool) -> None:
    orientation = ttnn.ShardOrientation.ROW_MAJOR if by_row else ttnn.ShardOrientation.COL_MAJOR
    spec = ttnn.NdShardSpec(ttnn.Shape([1, 32, 32]), GRID, orientation)
    memory = ttnn.MemoryConfig(ttnn.BufferType.L1, spec)
    values = torch.ones(3, 32, 32)
    tensor = ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=device, memory_config=memory)
    wanted = [(0, 0), (1, 0), (0, 1)] if by_row else [(0, 0), (0, 1), (1, 0)]
    found = ttnn.get_optimal_worker_cores_for_sharded_tensor(tensor)
    assert [(core.x, core.y) for core in found] == wanted
    plain = ttnn.to_memory_config(tensor, ttnn.DRAM_MEMORY_CONFIG)
    with pytest.raises(OperationError, match="Tensor must be sharded"):
        ttnn.get_optimal_worker_cores_for_sharded_tensor(plain)


@pytest.mark.parametrize("dim", [0, 3])
@pytest.mark.parametrize(
    ("shape", "shard"), [((3, 2, 40, 50), [2, 1, 32, 32]), ((1, 1, 18, 26), [1, 1, 32, 160])]
)
def test_what_lies_in_nd_shards_is_reduced(
    device: MeshDevice, shape: tuple[int, ...], shard: list[int], dim: int
) -> None:
    values = torch.arange(torch.Size(shape).numel()).reshape(shape).remainder(19).float()
    memory = _nd(shard, ttnn.ShardDistributionStrategy.ROUND_ROBIN_1D)
    placed = ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=device, memory_config=memory)
    for asked in (None, memory):
        made = ttnn.sum(placed, dim=dim, keepdim=True, memory_config=asked)
        assert torch.equal(ttnn.to_torch(made), values.sum(dim, keepdim=True))
        assert made.memory_config().is_sharded()
