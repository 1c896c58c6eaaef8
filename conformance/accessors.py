"""The words that a kernel needs to find the pages of its tensors."""

from __future__ import annotations

from tilesmith.runtime import Tensor, TensorAccessorArgs


def accessor_words(*tensors: Tensor) -> tuple[int, ...]:
    """The compile-time arguments of the tensors' accessors, one after another."""
    return tuple(word for tensor in tensors for word in TensorAccessorArgs(tensor).get_compile_time_args())
