"""Collectives of torch tensors as programs of a mesh: their bytes as pages, their values as tiles.

Data of any dtype is moved as bytes. Sums of bfloat16, float32 and 32-bit integers are the chips'; narrower
types are summed as these. Other reductions gather on the mesh and reduce on the host, in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.distributed import ReduceOp

from tilesmith import collectives
from tilesmith.formats import DataFormat
from tilesmith.models.distributed.reduction import averaged, reduced
from tilesmith.runtime import Layout, Mesh, MeshTensor
from tilesmith.runtime.torch_bridge import numpy_from_torch

Words = NDArray[np.uint32]

_TILE = 32
_MOST_WORDS = 1024  # of a page: a packet
_ALIGNED_WORDS = 16
# The type a chip sums each type in.
_SUMMED_AS = {
    torch.bfloat16: torch.bfloat16,
    torch.float32: torch.float32,
    torch.int32: torch.int32,
    torch.float16: torch.float32,
    torch.int16: torch.int32,
    torch.int8: torch.int32,
    torch.uint8: torch.int32,
}
_FORMATS = {
    torch.bfloat16: DataFormat.Float16_b,
    torch.float32: DataFormat.Float32,
    torch.int32: DataFormat.Int32,
}


@dataclass(frozen=True)
class MeshTransfers:
    """The collectives of the ranks whose chips make a line or ring, tensor place for each."""

    mesh: Mesh

    def all_gather(self, tensors: Sequence[Tensor]) -> list[list[Tensor]]:
        """For every rank, what each has brought: tensors of tensor dtype, whatever their shapes."""
        words, count = _as_words(tensors)
        if count == 0:
            return [[tensor.clone() for tensor in tensors] for _ in tensors]
        found = collectives.all_gather(self._moved(words), dim=0).parts()
        return [
            [_from_words(*pair) for pair in zip(np.split(part, len(tensors)), tensors, strict=True)]
            for part in found
        ]

    def broadcast(self, tensors: Sequence[Tensor], root: int) -> list[Tensor]:
        """The root's tensor for every rank."""
        words, count = _as_words(tensors)
        if count == 0:
            return list(tensors)
        found = collectives.broadcast(self._moved(words), root).parts()
        return [_from_words(part, tensors[root]) for part in found]

    def point_to_point(self, tensor: Tensor, sender: int, receiver: int) -> Tensor:
        """The sender's tensor, as it reaches the receiver."""
        words, count = _as_words([tensor] * self.mesh.num_chips)
        if count == 0 or sender == receiver:
            return tensor
        found = collectives.point_to_point(self._moved(words), sender, receiver)
        return _from_words(found.part(receiver), tensor)

    def all_to_all(self, pieces: Sequence[Sequence[Tensor]]) -> list[list[Tensor]]:
        """`pieces[i][j]` goes from rank i to rank j, whatever its size."""
        every = [piece for row in pieces for piece in row]
        words, count = _as_words(every)
        if count == 0:
            return [[row[rank] for row in pieces] for rank in range(len(pieces))]
        size = len(pieces)
        rows = [np.concatenate(words[rank * size : (rank + 1) * size]) for rank in range(size)]
        found = collectives.all_to_all(self._moved(rows), 0, 0).parts()
        return [
            [
                _from_words(part, pieces[sender][rank])
                for sender, part in enumerate(np.split(found[rank], size))
            ]
            for rank in range(size)
        ]

    def all_reduce(self, tensors: Sequence[Tensor], op: ReduceOp.RedOpType) -> list[Tensor]:
        """The reduction of what all ranks have brought, for each."""
        if not _is_chips(tensors[0], op):
            return [reduced(parts, op) for parts in self.all_gather(tensors)]
        tiles = self._tiles([[tensor] for tensor in tensors], op)
        found = collectives.all_reduce(tiles).parts()
        return [
            _from_tiles(part, tensor, op, self.mesh.num_chips)
            for part, tensor in zip(found, tensors, strict=True)
        ]

    def reduce_scatter(self, pieces: Sequence[Sequence[Tensor]], op: ReduceOp.RedOpType) -> list[Tensor]:
        """For rank j the reduction of all `pieces[i][j]`."""
        if not _is_chips(pieces[0][0], op):
            return [reduced(parts, op) for parts in self.all_to_all(pieces)]
        found = collectives.reduce_scatter(self._tiles(pieces, op), 0).parts()
        return [
            _from_tiles(part, pieces[0][rank], op, self.mesh.num_chips) for rank, part in enumerate(found)
        ]

    def _moved(self, words: Sequence[Words]) -> MeshTensor:
        return self.mesh.from_parts(words, DataFormat.UInt32, Layout.ROW_MAJOR)

    def _tiles(self, pieces: Sequence[Sequence[Tensor]], op: ReduceOp.RedOpType) -> MeshTensor:
        """What is summed: each piece begins with a tile of its own, and zeros follow it."""
        dtype = _summed_as(pieces[0][0], op)
        longest = max(piece.numel() for row in pieces for piece in row)
        rows = -(-longest // _TILE**2) * _TILE
        parts = []
        for row in pieces:
            room = torch.zeros(len(row), rows * _TILE, dtype=dtype)
            for index, piece in enumerate(row):
                room[index, : piece.numel()] = piece.detach().reshape(-1)
            parts.append(numpy_from_torch(room.reshape(-1, _TILE)))
        return self.mesh.from_parts(parts, _FORMATS[dtype])


def _is_chips(tensor: Tensor, op: ReduceOp.RedOpType) -> bool:
    return op in (ReduceOp.SUM, ReduceOp.AVG) and tensor.dtype in _SUMMED_AS and tensor.numel() > 0


# ---- bytes ----


def _as_words(tensors: Sequence[Tensor]) -> tuple[list[Words], int]:
    """The bytes of each tensor as rows of pages, as many for each as the longest needs; and how many."""
    plain = [tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy() for tensor in tensors]
    longest = -(-max(len(tensor) for tensor in plain) // 4)
    width = min(_MOST_WORDS, -(-longest // _ALIGNED_WORDS) * _ALIGNED_WORDS)
    if longest == 0:
        return [], 0
    pages = -(-longest // width)
    words = []
    for tensor in plain:
        room = np.zeros(pages * width * 4, np.uint8)
        room[: len(tensor)] = tensor
        words.append(room.view(np.uint32).reshape(pages, width))
    return words, pages


def _from_words(words: Words, like: Tensor) -> Tensor:
    size = like.numel() * like.element_size()
    if size == 0:
        return like.clone()
    plain = np.ascontiguousarray(words).reshape(-1).view(np.uint8)[:size].copy()
    return torch.from_numpy(plain).view(like.dtype).reshape(like.shape)


# ---- values ----


def _summed_as(tensor: Tensor, op: ReduceOp.RedOpType) -> torch.dtype:
    dtype = _SUMMED_AS[tensor.dtype]
    return torch.float32 if op == ReduceOp.AVG and dtype.is_floating_point else dtype


def _from_tiles(found: NDArray[np.generic], like: Tensor, op: ReduceOp.RedOpType, ranks: int) -> Tensor:
    dtype = _summed_as(like, op)
    plain = torch.from_numpy(np.ascontiguousarray(found)).to(dtype)
    total = plain.reshape(-1)[: like.numel()].reshape(like.shape)
    return averaged(total, op, ranks).to(like.dtype)
