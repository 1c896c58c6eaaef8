"""Numbers for micro-kernels and batches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from conformance.simulator.micro_kernels import MicroKernel
from tilesmith.formats import DataFormat

# Zeros, ones, subnormal, smallest, largest, infinity, NaN; pi, halves and the ends of the usual ranges.
SPECIAL = (
    0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x00400000, 0x80000001, 0x00800000, 0x80800000,
    0x7F7F0000, 0xFF7F0000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x40490000, 0xC0490000,
    0x3F000000, 0xBF000000, 0x42B00000, 0xC2B00000, 0x447A0000, 0x4B000000, 0xCF000000, 0x33800000,
)  # fmt: skip


def operand_values(
    kernel: MicroKernel, form: DataFormat, seed: int, shape: tuple[int, ...]
) -> NDArray[np.generic]:
    """Most numbers between -4 and 4, some from the whole range in which sums of squares stay finite."""
    random = np.random.default_rng(seed)
    if seed and kernel.scaler is not None:
        return np.full(shape, kernel.scaler, np.float32)
    if form.is_integer:
        return random.integers(-10000, 10000, shape).astype(np.int32)
    plain = random.uniform(-4, 4, shape)
    sizes = random.choice([-1, 1], shape) * 2.0 ** random.uniform(-20, 20, shape)
    chosen = np.where(random.random(shape) < 0.25, sizes, plain)
    chosen.reshape(-1)[:2] = 0.0, 1.0
    return (np.abs(chosen) + 2.0**-20 if kernel.positive else chosen).astype(np.float32)


def special_values(form: DataFormat, seed: int) -> NDArray[np.generic]:
    """Two tiles side by side. Every pair of special values meets in the first tile of the two operands."""
    random = np.random.default_rng(seed)
    if form.is_integer:
        return _special_integers(form, seed, random)
    special = np.array(SPECIAL, np.uint32).view(np.float32)
    sizes = random.choice([-1, 1], (32, 32)) * 2.0 ** random.uniform(-130, 127, (32, 32))
    values = np.concatenate([sizes, random.uniform(-6, 6, (32, 32))], axis=1).astype(np.float32)
    pairs = np.meshgrid(special, special)[seed]
    values[: len(special), : len(special)] = pairs
    values[30, :32], values[31, :32] = np.arange(-16, 16), np.linspace(-1, 1, 32)
    return values


def _special_integers(form: DataFormat, seed: int, random: np.random.Generator) -> NDArray[np.generic]:
    bits = 16 if form is DataFormat.UInt16 else 32
    special = np.array([0, 1, 2, 3, 7, 31, 32, 255, 256, 65535, 1 << 24, 0x7FFFFFFF, 1 << 31, 0xFFFFFFFF])
    special &= (1 << bits) - 1
    sizes = random.integers(0, 1 << bits, (32, 64)) >> random.integers(0, bits, (32, 64))
    values = np.where(random.random((32, 64)) < 0.5, sizes, random.integers(0, 1 << bits, (32, 64)))
    values[: len(special), : len(special)] = np.meshgrid(special, special)[seed]
    if form is DataFormat.UInt16:
        return values.astype(np.uint16)
    return values.astype(np.uint32).view(np.int32 if form is DataFormat.Int32 else np.uint32)
