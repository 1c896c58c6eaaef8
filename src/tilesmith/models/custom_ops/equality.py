"""tilesmith::equality: which numbers are the same, as 1.0 and 0.0, so that products can pick with it."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import torch
from torch import Tensor

from tilesmith.models.custom_ops.eager import launched


@torch.library.custom_op("tilesmith::equality", mutates_args=())
def equality(a: Tensor, b: Tensor) -> Tensor:
    """1.0 where two tensors of whole numbers have the same, else 0.0.

    >>> equality.register_fake is not None
    True
    """
    result: Tensor = launched("equality", _reference, a, b)
    return result


@equality.register_fake
def _(a: Tensor, b: Tensor) -> Tensor:
    return a.new_empty(torch.broadcast_shapes(a.shape, b.shape), dtype=torch.float32)


def _reference(a: Tensor, b: Tensor) -> Tensor:
    return (a == b).to(torch.float32)
