"""The vendor's own host packing and chip packing, bit for bit, on recorded values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilesmith.formats import DataFormat, bfloat4_b, bfloat8_b, bfloat16, pack_tiles, unpack_tiles

DATA = Path(__file__).parent / "vendor_packing.npz"
FORMATS = {"bf16": bfloat16, "bfp8": bfloat8_b, "bfp4": bfloat4_b}


def assert_bits_equal(ours: np.ndarray, theirs: np.ndarray) -> None:
    np.testing.assert_array_equal(ours.view(np.uint32), theirs.view(np.uint32))


@pytest.mark.parametrize("name", FORMATS)
def test_host_packing(name: str) -> None:
    check(name, FORMATS[name], "host")


@pytest.mark.parametrize("name", FORMATS)
def test_device_packing(name: str) -> None:
    check(name, FORMATS[name], "device")


def check(name: str, format: DataFormat, rounding: str) -> None:
    with np.load(DATA, allow_pickle=False) as data:
        given, expected = data[f"{rounding}_{name}_in"], data[f"{rounding}_{name}_out"]
    packed = pack_tiles(given, format, rounding=rounding)  # type: ignore[arg-type]
    assert_bits_equal(unpack_tiles(packed, format, given.shape), expected)
