"""Operands of collectives that lie on a rank's chip already, and stay there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import distributed_c10d

from tilesmith import collectives
from tilesmith.models.distributed.process_group import MeshProcessGroup
from tilesmith.models.distributed.transfers import MeshTransfers
from tilesmith.runtime import Mesh, MeshTensor, Tensor

_ENDS = ("source", "target")


@dataclass(frozen=True)
class OnChip:
    """A tensor on the chip of a rank, where its sum goes, and the way of both through the host."""

    source: Tensor
    target: Tensor
    shape: Sequence[int]
    dtype: torch.dtype
    read: Callable[[], torch.Tensor]
    write: Callable[[torch.Tensor], None]


def sums_on_chips(group_name: str, operand: OnChip) -> bool:
    """Sum over the ranks of a group, where they drive one mesh; False where they do not."""
    group = vars(distributed_c10d)["_resolve_process_group"](group_name)
    if not isinstance(group, MeshProcessGroup) or not isinstance(group.transfers, MeshTransfers):
        return False
    if not (operand.source.spec.memory_config.in_dram and operand.target.spec.memory_config.in_dram):
        return False
    mesh = group.transfers.mesh
    group.sum_operands(operand, lambda every: _summed(group, mesh, every))
    return True


def _summed(group: MeshProcessGroup, mesh: Mesh, every: list[Any]) -> list[Any]:
    """The last rank to come does it. A rank without a kernel before the sum brings a tensor of the host."""
    chips = list(getattr(mesh.chips, "devices", {}).values())
    if _lie_alike(every, chips):
        source, target = (MeshTensor(mesh, [getattr(one, end) for one in every], None) for end in _ENDS)
        collectives.all_reduce(source, into=target)
        return every
    plain = [one.read() if isinstance(one, OnChip) else one for one in every]
    found = group.transfers.all_reduce(plain, dist.ReduceOp.SUM)
    for operand, total in zip(every, found, strict=True):
        if isinstance(operand, OnChip):
            operand.write(total)
    return found


def _lie_alike(every: Sequence[Any], chips: Sequence[Any]) -> bool:
    """Programs of a mesh know a tensor by one address."""
    if not all(isinstance(one, OnChip) for one in every):
        return False
    mine = all(one.source.device is chip for one, chip in zip(every, chips, strict=True))
    places = {(one.source.address, one.target.address, one.source.spec, one.target.spec) for one in every}
    return mine and len(places) == 1
