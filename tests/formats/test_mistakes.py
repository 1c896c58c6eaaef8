"""What cannot be stored is refused with a sentence that says why."""

from __future__ import annotations

import numpy as np
import pytest

from tilesmith.errors import FormatError
from tilesmith.formats import (
    DataFormat,
    TileShape,
    bfloat8_b,
    bfloat16,
    from_row_major_bytes,
    int32,
    pack_tiles,
    to_row_major_bytes,
    uint8,
    unpack_tiles,
)


@pytest.mark.parametrize("shape", [(32,), (31, 32), (32, 48)])
def test_arrays_must_be_made_of_tiles(shape: tuple[int, ...]) -> None:
    with pytest.raises(FormatError, match="is not made of 32x32 tiles"):
        pack_tiles(np.zeros(shape, np.float32), bfloat16)


@pytest.mark.parametrize(("rows", "cols"), [(3, 32), (32, 8), (64, 32)])
def test_tiles_have_few_shapes(rows: int, cols: int) -> None:
    with pytest.raises(FormatError, match=f"cannot be {rows}x{cols}"):
        TileShape(rows, cols)


def test_block_floats_have_no_row_major_form() -> None:
    with pytest.raises(FormatError, match="share an exponent"):
        to_row_major_bytes(np.zeros(32, np.float32), bfloat8_b)


def test_sizes_must_agree() -> None:
    with pytest.raises(FormatError, match="are not 1 tiles"):
        unpack_tiles(np.zeros(100, np.uint8), bfloat16, (32, 32))
    with pytest.raises(FormatError, match="are not 3 datums"):
        from_row_major_bytes(np.zeros(5, np.uint8), bfloat16, (3,))


def test_integers_must_fit() -> None:
    with pytest.raises(FormatError, match="do not fit UInt8"):
        pack_tiles(np.full((32, 32), 256), uint8)
    with pytest.raises(FormatError, match="float32 values cannot be stored as Int32"):
        pack_tiles(np.zeros((32, 32), np.float32), int32)
    assert unpack_tiles(pack_tiles(np.full((32, 32), 255), uint8), uint8, (32, 32)).max() == 255


@pytest.mark.parametrize("values", [np.zeros((32, 32), complex), np.full((32, 32), "a")])
def test_only_real_numbers_become_floats(values: np.ndarray) -> None:
    with pytest.raises(FormatError, match="cannot be stored as Float16_b"):
        pack_tiles(values, bfloat16)


def test_unknown_format_and_rounding() -> None:
    with pytest.raises(FormatError, match="no conversion for Lf8"):
        pack_tiles(np.zeros((32, 32), np.float32), DataFormat.Lf8)
    with pytest.raises(FormatError, match="rounding is 'down'"):
        pack_tiles(np.zeros((32, 32), np.float32), bfloat16, rounding="down")  # type: ignore[arg-type]
