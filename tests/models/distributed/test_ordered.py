"""The backend "tilesmith" of torch.distributed between processes, here a single one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor

import tilesmith.models.distributed  # noqa: F401 - the backend


@pytest.fixture
def world() -> Iterator[None]:
    dist.init_process_group("tilesmith", store=vars(dist)["HashStore"](), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


@pytest.mark.usefixtures("world")
def test_functional_collectives_outside_of_graphs() -> None:
    """A DTensor is put together by them."""
    mesh, values = init_device_mesh("cpu", (1,)), torch.randn(4, 3)
    shared = distribute_tensor(values, mesh, [Shard(0)])
    assert torch.equal(shared.full_tensor(), values)
    assert torch.equal(shared.redistribute(mesh, [Replicate()]).to_local(), values)
    group = dist.group.WORLD
    assert group is not None
    gathered = torch.ops._c10d_functional.all_gather_into_tensor(values, 1, group.group_name)
    assert torch.equal(torch.ops._c10d_functional.wait_tensor(gathered), values)
    total = torch.ops._c10d_functional.reduce_scatter_tensor(values, "sum", 1, group.group_name)
    assert torch.equal(torch.ops._c10d_functional.wait_tensor(total), values)
