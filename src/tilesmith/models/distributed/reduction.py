"""Reductions in a stated order: that of the ranks, in float32 or wider, rounded once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import torch
from torch import Tensor
from torch.distributed import ReduceOp

from tilesmith.errors import CollectiveError

_PAIRWISE: dict[ReduceOp.RedOpType, Callable[[Tensor, Tensor], Tensor]] = {
    ReduceOp.SUM: torch.add,
    ReduceOp.AVG: torch.add,
    ReduceOp.PRODUCT: torch.mul,
    ReduceOp.MIN: torch.minimum,
    ReduceOp.MAX: torch.maximum,
    ReduceOp.BAND: torch.bitwise_and,
    ReduceOp.BOR: torch.bitwise_or,
    ReduceOp.BXOR: torch.bitwise_xor,
}


def plain_op(op: ReduceOp | ReduceOp.RedOpType) -> ReduceOp.RedOpType:
    """The plain name of a reduction; one that scales its operands first is refused."""
    found = getattr(op, "op", op)
    if found not in _PAIRWISE:
        raise CollectiveError(
            f"the reduction {op} is not there",
            remedy="use SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR or BXOR",
        )
    return found


def is_narrow(dtype: torch.dtype) -> bool:
    """Whether values are summed in float32 and rounded behind."""
    return dtype.is_floating_point and dtype.itemsize < 4


def reduced(parts: Sequence[Tensor], op: ReduceOp.RedOpType) -> Tensor:
    """What the ranks have, reduced on the host.

    >>> reduced([torch.tensor([1]), torch.tensor([2]), torch.tensor([4])], ReduceOp.SUM)
    tensor([7])
    """
    dtype = parts[0].dtype
    wide = [part.float() if is_narrow(dtype) else part for part in parts]
    return averaged(reduce(_PAIRWISE[op], wide), op, len(parts)).to(dtype)


def averaged(total: Tensor, op: ReduceOp.RedOpType, count: int) -> Tensor:
    """A sum as the reduction wants it."""
    if op != ReduceOp.AVG:
        return total
    return total / count if total.is_floating_point() else torch.div(total, count, rounding_mode="trunc")
