"""Bringing tensors into tiles for operations that compute on tiles, and back."""

from __future__ import annotations

from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout


def in_layout(tensor: Tensor, layout: Layout) -> Tensor:
    """The tensor in a layout; itself when it is."""
    if tensor.layout is layout:
        return tensor
    from tilesmith.ops.rearrange.layout import to_layout

    return to_layout(tensor, layout)


def as_tiles(tensor: Tensor) -> Tensor:
    """The tensor in tiles."""
    return in_layout(tensor, Layout.TILE)


def in_layout_of(result: Tensor, like: Tensor) -> Tensor:
    """The tensor in another tensor's layout."""
    return in_layout(result, like.layout)
