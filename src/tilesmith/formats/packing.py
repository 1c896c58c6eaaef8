"""Two bfloat16 values in one 32-bit word, as kernels take scalars and as tt-metal's host packs them."""

from __future__ import annotations

import numpy as np


def pack_two_bfloat16_into_uint32(values: tuple[float, float]) -> int:
    """The first value in the lower half, both rounded to nearest, ties to even.

    >>> hex(pack_two_bfloat16_into_uint32((1.0, -2.0)))
    '0xc0003f80'
    """
    low, high = (_bits(value) for value in values)
    return low | high << 16


def unpack_two_bfloat16_from_uint32(word: int) -> tuple[float, float]:
    """What `pack_two_bfloat16_into_uint32` packed.

    >>> unpack_two_bfloat16_from_uint32(0xC0003F80)
    (1.0, -2.0)
    """
    halves = np.array([word << 16 & 0xFFFFFFFF, word & 0xFFFF0000], np.uint32).view(np.float32)
    return float(halves[0]), float(halves[1])


def _bits(value: float) -> int:
    single = np.float32(value)
    word = int(single.view(np.uint32))
    if np.isnan(single):
        return word >> 16 | 0x40  # rounding could make an infinity of it
    return (word + 0x7FFF + (word >> 16 & 1)) >> 16
