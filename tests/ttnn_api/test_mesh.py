"""ttnn's API on several chips: mappers, composers, operations on every chip, and collectives."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from tilesmith import ttnn
from tilesmith.errors import OperationError


@pytest.fixture(scope="module")
def mesh_device() -> Iterator[ttnn.MeshDevice]:
    ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_1D)
    device = ttnn.open_mesh_device(ttnn.MeshShape(1, 2))
    yield device
    ttnn.close_mesh_device(device)
    ttnn.set_fabric_config(ttnn.FabricConfig.DISABLED)


def _spread(values: torch.Tensor, device: ttnn.MeshDevice, mapper: object = None) -> ttnn.Tensor:
    return ttnn.from_torch(
        values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, mesh_mapper=mapper
    )


def _values(*shape: int) -> torch.Tensor:
    return torch.randint(-8, 8, shape, generator=torch.Generator().manual_seed(0)).bfloat16()


def test_a_tensor_goes_to_the_chips_and_back(mesh_device: ttnn.MeshDevice) -> None:
    values = _values(64, 64)
    shared = _spread(values, mesh_device, ttnn.ShardTensorToMesh(mesh_device, dim=0))
    assert tuple(shared.shape) == (32, 64)
    assert shared.device() is mesh_device
    assert torch.equal(
        ttnn.to_torch(shared, mesh_composer=ttnn.ConcatMeshToTensor(mesh_device, dim=0)), values
    )
    first, second = (ttnn.to_torch(part) for part in ttnn.get_device_tensors(_spread(values, mesh_device)))
    assert torch.equal(first, values)
    assert torch.equal(second, values)


def test_mappers_of_two_axes(mesh_device: ttnn.MeshDevice) -> None:
    values = _values(32, 128)
    config = ttnn.MeshMapperConfig([ttnn.PlacementReplicate(), ttnn.PlacementShard(1)])
    mapper = ttnn.create_mesh_mapper(mesh_device, config)
    composer = ttnn.create_mesh_composer(mesh_device, ttnn.MeshComposerConfig(dims=[0, 1]))
    shared = _spread(values, mesh_device, mapper)
    assert tuple(shared.shape) == (32, 64)
    assert torch.equal(ttnn.to_torch(shared, mesh_composer=composer), values)
    again = _spread(values, mesh_device, ttnn.ShardTensor2dMesh(mesh_device, (1, 2), dims=(None, 1)))
    joined = ttnn.to_torch(again, mesh_composer=ttnn.ConcatMesh2dToTensor(mesh_device, (1, 2), dims=(0, 1)))
    assert torch.equal(joined, values)


def test_a_product_shared_by_two_chips(mesh_device: ttnn.MeshDevice) -> None:
    """Columns of the first weight, rows of the second, and a sum at the end: tensor parallel."""
    x, up, down = (_values(*shape).clamp(-1, 1) for shape in ((32, 32), (32, 64), (64, 32)))
    rows = _spread(up, mesh_device, ttnn.ShardTensorToMesh(mesh_device, dim=1))
    columns = _spread(down, mesh_device, ttnn.ShardTensorToMesh(mesh_device, dim=0))
    hidden = ttnn.relu(ttnn.matmul(_spread(x, mesh_device), rows))
    found = ttnn.all_reduce(ttnn.matmul(hidden, columns))
    wanted = torch.relu(x.float() @ up.float()) @ down.float()
    assert wanted.abs().max() <= 256  # so that bfloat16 holds every sum
    for part in ttnn.get_device_tensors(found):
        assert torch.equal(ttnn.to_torch(part).float(), wanted)


def test_collectives(mesh_device: ttnn.MeshDevice) -> None:
    values = _values(64, 64)
    shared = _spread(values, mesh_device, ttnn.ShardTensorToMesh(mesh_device, dim=0))
    gathered = ttnn.all_gather(shared, dim=0, num_links=1, topology=ttnn.Topology.Linear)
    for part in ttnn.get_device_tensors(gathered):
        assert torch.equal(ttnn.to_torch(part), values)
    scattered = ttnn.reduce_scatter(gathered, dim=1)
    joined = ttnn.to_torch(scattered, mesh_composer=ttnn.ConcatMeshToTensor(mesh_device, dim=1))
    assert torch.equal(joined, values * 2)
    sent = ttnn.point_to_point(shared, ttnn.MeshCoordinate(0, 0), ttnn.MeshCoordinate(0, 1))
    assert torch.equal(ttnn.to_torch(ttnn.get_device_tensors(sent)[1]), values[:32])
    copied = ttnn.broadcast(shared, ttnn.MeshCoordinate(0, 1))
    assert torch.equal(ttnn.to_torch(ttnn.get_device_tensors(copied)[0]), values[32:])


def test_collectives_under_their_experimental_names(mesh_device: ttnn.MeshDevice) -> None:
    """With the semaphores and persistent buffers of ttnn's calls, in each of its orders."""
    values = _values(64, 64)
    shared = _spread(values, mesh_device, ttnn.ShardTensorToMesh(mesh_device, dim=0))
    room = _spread(torch.zeros(64, 64), mesh_device)
    half = _spread(torch.zeros(64, 32), mesh_device)
    calls = [
        ttnn.experimental.all_gather_async(shared, 0, None, num_links=1),
        ttnn.experimental.all_gather_async(shared, room, 0, None),
        ttnn.experimental.all_gather_async(shared, persistent_output_buffer=None, dim=0, cluster_axis=1),
        ttnn.experimental.all_gather_async(shared, 0, 1, mesh_device, ttnn.Topology.Linear, None),
        ttnn.all_gather(shared, 0, output_tensor=room),
    ]
    for gathered in calls:
        assert all(torch.equal(ttnn.to_torch(part), values) for part in ttnn.get_device_tensors(gathered))
    assert calls[1] is calls[-1] is room
    scattered = ttnn.experimental.reduce_scatter_minimal_async(room, [room, half], 1, [])
    assert scattered is half
    joined = ttnn.to_torch(half, mesh_composer=ttnn.ConcatMeshToTensor(mesh_device, dim=1))
    assert torch.equal(joined, values * 2)
    with pytest.raises(OperationError, match="needs a dimension"):
        ttnn.experimental.reduce_scatter_minimal_async(room)


def test_parts_of_a_mesh() -> None:
    whole = ttnn.open_mesh_device(ttnn.MeshShape(2, 2))
    rows = whole.create_submeshes(ttnn.MeshShape(1, 2))
    assert [row.get_device_ids() for row in rows] == [[0, 1], [2, 3]]
    assert whole.get_submeshes() == rows
    for number, row in enumerate(rows):
        values = _values(64, 32) + number
        total = ttnn.all_reduce(_spread(values, row, ttnn.ShardTensorToMesh(row, dim=0)))
        for part in ttnn.get_device_tensors(total):
            assert torch.equal(ttnn.to_torch(part), values[:32] + values[32:])
        ttnn.close_mesh_device(row)
    column = whole.create_submesh(ttnn.MeshShape(2, 1), ttnn.MeshCoordinate(0, 1))
    assert column.get_device_ids() == [1, 3]
    alone = whole.create_submesh(ttnn.MeshShape(1, 1), ttnn.MeshCoordinate(1, 0))
    assert (alone.id(), alone.get_num_devices()) == (2, 1)
    assert torch.equal(ttnn.to_torch(ttnn.add(_spread(values, alone), 1.0)), values + 1)
    with pytest.raises(OperationError, match="do not fit"):
        whole.create_submesh(ttnn.MeshShape(2, 2), ttnn.MeshCoordinate(0, 1))
    with pytest.raises(OperationError, match="no parts of"):
        whole.create_submeshes(ttnn.MeshShape(2, 3))
    ttnn.close_mesh_device(whole)


def test_what_cannot_be_is_said(mesh_device: ttnn.MeshDevice) -> None:
    values = _values(33, 32)
    with pytest.raises(OperationError, match="no 2 equal parts along dimension 0"):
        _spread(values, mesh_device, ttnn.ShardTensorToMesh(mesh_device, dim=0))
    with pytest.raises(OperationError, match="nothing says how the parts on 2 chips are joined"):
        ttnn.to_torch(_spread(values, mesh_device))
    alone = ttnn.open_device(device_id=0)
    with pytest.raises(OperationError, match="takes a tensor on the chips of a mesh"):
        ttnn.all_reduce(ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=alone))
    ttnn.close_device(alone)
