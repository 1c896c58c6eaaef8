"""ttnn._ttnn: what tests use of ttnn's C++ modules under their own names."""

from __future__ import annotations

from types import SimpleNamespace

from tilesmith.ops.device import MeshDevice
from tilesmith.ops.mesh_names import SystemMeshDescriptor
from tilesmith.ttnn import cluster, device, graph

multi_device = SimpleNamespace(MeshDevice=MeshDevice, SystemMeshDescriptor=SystemMeshDescriptor)

__all__ = ["cluster", "device", "graph", "multi_device"]
