"""Which tensors a chip can take."""

from __future__ import annotations

from typing import Any

import torch

from tilesmith.errors import BadCallError

_TAKEN = (
    *(torch.float32, torch.bfloat16, torch.float16, torch.bool),
    *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.complex64),
)


def check_dtype(name: str, value: Any) -> None:
    """Refuse a tensor of a type that the chip has nothing for; other values pass.

    A number that comes with a call is a float64 without dimensions: it takes the type of what it meets.

    >>> check_dtype("input 0", torch.zeros(2))
    """
    if isinstance(value, torch.Tensor) and value.dtype == torch.float64 and value.dim() == 0:
        return
    if isinstance(value, torch.Tensor) and value.dtype not in _TAKEN:
        given = str(value.dtype).removeprefix("torch.")
        known = ", ".join(str(one).removeprefix("torch.") for one in _TAKEN)
        raise BadCallError(
            f"{name} is of type {given}, which the chip does not have",
            where=name,
            remedy=f"convert the model and its inputs, for example with .float(); it has: {known}",
        )
