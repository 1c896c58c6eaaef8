"""The same collectives on the host, for groups whose chips are not neighbours."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor
from torch.distributed import ReduceOp

from tilesmith.models.distributed.reduction import reduced


class HostTransfers:
    """What `MeshTransfers` does, without a mesh."""

    def all_gather(self, tensors: Sequence[Tensor]) -> list[list[Tensor]]:
        return [[tensor.clone() for tensor in tensors] for _ in tensors]

    def broadcast(self, tensors: Sequence[Tensor], root: int) -> list[Tensor]:
        return [tensors[root].clone() for _ in tensors]

    def point_to_point(self, tensor: Tensor, sender: int, receiver: int) -> Tensor:
        del sender, receiver
        return tensor

    def all_to_all(self, pieces: Sequence[Sequence[Tensor]]) -> list[list[Tensor]]:
        return [[row[rank].clone() for row in pieces] for rank in range(len(pieces))]

    def all_reduce(self, tensors: Sequence[Tensor], op: ReduceOp.RedOpType) -> list[Tensor]:
        return [reduced(tensors, op) for _ in tensors]

    def reduce_scatter(self, pieces: Sequence[Sequence[Tensor]], op: ReduceOp.RedOpType) -> list[Tensor]:
        return [reduced(parts, op) for parts in self.all_to_all(pieces)]
