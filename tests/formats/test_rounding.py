"""Values round as the vendor's host code and as the chip's packer do."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
import torch

from tilesmith.formats import (
    DataFormat,
    TileShape,
    bfloat4_b,
    bfloat8_b,
    bfloat16,
    float16,
    pack_tiles,
    to_row_major_bytes,
    uint16,
    unpack_tiles,
)


def bits(*values: int) -> npt.NDArray[np.float32]:
    return np.array(values, np.uint32).view(np.float32)


def all_exponents(count: int = 1 << 16) -> npt.NDArray[np.float32]:
    """Random bit patterns: every exponent, both signs, infinities, NaN and denormals among them."""
    patterns = np.random.default_rng(0).integers(0, 1 << 32, count, np.uint32)
    specials = [0, 0x80000000, 0x7F800000, 0xFF800000, 0x7F7FFFFF, 1, 0x80000001, 0x007FFFFF, 0x7FC00000]
    ties = (np.arange(1 << 12, dtype=np.uint32) << 16) | 0x8000
    return np.concatenate([patterns, np.array(specials, np.uint32), ties]).view(np.float32)


def row_of(first: float, *rest: float) -> npt.NDArray[np.float32]:
    row = np.zeros((1, 16), np.float32)
    row[0, : 1 + len(rest)] = [first, *rest]
    return row


def through(row: npt.NDArray[np.float32], format: DataFormat, rounding: Any = "host") -> list[float]:
    tile = TileShape(1, 16)
    values = unpack_tiles(pack_tiles(row, format, tile, rounding), format, (1, 16), tile)
    return [float(value) for value in values[0]]


def test_host_bfloat16_equals_ml_dtypes_and_torch() -> None:
    values = all_exponents()
    ours = to_row_major_bytes(values, bfloat16).view(np.uint16)
    with np.errstate(invalid="ignore"):
        theirs = values.astype(ml_dtypes.bfloat16).view(np.uint16)
    np.testing.assert_array_equal(ours, theirs)
    finite = np.isfinite(values)
    of_torch = torch.from_numpy(values[finite]).to(torch.bfloat16).view(torch.int16).numpy().view(np.uint16)
    np.testing.assert_array_equal(ours[finite], of_torch)


def test_host_float16_equals_numpy_and_torch() -> None:
    near = np.random.default_rng(1).standard_normal(1 << 16).astype(np.float32)
    scales = np.float32(2.0) ** np.arange(-30, 20, dtype=np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        small = all_exponents() * np.float32(1e-30)
        values = np.concatenate([all_exponents(), small, (near[:1000, None] * scales).ravel()])
        theirs = values.astype(np.float16)
    ours = to_row_major_bytes(values, float16).view(np.float16)
    number = ~np.isnan(values)
    np.testing.assert_array_equal(ours[number].view(np.uint16), theirs[number].view(np.uint16))
    assert np.isnan(ours[~number]).all()
    of_torch = torch.from_numpy(values[number]).to(torch.float16).numpy()
    np.testing.assert_array_equal(ours[number].view(np.uint16), of_torch.view(np.uint16))


def test_every_16_bit_pattern_unpacks_as_numpy_reads_it() -> None:
    patterns = np.arange(1 << 16, dtype=np.uint16).reshape(1, -1)
    tile = TileShape(1, 16)
    for stored_as, dtype in ((float16, np.float16), (bfloat16, ml_dtypes.bfloat16)):
        tiles = patterns.view(np.uint8).reshape(-1, 32)
        ours = unpack_tiles(tiles, stored_as, patterns.shape, tile)
        with np.errstate(invalid="ignore"):
            theirs = patterns.view(dtype).astype(np.float32)
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (0x3F808000, 0x3F81),  # a tie goes away from zero, host's ties-to-even would keep 0x3F80
        (0xBF808000, 0xBF81),
        (0x3F807FFF, 0x3F80),
        (0x80000000, 0x0000),  # minus zero
        (0x00400000, 0x0000),  # a denormal
        (0x7FC00000, 0x7F80),  # NaN
        (0xFFC00000, 0xFF80),
        (0x7F7FFFFF, 0x7F80),  # rounds up to infinity
    ],
)
def test_the_packer_rounds_bfloat16_away_from_zero(pattern: int, expected: int) -> None:
    assert to_row_major_bytes(bits(pattern), bfloat16, "device").view(np.uint16)[0] == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (0x3F801FFF, 0x3C00),  # truncates
        (0x47800000, 0x7C00),  # 65536 is an ordinary number to the chip
        (0x48000000, 0x7FFF),  # saturates
        (0x7FC00000, 0x7FFF),
        (0xC8000000, 0xFFFF),
        (0x37FFFFFF, 0x0000),
    ],
)
def test_the_packer_truncates_and_saturates_float16(pattern: int, expected: int) -> None:
    assert to_row_major_bytes(bits(pattern), float16, "device").view(np.uint16)[0] == expected


def test_host_block_floats_round_to_even_and_saturate() -> None:
    assert through(row_of(1.0, 1 / 128, 3 / 128, -1 / 128), bfloat8_b)[:4] == [1.0, 0.0, 2 / 64, 0.0]
    assert through(row_of(1.9999, 1.0), bfloat8_b)[:2] == [127 / 64, 1.0]
    assert through(row_of(1.0, 0.125, 0.375), bfloat4_b)[:3] == [1.0, 0.0, 0.5]


def test_the_packer_rounds_block_floats_away_and_truncates_bfp4() -> None:
    row = row_of(1.0, 1 / 128, 3 / 128, -1 / 128)
    assert through(row, bfloat8_b, "device")[:4] == [1.0, 1 / 64, 2 / 64, -1 / 64]
    assert through(row_of(1.0, 0.2, 0.49), bfloat4_b, "device")[:3] == [1.0, 0.0, 0.25]


def test_block_float_zero_has_no_sign_and_denormals_are_zero() -> None:
    packed = pack_tiles(row_of(-0.0, 1e-40, -1e-40), bfloat8_b, TileShape(1, 16))
    assert not packed.any()


def test_a_sign_without_magnitude_is_minus_infinity() -> None:
    tile = TileShape(1, 16)
    packed = np.zeros((1, 32), np.uint8)
    packed[0, 0], packed[0, 16] = 127, 0x80
    assert unpack_tiles(packed, bfloat8_b, (1, 16), tile)[0, 0] == -np.inf


def test_block_floats_keep_infinity_and_tiny_values() -> None:
    assert through(row_of(np.inf, -np.inf), bfloat8_b)[:2] == [np.inf, -np.inf]
    tiny = float(np.float32(2.0**-126))
    assert through(row_of(tiny, tiny * 1.5), bfloat8_b)[:2] == [tiny, tiny * 1.5]


def test_arrays_that_are_bfloat16_already_keep_their_bits() -> None:
    patterns = np.arange(1 << 16, dtype=np.uint16).reshape(64, 1024)
    for stored_as, dtype in ((bfloat16, ml_dtypes.bfloat16), (float16, np.float16)):
        packed = pack_tiles(patterns.view(dtype), stored_as).view(np.uint16)
        np.testing.assert_array_equal(np.sort(packed.ravel()), patterns.ravel())
        np.testing.assert_array_equal(packed, pack_tiles(patterns, uint16).view(np.uint16))
        rows = to_row_major_bytes(patterns.view(dtype), stored_as).view(np.uint16)
        np.testing.assert_array_equal(rows, patterns.ravel())


def test_bfp4_puts_the_first_datum_in_the_low_half() -> None:
    packed = pack_tiles(row_of(1.0, -1.75), bfloat4_b, TileShape(1, 16))
    assert packed[0, 0] == 127
    assert packed[0, 16] == 0xF4
