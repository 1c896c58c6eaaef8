"""Bringing tensors into tiles for operations that compute on tiles, and back."""

from __future__ import annotations

from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout


def as_tiles(tensor: Tensor) -> Tensor:
    """The tensor in tile layout; itself when it is."""
    if tensor.layout is Layout.TILE:
        return tensor
    from tilesmith.ops.to_layout.api import to_layout

    return to_layout(tensor, Layout.TILE)


def in_layout_of(result: Tensor, like: Tensor) -> Tensor:
    """The tensor in another tensor's layout; itself when it is."""
    if result.layout is like.layout:
        return result
    from tilesmith.ops.to_layout.api import to_layout

    return to_layout(result, like.layout)
