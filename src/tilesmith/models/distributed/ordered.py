"""Sums between processes in the order of the ranks: data travels through torch's process group, and every
process adds it as the chips of a mesh do.

gloo adds in an order of its own, and rounds narrow types at every step: one process that drives a mesh and
several processes would differ in the last bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed import distributed_c10d

from tilesmith.models.distributed.left_alone import left_alone
from tilesmith.models.distributed.process_group import (
    MeshProcessGroup,
    ReductionForms,
    done,
    fill,
    pieces_of,
)
from tilesmith.models.distributed.reduction import plain_op, reduced

NAME = "tilesmith"

_OPS = {
    "sum": dist.ReduceOp.SUM,
    "avg": dist.ReduceOp.AVG,
    "product": dist.ReduceOp.PRODUCT,
    "min": dist.ReduceOp.MIN,
    "max": dist.ReduceOp.MAX,
    "band": dist.ReduceOp.BAND,
    "bor": dist.ReduceOp.BOR,
    "bxor": dist.ReduceOp.BXOR,
}


def all_reduce(group: Any, tensor: Tensor, op: Any) -> Tensor:
    """The reduction of what the processes of a group have."""
    parts = [torch.empty_like(tensor) for _ in range(group.size())]
    group.allgather([parts], [tensor.contiguous()]).wait()
    return reduced(parts, plain_op(op))


def reduce_scatter(group: Any, pieces: Sequence[Tensor], op: Any) -> Tensor:
    """The reduction of the pieces that the processes have for this one."""
    mine = pieces[group.rank()]
    flat = torch.cat([piece.reshape(-1) for piece in pieces])
    found = flat.new_empty(group.size() * mine.numel())
    sizes = [piece.numel() for piece in pieces]
    with _told("reduce_scatter"):
        group.alltoall_base(found, flat, [mine.numel()] * group.size(), sizes, dist.AllToAllOptions()).wait()
    return reduced([part.reshape(mine.shape) for part in found.chunk(group.size())], plain_op(op))


# ---- functional collectives of a graph ----


def in_order(target: Any, args: Sequence[Any]) -> Any:
    """What a functional collective gives, its sums in the order of the ranks; None where it sums nothing."""
    work = _FUNCTIONAL.get(getattr(target, "_opname", ""))
    if work is None or getattr(target, "namespace", "") != "_c10d_functional":
        return None
    group = args[-1]
    if isinstance(group, str):
        group = vars(distributed_c10d)["_resolve_process_group"](group)
    if isinstance(group, MeshProcessGroup | OrderedProcessGroup):
        return None
    return work(group, args[0], _OPS[args[1]])


def _scattered(group: Any, tensor: Tensor, op: Any) -> Tensor:
    return reduce_scatter(group, pieces_of(tensor, group.size()), op)


def _each(work: Callable[[Any, Tensor, Any], Tensor]) -> Callable[[Any, Sequence[Tensor], Any], list[Tensor]]:
    return lambda group, tensors, op: [work(group, tensor, op) for tensor in tensors]


_FUNCTIONAL: dict[str, Callable[[Any, Any, Any], Any]] = {
    "all_reduce": all_reduce,
    "all_reduce_coalesced": _each(all_reduce),
    "reduce_scatter_tensor": _scattered,
    "reduce_scatter_tensor_coalesced": _each(_scattered),
}


# ---- the backend "tilesmith" of torch.distributed ----


@contextmanager
def _told(collective: str) -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        raise left_alone(collective, error) from error


class OrderedProcessGroup(ReductionForms):
    """gloo, but for sums: those of DDP and FSDP, outside of graphs, have the bits of a mesh, too."""

    def __init__(self, gloo: Any, name: str) -> None:
        super().__init__(gloo.rank(), gloo.size())
        self._gloo, self._name = gloo, name

    def getBackendName(self) -> str:  # noqa: N802 - torch's name
        return NAME

    @property
    def group_name(self) -> str:
        return self._name

    def allreduce(self, tensors: Sequence[Tensor], opts: Any = None) -> Any:
        op = opts.reduceOp if opts else dist.ReduceOp.SUM
        with _told("all_reduce"):
            for tensor in tensors:
                fill(tensor, all_reduce(self._gloo, tensor, op))
        return done(tensors)

    def reduce(self, tensors: Sequence[Tensor], opts: Any) -> Any:
        with _told("reduce"):
            for tensor in tensors:
                total = all_reduce(self._gloo, tensor, opts.reduceOp)
                if self.rank() == opts.rootRank:
                    fill(tensor, total)
        return done(tensors)

    def reduce_scatter(
        self, outputs: Sequence[Tensor], inputs: Sequence[Sequence[Tensor]], opts: Any = None
    ) -> Any:
        op = opts.reduceOp if opts else dist.ReduceOp.SUM
        with _told("reduce_scatter"):
            for output, pieces in zip(outputs, inputs, strict=True):
                fill(output, reduce_scatter(self._gloo, pieces, op))
        return done(outputs)

    def all_gather_single_coalesced(
        self, outputs: Sequence[Tensor], inputs: Sequence[Tensor], opts: Any = None
    ) -> Any:
        """What functional collectives outside of graphs ask for, as `DTensor.full_tensor` does."""
        del opts
        with _told("all_gather"):
            for output, tensor in zip(outputs, inputs, strict=True):
                self._gloo._allgather_base(output, tensor.contiguous()).wait()
        return done(outputs)

    allgather_into_tensor_coalesced = all_gather_single_coalesced  # its name before torch 2.13


def _delegate(name: str, gloo: str) -> None:
    def call(self: OrderedProcessGroup, *args: Any, **options: Any) -> Any:
        return getattr(self._gloo, gloo)(*args, **options)

    setattr(OrderedProcessGroup, name, call)


for _name, _gloo in {
    "broadcast": "broadcast",
    "allgather": "allgather",
    "all_gather_single": "_allgather_base",
    "_allgather_base": "_allgather_base",
    "gather": "gather",
    "scatter": "scatter",
    "all_to_all_single": "alltoall_base",
    "alltoall_base": "alltoall_base",
    "barrier": "barrier",
    "send": "send",
    "recv": "recv",
}.items():
    _delegate(_name, _gloo)


def _grouped(options: Any, _: Any = None) -> OrderedProcessGroup:
    gloo = dist.ProcessGroupGloo(
        options.store, options.group_rank, options.group_size, timeout=options.timeout
    )
    return OrderedProcessGroup(gloo, options.group_id)


dist.Backend.register_backend(NAME, _grouped, extended_api=True, devices=["cpu"])
