"""The process group of ranks that are threads: each collective is a program of the mesh their chips make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch._C import _distributed_c10d
from torch.distributed import ReduceOp
from torch.futures import Future

from tilesmith.errors import CollectiveError
from tilesmith.models.distributed.host_transfers import HostTransfers
from tilesmith.models.distributed.meetings import Group, Meetings
from tilesmith.models.distributed.operands import Shaped, Work, with_operands
from tilesmith.models.distributed.reduction import plain_op
from tilesmith.models.distributed.transfers import MeshTransfers

Transfers = MeshTransfers | HostTransfers


@dataclass(frozen=True)
class Collective:
    """A collective by a name that must be the same on every rank, and what is done when all have come."""

    name: str
    work: Work


# Its methods have several signatures each; from C++ torch calls those with options.
ProcessGroup: Any = dist.ProcessGroup


class ReductionForms(ProcessGroup):  # type: ignore[misc]
    """The other forms in which torch asks for an all_reduce or a reduce_scatter."""

    def allreduce_coalesced(self, tensors: Sequence[Tensor], opts: Any = None) -> Any:
        return self.allreduce(tensors, opts)

    def reduce_scatter_single(self, output: Tensor, tensor: Tensor, opts: Any = None) -> Any:
        return self.reduce_scatter([output], [pieces_of(tensor, self.size())], opts)

    def reduce_scatter_single_coalesced(
        self, outputs: Sequence[Tensor], inputs: Sequence[Tensor], opts: Any = None
    ) -> Any:
        return self.reduce_scatter(outputs, [pieces_of(tensor, self.size()) for tensor in inputs], opts)

    _reduce_scatter_base = reduce_scatter_single
    reduce_scatter_tensor_coalesced = reduce_scatter_single_coalesced


class MeshProcessGroup(ReductionForms):
    """A group of ranks, and what moves data between their chips."""

    def __init__(self, place: int, group: Group, tag: str, transfers: Transfers, meetings: Meetings) -> None:
        super().__init__(place, len(group))
        self._place, self._group, self._tag = place, group, tag
        self._transfers, self._meetings = transfers, meetings

    def getBackendName(self) -> str:  # noqa: N802 - torch's name
        return "threaded"

    @property
    def group_name(self) -> str:
        """The name that functional collectives find it by."""
        return self._tag

    def __repr__(self) -> str:
        return f"MeshProcessGroup(rank {self._place} of {list(self._group)})"

    @property
    def transfers(self) -> Transfers:
        return self._transfers

    # ---- collectives by what they are given: tensors of the host, or operands on chips ----

    def reduction(self, like: Shaped, op: ReduceOp.RedOpType) -> Collective:
        return Collective(_named("all_reduce", like, op), lambda every: self._transfers.all_reduce(every, op))

    def gathering(self, like: Shaped, operation: str = "all_gather_into_tensor") -> Collective:
        return Collective(f"{operation} of {like.dtype}", self._transfers.all_gather)

    def scattering(self, piece: Shaped, op: ReduceOp.RedOpType) -> Collective:
        return Collective(
            _named("reduce_scatter", piece, op), lambda every: self._transfers.reduce_scatter(every, op)
        )

    def exchange(self, like: Shaped) -> Collective:
        return Collective(f"all_to_all of {like.dtype}", self._transfers.all_to_all)

    def meet(self, collective: Collective, brought: Any) -> Any:
        """What this rank gets when all ranks of the group have brought their part."""
        return self._meet(collective.name, brought, collective.work)

    # ---- collectives, as torch calls them ----

    def allreduce(self, tensors: Sequence[Tensor], opts: Any = None) -> Any:
        op = plain_op(opts.reduceOp if opts is not None else dist.ReduceOp.SUM)
        for tensor in tensors:
            fill(tensor, self.meet(self.reduction(tensor, op), tensor))
        return done(tensors)

    def reduce(self, tensors: Sequence[Tensor], opts: Any) -> Any:
        op = plain_op(opts.reduceOp)
        for tensor in tensors:
            name = _named("reduce", tensor, op, opts.rootRank)
            total = self._meet(name, tensor, lambda all_: self._transfers.all_reduce(all_, op))
            if self._place == opts.rootRank:
                fill(tensor, total)
        return done(tensors)

    def broadcast(self, tensors: Sequence[Tensor], opts: Any) -> Any:
        for tensor in tensors:
            name = _named("broadcast", tensor, opts.rootRank)
            fill(
                tensor, self._meet(name, tensor, lambda all_: self._transfers.broadcast(all_, opts.rootRank))
            )
        return done(tensors)

    def allgather(
        self, outputs: Sequence[Sequence[Tensor]], inputs: Sequence[Tensor], opts: Any = None
    ) -> Any:
        del opts
        for into, tensor in zip(outputs, inputs, strict=True):
            self._gather("all_gather", into, tensor)
        return done(outputs)

    def all_gather_single(self, output: Tensor, tensor: Tensor, opts: Any = None) -> Any:
        del opts
        self._gather("all_gather_into_tensor", pieces_of(output, self.size()), tensor)
        return done([output])

    def all_gather_single_coalesced(
        self, outputs: Sequence[Tensor], inputs: Sequence[Tensor], opts: Any = None
    ) -> Any:
        for output, tensor in zip(outputs, inputs, strict=True):
            self.all_gather_single(output, tensor, opts)
        return done(outputs)

    def gather(self, outputs: Sequence[Sequence[Tensor]], inputs: Sequence[Tensor], opts: Any) -> Any:
        into = outputs[0] if self._place == opts.rootRank else []
        self._gather(f"gather to {opts.rootRank}", into, inputs[0])
        return done(outputs)

    def scatter(self, outputs: Sequence[Tensor], inputs: Sequence[Sequence[Tensor]], opts: Any) -> Any:
        root, output = opts.rootRank, outputs[0]
        whole = (
            torch.stack([*inputs[0]])
            if self._place == root
            else output.new_zeros((self.size(), *output.shape))
        )
        name = _named("scatter", whole, root)
        found = self._meet(name, whole, lambda all_: self._transfers.broadcast(all_, root))
        fill(output, found[self._place])
        return done(outputs)

    def reduce_scatter(
        self, outputs: Sequence[Tensor], inputs: Sequence[Sequence[Tensor]], opts: Any = None
    ) -> Any:
        op = plain_op(opts.reduceOp if opts is not None else dist.ReduceOp.SUM)
        for output, pieces in zip(outputs, inputs, strict=True):
            fill(output, self.meet(self.scattering(output, op), pieces))
        return done(outputs)

    def alltoall(self, outputs: Sequence[Tensor], inputs: Sequence[Tensor], opts: Any = None) -> Any:
        del opts
        found = self.meet(self.exchange(inputs[0]), inputs)
        for output, piece in zip(outputs, found, strict=True):
            fill(output, piece)
        return done(outputs)

    def all_to_all_single(
        self,
        output: Tensor,
        tensor: Tensor,
        output_sizes: Sequence[int] | None = None,
        input_sizes: Sequence[int] | None = None,
        opts: Any = None,
    ) -> Any:
        into, pieces = (
            pieces_of(whole, self.size()) if not sizes else whole.split(list(sizes))
            for whole, sizes in ((output, output_sizes), (tensor, input_sizes))
        )
        return self.alltoall(into, pieces, opts)

    def barrier(self, opts: Any = None) -> Any:
        del opts
        self._meet("barrier", None, lambda all_: all_)
        return done([])

    # ---- one rank to another ----

    def send(self, tensors: Sequence[Tensor], receiver: int, tag: int = 0) -> Any:
        for tensor in tensors:
            self._meetings.send(self._group[self._place], self._group[receiver], tag, tensor.detach().clone())
        return done(tensors)

    def recv(self, tensors: Sequence[Tensor], sender: int, tag: int = 0) -> Any:
        for tensor in tensors:
            sent = self._meetings.receive(self._group[sender], self._group[self._place], tag)
            _check_like(sent, tensor, f"recv from rank {self._group[sender]}")
            found = self._transfers.point_to_point(sent, sender, self._place)
            fill(tensor, found)
        return done(tensors)

    # ---- names of torch before 2.13 ----

    _allgather_base = all_gather_single
    allgather_into_tensor_coalesced = all_gather_single_coalesced
    alltoall_base = all_to_all_single

    def _gather(self, operation: str, into: Sequence[Tensor], tensor: Tensor) -> None:
        found = self.meet(self.gathering(tensor, operation), tensor)
        for output, piece in zip(into, found, strict=False):
            fill(output, piece)

    def _meet(self, name: str, brought: Any, work: Work) -> Any:
        mesh = self._transfers.mesh if isinstance(self._transfers, MeshTransfers) else None
        both = with_operands(mesh, work)
        return self._meetings.meet(name, self._tag, self._group, self._place, brought, both)


def _named(operation: str, tensor: Shaped, *what: object) -> str:
    """What must be the same on every rank."""
    return " ".join(
        [
            operation,
            *(str(detail).removeprefix("RedOpType.") for detail in what),
            "of",
            str(tensor.dtype),
            str(list(tensor.shape)),
        ]
    )


def pieces_of(tensor: Tensor, count: int) -> list[Tensor]:
    if tensor.dim() == 0 or tensor.shape[0] % count:
        raise CollectiveError(
            f"a tensor of shape {list(tensor.shape)} has no {count} equal parts",
            remedy="make its first dimension a multiple of the number of ranks",
        )
    return list(tensor.chunk(count))


def _check_like(found: Tensor, wanted: Tensor, what: str) -> None:
    if found.numel() != wanted.numel() or found.dtype != wanted.dtype:
        raise CollectiveError(
            f"{what} wants {wanted.numel()} of {wanted.dtype}, and {found.numel()} of {found.dtype} came",
            remedy="use tensors of the same size and dtype on all ranks",
        )


def fill(tensor: Tensor, found: Tensor) -> None:
    """Autograd must not see it: collectives do not say that they write."""
    _check_like(found, tensor, "a collective")
    with torch.no_grad():
        tensor.detach().copy_(found.reshape(tensor.shape))


def done(result: Any) -> Any:
    """Work that has ended, as torch waits for it."""
    future: Future[Any] = Future()
    future.set_result(result)
    return vars(_distributed_c10d)["_create_work_from_future"](future)
