"""Questions about tensors, under ttnn's names."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from tilesmith.ops.checks import fatal
from tilesmith.ops.framework import registered
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CoreCoord

if TYPE_CHECKING:
    import torch


def is_tensor_storage_on_device(tensor: Tensor) -> bool:
    """Whether the tensor lies on a device."""
    return tensor.on_device is not None


def get_memory_config(tensor: Tensor) -> MemoryConfig | None:
    """Where a device tensor lies; None for one on the host."""
    return tensor.memory_config() if tensor.on_device is not None else None


def get_optimal_worker_cores_for_sharded_tensor(tensor: Tensor, noc: object = None) -> list[CoreCoord]:
    """The cores that have shards, in the order of the shards; of shards in DRAM, a core for each bank."""
    fatal(tensor.on_device is not None, "Tensor must be on device to compute optimal worker cores.")
    fatal(tensor.is_sharded(), "Tensor must be sharded to compute optimal worker cores.")
    spec = tensor.spec
    shards = prod(spec.nd.shard_counts if spec.memory_config.is_nd_sharded else spec.shard_count)
    places = spec.shard_cores[:shards]
    if not spec.memory_config.in_dram:
        return list(places)
    device = tensor.device()
    assert device is not None
    workers = device.get_optimal_dram_bank_to_logical_worker_assignment(noc)
    return [workers[bank.x] for bank in places]


@registered("ttnn.pearson_correlation_coefficient")
def pearson_correlation_coefficient(expected: Tensor | torch.Tensor, actual: Tensor | torch.Tensor) -> float:
    """How well two tensors follow each other; 1 for equal ones, constants among them."""
    import numpy as np
    import torch

    a, b = (_values(one) for one in (expected, actual))
    if a.shape != b.shape:
        raise RuntimeError(f"Shapes must be the same, got {tuple(a.shape)} and {tuple(b.shape)}")
    both_nan = torch.isnan(a) & torch.isnan(b)
    if both_nan.all():
        return 1.0
    if torch.isnan(a).all() or torch.isnan(b).all() or bool(a.any()) != bool(b.any()):
        return 0.0
    first, second = (one.masked_fill(torch.isinf(one) | torch.isnan(one), 0.0).flatten() for one in (a, b))
    if torch.equal(first, second):
        return 1.0
    deviations = first.std(correction=0), second.std(correction=0)
    if not all(deviations):
        return float(torch.allclose(first, second))
    found = np.corrcoef(first.numpy(), second.numpy())[0, 1]
    return float(found)


def _values(tensor: Any) -> torch.Tensor:
    import torch

    values: torch.Tensor = tensor.to_torch() if isinstance(tensor, Tensor) else tensor
    return values.detach().to(torch.float64)
