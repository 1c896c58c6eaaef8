"""Values as the pages of a tensor, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilesmith.formats import from_row_major_bytes, pack_tiles, to_row_major_bytes, unpack_tiles
from tilesmith.runtime.memory_config import Layout
from tilesmith.runtime.tensor_spec import TensorSpec

Array = NDArray[Any]


def pages_of(values: Array, spec: TensorSpec, padding: float = 0) -> NDArray[np.uint8]:
    """The pages of a tensor that holds these values, [num_pages, page_size], and `padding` around them."""
    padded = _padded(values, spec.padded_shape, padding)
    if spec.layout is Layout.TILE:
        pages = pack_tiles(padded, spec.dtype, spec.tile)
    else:
        pages = to_row_major_bytes(padded, spec.dtype)
    return pages.reshape(spec.num_pages, spec.page_size)


def values_of(pages: NDArray[np.uint8], spec: TensorSpec) -> Array:
    """The values in pages: float32 for floating-point formats, the matching integer type for others."""
    return cropped(padded_values_of(pages, spec), spec.shape)


def padded_values_of(pages: NDArray[np.uint8], spec: TensorSpec) -> Array:
    """Padding included."""
    if spec.layout is Layout.TILE:
        return unpack_tiles(pages, spec.dtype, spec.padded_shape, spec.tile)
    return from_row_major_bytes(pages.reshape(-1), spec.dtype, spec.padded_shape)


def _padded(values: Array, shape: tuple[int, ...], padding: float) -> Array:
    if values.shape == shape:
        return values
    result = np.full(shape, padding, values.dtype) if padding else np.zeros(shape, values.dtype)
    result[_region(values.shape, shape)] = values
    return result


def cropped(padded: Array, shape: tuple[int, ...]) -> Array:
    """The upper left part of a padded array."""
    if padded.shape == shape:
        return padded
    return np.ascontiguousarray(padded[_region(shape, padded.shape)]).reshape(shape)


def _region(shape: tuple[int, ...], padded: tuple[int, ...]) -> tuple[slice | int, ...]:
    """Where a tensor lies in its padded form; tiles give vectors and scalars leading dimensions."""
    missing = len(padded) - len(shape)
    return (*[0] * missing, *(slice(size) for size in shape))
