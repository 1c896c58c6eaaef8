"""ttnn's collectives: the programs of `tilesmith.collectives` under ttnn's names and signatures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tilesmith import collectives
from tilesmith.errors import OperationError
from tilesmith.ops.distributed import WHOLE, DistributedTensor
from tilesmith.ops.framework import registered
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.mesh_names import MeshCoordinate, Topology
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import MeshTensor


def _ring(topology: Topology | None) -> bool:
    return topology is None or topology in (Topology.Ring, Topology.Torus)


def spread_tensor(tensor: Tensor, name: str) -> DistributedTensor:
    if not isinstance(tensor, DistributedTensor):
        raise OperationError(
            f"ttnn.{name} takes a tensor on the chips of a mesh, and this one is on one chip or on the host",
            remedy="open a mesh of several chips and give from_torch a mesh_mapper",
        )
    return tensor


def _result(tensor: DistributedTensor, result: MeshTensor, memory_config: MemoryConfig | None) -> Tensor:
    from tilesmith.ops.framework.registry import call

    spread = DistributedTensor.of_mesh(tensor.mesh_device, result)
    if memory_config is None or memory_config == spread.memory_config():
        return spread
    moved: Tensor = call("ttnn.to_memory_config", spread, memory_config)
    return moved


@registered("ttnn.all_gather")
def all_gather(
    input_tensor: Tensor,
    dim: int,
    *,
    cluster_axis: int | None = None,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    subdevice_id: object = None,
    sub_core_grids: object = None,
    num_links: int | None = None,
    topology: Topology | None = None,
    chunks_per_sync: int | None = None,
    num_workers_per_link: int | None = None,
    num_buffers_per_channel: int | None = None,
    use_l1_small_for_semaphores: bool = False,
) -> Tensor:
    """What every chip has, one behind the other along `dim`, on every chip."""
    tensor = spread_tensor(input_tensor, "all_gather")
    into = _room(output_tensor, "all_gather")
    gathered = collectives.all_gather(tensor.to_mesh(), dim, cluster_axis, _ring(topology), into)
    return _result(tensor, gathered, memory_config) if output_tensor is None else output_tensor


@registered("ttnn.reduce_scatter")
def reduce_scatter(
    input_tensor: Tensor,
    dim: int,
    *,
    cluster_axis: int | None = None,
    subdevice_id: object = None,
    memory_config: MemoryConfig | None = None,
    intermediate_memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    num_links: int | None = None,
    topology: Topology | None = None,
    chunks_per_sync: int | None = None,
    num_workers_per_link: int | None = None,
    num_buffers_per_channel: int | None = None,
    compute_kernel_config: object = None,
    use_l1_small_for_semaphores: bool = False,
) -> Tensor:
    """The sum of what the chips have, on each its own part along `dim`."""
    tensor = spread_tensor(input_tensor, "reduce_scatter")
    into = _room(output_tensor, "reduce_scatter")
    part = collectives.reduce_scatter(tensor.to_mesh(), dim, cluster_axis, _ring(topology), into)
    return _result(tensor, part, memory_config) if output_tensor is None else output_tensor


@registered("ttnn.all_reduce")
def all_reduce(
    input_tensor: Tensor,
    *,
    cluster_axis: int | None = None,
    subdevice_id: object = None,
    memory_config: MemoryConfig | None = None,
    num_links: int | None = None,
    topology: Topology | None = None,
) -> Tensor:
    """The sum of what the chips have, on each of them."""
    tensor = spread_tensor(input_tensor, "all_reduce")
    return _result(
        tensor, collectives.all_reduce(tensor.to_mesh(), cluster_axis, _ring(topology)), memory_config
    )


@registered("ttnn.broadcast")
def broadcast(
    input_tensor: Tensor,
    sender_coord: MeshCoordinate | Sequence[int],
    *,
    num_links: int | None = None,
    memory_config: MemoryConfig | None = None,
    topology: Topology = Topology.Linear,
    cluster_axis: int | None = None,
    subdevice_id: object = None,
) -> Tensor:
    """What the chip at `sender_coord` has, on all chips of its line."""
    tensor = spread_tensor(input_tensor, "broadcast")
    mesh = tensor.to_mesh()
    axis = _axis(mesh, cluster_axis)
    sent = collectives.broadcast(mesh, tuple(sender_coord)[axis], axis, _ring(topology))
    return _result(tensor, sent, memory_config)


@registered("ttnn.point_to_point")
def point_to_point(
    input_tensor: Tensor,
    sender_coord: MeshCoordinate | Sequence[int],
    receiver_coord: MeshCoordinate | Sequence[int],
    *,
    output_tensor: Tensor | None = None,
    intermediate_tensor: Tensor | None = None,
    topology: Topology = Topology.Linear,
) -> Tensor:
    """What one chip has, on another of its row or column."""
    tensor = spread_tensor(input_tensor, "point_to_point")
    _no_output(output_tensor, "point_to_point")
    sender, receiver = tuple(sender_coord), tuple(receiver_coord)
    axes = [axis for axis in (0, 1) if sender[axis] != receiver[axis]]
    if len(axes) != 1:
        raise OperationError(
            f"ttnn.point_to_point goes along a row or a column, not from {sender} to {receiver}",
            remedy="send by way of a chip in the same row or column",
        )
    axis = axes[0]
    mesh = tensor.to_mesh()
    sent = collectives.point_to_point(mesh, sender[axis], receiver[axis], axis, _ring(topology))
    return _result(tensor, sent, None)


def _axis(mesh: MeshTensor, cluster_axis: int | None) -> int:
    if cluster_axis is not None:
        return cluster_axis
    return 0 if mesh.mesh.shape[1] == 1 else 1


def _room(output_tensor: Tensor | None, name: str) -> MeshTensor | None:
    """Where the result is to go."""
    return None if output_tensor is None else spread_tensor(output_tensor, name).to_mesh()


def _no_output(output_tensor: Any, name: str) -> None:
    if output_tensor is not None:
        raise OperationError(
            f"ttnn.{name} makes its output itself here", remedy="leave output_tensor out and use the result"
        )


def taken_whole(name: str, operation: Callable[..., Tensor]) -> None:
    """Call an operation once, and not for every chip of its tensors."""
    WHOLE[name] = lambda _, *args, **kwargs: operation(*args, **kwargs)


for _operation in (all_gather, reduce_scatter, all_reduce, broadcast, point_to_point):
    taken_whole(f"ttnn.{_operation.__name__}", _operation)
