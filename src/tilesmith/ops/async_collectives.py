"""ttnn.experimental's collectives: those of ttnn, called with semaphores that the emulator's do not need.

A call returns when the collective has ended, so that nothing is left to wait for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilesmith.errors import OperationError
from tilesmith.ops.collectives import all_gather, reduce_scatter, taken_whole
from tilesmith.ops.framework import registered
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.mesh_names import Topology
from tilesmith.ops.tensor import Tensor


@registered("ttnn.experimental.all_gather_async")
def all_gather_async(
    input_tensor: Tensor,
    *args: Any,
    dim: int | None = None,
    multi_device_global_semaphore: object = None,
    persistent_output_buffer: Tensor | None = None,
    persistent_output_tensor: Tensor | None = None,
    cluster_axis: int | None = None,
    mesh_device: object = None,
    num_links: int | None = None,
    memory_config: MemoryConfig | None = None,
    topology: Topology = Topology.Ring,
    subdevice_id: object = None,
    use_optimal_ccl_for_llama: bool = False,
    use_broadcast: bool = False,
    barrier_semaphore: object = None,
    chunks_per_sync: int | None = None,
    num_workers_per_link: int | None = None,
    num_buffers_per_channel: int | None = None,
    sub_core_grids: object = None,
) -> Tensor:
    """What every chip has, one behind the other along `dim`, on every chip.

    As in ttnn a buffer for the result may stand before `dim`; or `cluster_axis`, the mesh and the topology
    behind it.
    """
    output = persistent_output_tensor if persistent_output_buffer is None else persistent_output_buffer
    if args and (args[0] is None or isinstance(args[0], Tensor)):
        output, args = args[0], args[1:]
    names = ("dim", "cluster_axis", "mesh_device", "topology") if len(args) > 2 else ("dim",)
    given = dict(zip(names, args, strict=False))
    return all_gather(
        input_tensor,
        _dim(given.get("dim", dim), "all_gather_async"),
        cluster_axis=given.get("cluster_axis", cluster_axis),
        memory_config=memory_config,
        output_tensor=output,
        topology=given.get("topology", topology),
    )


@registered("ttnn.experimental.reduce_scatter_minimal_async")
def reduce_scatter_minimal_async(
    input_tensor: Tensor,
    persistent_output_buffers: Sequence[Tensor] | None = None,
    dim: int | None = None,
    multi_device_global_semaphore: object = None,
    *,
    barrier_semaphore: object = None,
    num_links: int | None = None,
    memory_config: MemoryConfig | None = None,
    intermediate_memory_config: MemoryConfig | None = None,
    topology: Topology = Topology.Ring,
    subdevice_id: object = None,
    cluster_axis: int | None = None,
    chunks_per_sync: int | None = None,
    num_workers_per_link: int | None = None,
    num_buffers_per_channel: int | None = None,
    compute_kernel_config: object = None,
) -> Tensor:
    """The sum of what the chips have, on each its own part along `dim`.

    The last of the persistent buffers is for the result; others are for what is on the way, and not used.
    """
    return reduce_scatter(
        input_tensor,
        _dim(dim, "reduce_scatter_minimal_async"),
        cluster_axis=cluster_axis,
        memory_config=memory_config,
        output_tensor=persistent_output_buffers[-1] if persistent_output_buffers else None,
        topology=topology,
    )


def _dim(dim: object, name: str) -> int:
    if not isinstance(dim, int):
        raise OperationError(f"ttnn.experimental.{name} needs a dimension", remedy="give dim=")
    return dim


for _operation in (all_gather_async, reduce_scatter_minimal_async):
    taken_whole(f"ttnn.experimental.{_operation.__name__}", _operation)
