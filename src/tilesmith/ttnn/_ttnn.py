"""ttnn._ttnn: what tests use of ttnn's C++ modules under their own names."""

from __future__ import annotations

from types import SimpleNamespace

from tilesmith.ops.device import MeshDevice
from tilesmith.ops.global_semaphores import GlobalSemaphore
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.mesh_names import SystemMeshDescriptor, Topology
from tilesmith.ops.rearrange.layout import untilize
from tilesmith.ops.tensor import Tensor
from tilesmith.ttnn import cluster, device, graph

# Two names of one operation there: with kernels made for the call, and with those that are shipped.
operations = SimpleNamespace(
    ccl=SimpleNamespace(Topology=Topology),
    data_movement=SimpleNamespace(untilize_force_native=untilize, untilize_force_codegen=untilize),
    experimental=SimpleNamespace(ccl_experimental=SimpleNamespace(GlobalSemaphoreArg=GlobalSemaphore)),
)
tensor = SimpleNamespace(Tensor=Tensor, MemoryConfig=MemoryConfig)
global_semaphore = SimpleNamespace(global_semaphore=GlobalSemaphore)
multi_device = SimpleNamespace(MeshDevice=MeshDevice, SystemMeshDescriptor=SystemMeshDescriptor)

__all__ = ["cluster", "device", "global_semaphore", "graph", "multi_device", "operations", "tensor"]
