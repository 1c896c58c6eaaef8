"""What ranks bring to a collective: tensors of the host, or operands that lie on their chips already."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from tilesmith.runtime import Mesh, MeshTensor, Tensor

Work = Callable[[list[Any]], Sequence[Any]]
"""From what all ranks have brought to what each gets."""


class Shaped(Protocol):
    """What collectives are named by."""

    @property
    def shape(self) -> Sequence[int]: ...
    @property
    def dtype(self) -> torch.dtype: ...


@dataclass(frozen=True)
class OnChip:
    """An operand on the chip of a rank, and where its result goes: `program` does it for all chips of a mesh.

    `plain` and `take` are the way of both through the host.
    """

    source: Tensor
    target: Tensor
    program: Callable[[MeshTensor, MeshTensor], object]
    plain: Callable[[], Any]
    take: Callable[[Any], None]


def with_operands(mesh: Mesh | None, work: Work) -> Work:
    """The same work for what lies on chips, too; on them, if all of it does, at one place.

    A rank whose operand no kernel has made brings a tensor of the host.
    """

    def both(every: list[Any]) -> Sequence[Any]:
        if mesh is not None and _lie_alike(every, list(getattr(mesh.chips, "devices", {}).values())):
            source, target = (
                MeshTensor(mesh, [getattr(operand, end) for operand in every], None)
                for end in ("source", "target")
            )
            every[0].program(source, target)
            return every
        found = work([operand.plain() if isinstance(operand, OnChip) else operand for operand in every])
        for operand, result in zip(every, found, strict=True):
            if isinstance(operand, OnChip):
                operand.take(result)
        return found

    return both


def _lie_alike(every: Sequence[Any], chips: Sequence[Any]) -> bool:
    """Programs of a mesh know a tensor by one address."""
    if not all(isinstance(operand, OnChip) for operand in every):
        return False
    mine = all(operand.source.device is chip for operand, chip in zip(every, chips, strict=True))
    ends = [(operand.source, operand.target) for operand in every]
    places = {(source.address, target.address, source.spec, target.spec) for source, target in ends}
    return mine and len(places) == 1
