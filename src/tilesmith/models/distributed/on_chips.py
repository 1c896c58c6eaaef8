"""Collectives of compiled graphs whose operands lie on the ranks' chips already, and stay there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import distributed_c10d

from tilesmith import collectives
from tilesmith.models.backends.mesh_collectives import MeshCollective
from tilesmith.models.distributed.operands import OnChip
from tilesmith.models.distributed.process_group import Collective, MeshProcessGroup, pieces_of
from tilesmith.models.distributed.transfers import MeshTransfers
from tilesmith.runtime import MeshTensor, Tensor

Do = Callable[[Any, dict[str, Any]], None]
"""One step of a plan, with the values on the host."""


def moved_on_chips(step: MeshCollective, source: Tensor, target: Tensor, do: Do) -> bool:
    """Do a collective on the chips of a group's ranks, where they drive one mesh; False where they do not."""
    group = vars(distributed_c10d)["_resolve_process_group"](step.group)
    if not isinstance(group, MeshProcessGroup) or not isinstance(group.transfers, MeshTransfers):
        return False
    if not (source.spec.memory_config.in_dram and target.spec.memory_config.in_dram):
        return False
    if source.address == target.address and step.operation != "all_reduce":
        return False
    program, plain, take = partial(_run, step), partial(_read, step, do), partial(_write, step, do)
    group.meet(_met(group, step), OnChip(source, target, program, plain, take))
    return True


def _met(group: MeshProcessGroup, step: MeshCollective) -> Collective:
    """To other ranks it is the same collective as one of tensors."""
    if step.operation == "all_reduce":
        return group.reduction(step, dist.ReduceOp.SUM)
    if step.operation == "reduce_scatter_tensor":
        return group.scattering(step, dist.ReduceOp.SUM)
    return group.exchange(step) if step.operation == "all_to_all_single" else group.gathering(step)


def _run(step: MeshCollective, source: MeshTensor, target: MeshTensor) -> None:
    split, concat = step.ways.split, step.ways.concat
    if step.operation == "all_reduce":
        collectives.all_reduce(source, into=target)
    elif concat is None:
        assert split is not None
        collectives.reduce_scatter(source, split, into=target)
    elif split is None:
        collectives.all_gather(source, concat, into=target)
    else:
        collectives.all_to_all(source, split, concat, into=target)


def _read(step: MeshCollective, do: Do) -> Any:
    """The operand as torch's process groups are given it."""
    values: dict[str, Any] = {}
    do(step.download, values)
    operand: torch.Tensor = values[step.download.node]
    return operand if step.ways.split is None else pieces_of(operand, step.ranks)


def _write(step: MeshCollective, do: Do, found: Any) -> None:
    """Bring a result up as the plan would have."""
    result = found if isinstance(found, torch.Tensor) else torch.cat(list(found))
    values: dict[str, Any] = {step.wait.node: result.reshape(step.shape)}
    for behind in (*step.views, step.upload):
        do(behind, values)
