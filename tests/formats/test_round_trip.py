"""What is stored comes back: every format, tile shape and random content."""

from __future__ import annotations

import multiprocessing
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilesmith.formats import (
    DataFormat,
    TileShape,
    bfloat2_b,
    bfloat4_b,
    bfloat8_b,
    bfloat16,
    float16,
    float32,
    from_row_major_bytes,
    int32,
    pack_tiles,
    tile_bytes,
    to_row_major_bytes,
    uint8,
    uint16,
    uint32,
    unpack_tiles,
)

FLOATS = [float32, bfloat16, float16, bfloat8_b, bfloat4_b, bfloat2_b]
INTEGERS = [uint8, uint16, uint32, int32]
TILES = [TileShape(rows, cols) for rows in (1, 2, 4, 8, 16, 32) for cols in (16, 32)]


def random_values(format: DataFormat, shape: tuple[int, ...], seed: int) -> npt.NDArray[Any]:
    generator = np.random.default_rng(seed)
    if format.is_integer:
        dtype = np.dtype({uint8: "u1", uint16: "u2", uint32: "u4", int32: "i4"}[format])
        return generator.integers(0, 256, (*shape, dtype.itemsize), np.uint8).view(dtype)[..., 0]
    return (generator.standard_normal(shape) * 10.0 ** generator.integers(-3, 4)).astype(np.float32)


@given(
    format=st.sampled_from(FLOATS + INTEGERS),
    tile=st.sampled_from(TILES),
    tiles=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    seed=st.integers(0, 2**32 - 1),
)
@settings(deadline=None, max_examples=100)
def test_a_second_trip_changes_nothing(
    format: DataFormat, tile: TileShape, tiles: tuple[int, int], seed: int
) -> None:
    shape = (tiles[0] * tile.rows, tiles[1] * tile.cols)
    values = random_values(format, shape, seed)
    packed = pack_tiles(values, format, tile)
    assert packed.shape == (tiles[0] * tiles[1], tile_bytes(format, tile))
    once = unpack_tiles(packed, format, shape, tile)
    if format.is_integer or format is float32:
        np.testing.assert_array_equal(once, values)
    np.testing.assert_array_equal(pack_tiles(once, format, tile), packed)


@pytest.mark.parametrize("tile", TILES, ids=lambda tile: f"{tile.rows}x{tile.cols}")
def test_faces_are_where_the_chip_looks_for_them(tile: TileShape) -> None:
    shape = (2 * tile.rows, 3 * tile.cols)
    values = np.arange(shape[0] * shape[1], dtype=np.uint32).reshape(shape)
    expected = [
        values[top + up : top + up + tile.face_rows, left + aside : left + aside + 16].ravel()
        for top in range(0, shape[0], tile.rows)
        for left in range(0, shape[1], tile.cols)
        for up in range(0, tile.rows, tile.face_rows)
        for aside in range(0, tile.cols, 16)
    ]
    packed = pack_tiles(values, uint32, tile).view(np.uint32)
    np.testing.assert_array_equal(packed.ravel(), np.concatenate(expected))


@pytest.mark.parametrize("format", FLOATS, ids=lambda f: f.name)
def test_large_arrays_are_split_among_threads_without_seams(format: DataFormat) -> None:
    values = random_values(format, (33 * 32, 32 * 32), 3)
    whole = pack_tiles(values, format)
    by_band = np.concatenate([pack_tiles(values[row : row + 32], format) for row in range(0, 33 * 32, 32)])
    np.testing.assert_array_equal(whole, by_band)
    np.testing.assert_array_equal(
        unpack_tiles(whole, format, values.shape)[32:64], unpack_tiles(by_band[32:64], format, (32, 32 * 32))
    )


@pytest.mark.parametrize("format", [float32, bfloat16, float16, *INTEGERS], ids=lambda f: f.name)
def test_row_major_bytes_hold_the_same_datums_as_tiles(format: DataFormat) -> None:
    values = random_values(format, (3, 64, 32), 4)
    data = to_row_major_bytes(values, format)
    assert data.size == values.size * format.datum_bytes
    through_tiles = unpack_tiles(pack_tiles(values, format), format, values.shape)
    np.testing.assert_array_equal(from_row_major_bytes(data, format, values.shape), through_tiles)


def test_arrays_need_not_be_contiguous() -> None:
    values = random_values(float32, (64, 64), 5)
    np.testing.assert_array_equal(pack_tiles(values.T, bfloat16), pack_tiles(values.T.copy(), bfloat16))


def test_a_forked_process_converts_large_arrays_too() -> None:
    values = random_values(float32, (1024, 1024), 6)
    here = pack_tiles(values, bfloat16)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        there = pool.apply_async(pack_tiles, (values, bfloat16)).get(timeout=60)
    np.testing.assert_array_equal(here, there)


def test_an_empty_array_has_no_tiles() -> None:
    packed = pack_tiles(np.empty((0, 32), np.float32), bfloat16)
    assert packed.shape == (0, 2048)
    assert unpack_tiles(packed, bfloat16, (0, 32)).shape == (0, 32)


@pytest.mark.parametrize(
    ("format", "size"),
    [
        (float32, 4096), (bfloat16, 2048), (float16, 2048), (bfloat8_b, 1088), (bfloat4_b, 576),
        (bfloat2_b, 320), (uint8, 1024), (uint16, 2048), (uint32, 4096), (int32, 4096),
    ],
)  # fmt: skip
def test_tile_sizes_are_those_of_the_hardware(format: DataFormat, size: int) -> None:
    assert tile_bytes(format) == size
