"""The vector unit's multiply-add, bit for bit, against a model in whole numbers."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.sfpu.harness import Suite, run

from tilesmith.emulator import library

BODY = """
ts::sfpu::map_floats({"mad", ts::At::current()}, 0, 1, 2, 3,
                     [](auto x, auto y, auto z) TS_OP { return ts::sfpu::mad(x, y, z); });
"""


def suite(arch: str) -> Suite:
    return Suite((("mad", BODY),), ("ts/sfpu/tile.h",), wide=True, arch=arch)


def cut(mantissa: int, places: int) -> int:
    """Shift right; what falls off leaves a one in the last place, unless nothing else is left."""
    shifted = mantissa >> places
    return shifted | int(shifted != 0 and shifted << places != mantissa)


def model(x: int, y: int, z: int, *, wormhole: bool) -> int:
    """x * y + z for finite patterns whose result is finite."""
    sign = ((x ^ y) >> 31) & 1
    ex, ey, ez = ((w >> 23) & 255 for w in (x, y, z))
    mx, my, mz = (((w & 0x7FFFFF) | 0x800000) if e else 0 for w, e in ((x, ex), (y, ey), (z, ez)))
    product, scale = (mx * my) >> 20 | int(mx * my & 0xFFFFF != 0), ex + ey - 127
    if mx == 0 or my == 0 or scale < 0:
        return z if mz else (0 if wormhole else z & sign << 31)
    top = max(scale, ez)
    left, right = cut(product, top - scale), cut(mz << 3, top - ez)
    total = (-left if sign else left) + (-right if z >> 31 else right)
    if total == 0:
        return 0 if wormhole else (sign & z >> 31) << 31
    magnitude, negative = abs(total), int(total < 0)
    excess = magnitude.bit_length() - 27
    exponent = top + excess
    if excess > 0:
        lost = magnitude & (1 if wormhole else (1 << excess) - 1)
        magnitude = magnitude >> excess | int(lost != 0)
    else:
        magnitude <<= -excess
    rounded = (exponent << 23) + ((magnitude >> 3) & 0x7FFFFF)
    rounded += int((magnitude & 7) + (rounded & 1) > 4)
    if exponent < 1 and rounded >> 23 == 0:
        return 0 if wormhole else negative << 31
    return rounded | negative << 31


def operands(seed: int, *, cancelling: bool) -> list[NDArray[np.uint32]]:
    rng = np.random.default_rng(seed)
    x, y, z = (rng.integers(0, 2**32, (32, 32), dtype=np.uint32) & np.uint32(0x807FFFFF) for _ in range(3))
    x |= rng.integers(118, 136, (32, 32)).astype(np.uint32) << 23
    y |= rng.integers(118, 136, (32, 32)).astype(np.uint32) << 23
    z |= rng.integers(105, 145, (32, 32)).astype(np.uint32) << 23
    if cancelling:
        product = -(x.view(np.float32).astype(np.float64) * y.view(np.float32))
        nearby = product.astype(np.float32).view(np.uint32).astype(np.int64) + rng.integers(-2, 3, (32, 32))
        z = nearby.astype(np.uint32)
    return [x, y, z]


@pytest.mark.parametrize("arch", ["WORMHOLE", "BLACKHOLE"])
@pytest.mark.parametrize("cancelling", [False, True], ids=["apart", "cancelling"])
def test_multiply_add_is_the_chips(arch: str, cancelling: bool) -> None:
    for seed in range(4):
        x, y, z = operands(seed, cancelling=cancelling)
        got = run(suite(arch), "mad", [x, y, z], out=3)
        each = zip(x.ravel().tolist(), y.ravel().tolist(), z.ravel().tolist(), strict=True)
        want = np.array([model(*words, wormhole=arch == "WORMHOLE") for words in each], dtype=np.uint32)
        np.testing.assert_array_equal(got.ravel(), want)


def test_wormhole_has_only_positive_zeros_and_marks_nan_in_the_last_bit() -> None:
    zero, minus_zero, one = (np.full((32, 32), word, np.uint32) for word in (0, 1 << 31, 0x3F800000))
    minus_one = one | minus_zero
    infinity = np.full((32, 32), 0x7F800000, np.uint32)
    assert (run(suite("WORMHOLE"), "mad", [minus_one, zero, minus_zero], out=3) == 0).all()
    assert (run(suite("BLACKHOLE"), "mad", [minus_one, zero, minus_zero], out=3) == 1 << 31).all()
    assert (run(suite("WORMHOLE"), "mad", [infinity, zero, one], out=3) & 0x7F800001 == 0x7F800001).all()
    assert (run(suite("BLACKHOLE"), "mad", [infinity, zero, one], out=3) == 0x7FC00000).all()


def test_lanes_of_another_register_width_are_computed_alike() -> None:
    multiply_add = library.runtime().functions.ts_lanes_mad
    words = np.zeros(4 * 64 + 16, np.uint32)
    start = -words.ctypes.data % 64 // 4  # registers of the host are aligned
    given = words[start : start + 4 * 64].reshape(4, 64)
    given[1:] = [one.ravel()[:64] for one in operands(3, cancelling=False)]
    results = []
    for lanes in (4, 8, 16, 12):
        for at in range(0, 64 // lanes * lanes, lanes):
            pointers = [row.ctypes.data + 4 * at for row in given]
            multiply_add(False, lanes, *map(ctypes.c_void_p, pointers))
        results.append(given[0, :60].copy())
    assert results[0].any()
    assert all(np.array_equal(one, results[0]) for one in results)
