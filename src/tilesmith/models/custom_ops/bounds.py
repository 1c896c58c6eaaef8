"""tilesmith::in_bounds: indices that name an element, checked when a model runs."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import torch
from torch import Tensor

from tilesmith.errors import IndexOutOfBoundsError


@torch.library.custom_op("tilesmith::in_bounds", mutates_args=())
def in_bounds(indices: Tensor, size: int, wraps: bool) -> Tensor:
    """The indices of elements of a dimension; where `wraps`, those below zero count from its end.

    >>> in_bounds(torch.tensor([-1, 2]), 4, True).tolist()
    [3, 2]
    """
    check_bounds(indices, -size if wraps else 0, size)
    return torch.where(indices < 0, indices + size, indices) if wraps else indices.clone()


@in_bounds.register_fake
def _(indices: Tensor, size: int, wraps: bool) -> Tensor:
    return torch.empty_like(indices)


def check_bounds(indices: Tensor, least: int, size: int) -> None:
    """Refuse indices outside `least` to `size`, as torch does.

    >>> check_bounds(torch.tensor([0, 3]), 0, 4)
    """
    outside = (indices < least) | (indices >= size)
    if bool(outside.any()):
        wrong = int(indices[outside].flatten()[0])
        raise IndexOutOfBoundsError(
            f"index {wrong} is out of bounds for a dimension of size {size}",
            where="an index, gather, scatter, embedding, one_hot or target of the model",
            remedy=f"indices go from {least} to {size - 1}",
        )
