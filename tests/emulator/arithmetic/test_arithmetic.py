"""The C++ arithmetic of the compute engine by itself, one function at a time, against numpy."""

from __future__ import annotations

import ctypes
import itertools
import platform
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from tilesmith import emulator
from tilesmith.formats import DataFormat, pack_tiles, tile_bytes, unpack_tiles
from tilesmith.toolchain import compile_shared

Array = NDArray[Any]
NATIVE = Path(emulator.__file__).parent / "native"
ADD, SUB, MUL = range(3)
BF16, TF32, _FIVE_BIT, INTEGER, RAW = range(5)
ROW, COL, SCALAR = 1, 2, 3
BFLOAT16 = int(DataFormat.Float16_b)


@cache
def library(machine: str = "native") -> ctypes.CDLL:
    calls = Path(__file__).with_name("calls.cpp").read_text()
    units = "".join(f'#include "num/{path.name}"\n' for path in sorted((NATIVE / "num").glob("*.cpp")))
    sources = [("calls.cpp", calls), ("num.unity.cpp", units)]
    include = (NATIVE, NATIVE.parent / "include")
    flags = ("-O2", f"-march={machine}", "-fno-exceptions", "-fno-rtti", "-w")
    return ctypes.CDLL(str(compile_shared(sources, include, flags)))


def call(name: str, *args: Any) -> None:
    """Arrays go as the addresses of their data."""
    given = [one.ctypes.data_as(ctypes.c_void_p) if isinstance(one, np.ndarray) else one for one in args]
    getattr(library(), name)(*given)


def faces(matrix: Array) -> Array:
    """A 32x32 matrix as a tile in registers: four faces, one after the other."""
    return np.ascontiguousarray(matrix.reshape(2, 16, 2, 16).transpose(0, 2, 1, 3)).reshape(-1)


def matrix(tile: Array) -> Array:
    return tile.reshape(2, 2, 16, 16).transpose(0, 2, 1, 3).reshape(32, 32)


def floats(seed: int, scale: float = 4.0) -> Array:
    return (np.random.default_rng(seed).standard_normal((32, 32)) * scale).astype(np.float32)


def bf16(values: Array) -> Array:
    return values.astype(ml_dtypes.bfloat16).astype(np.float32)


def integers(seed: int, limit: int) -> Array:
    return np.random.default_rng(seed).integers(-limit, limit, (32, 32), dtype=np.int32)


SPECIAL = np.resize(np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, 3e38, 1e-30], np.float32), (32, 32))


@pytest.mark.parametrize("format", DataFormat, ids=lambda one: one.name)
def test_a_tile_has_the_bytes_that_python_counts(format: DataFormat) -> None:
    if format in (DataFormat.Lf8, DataFormat.Tf32):
        pytest.skip("no tensor has this format")
    assert library().num_tile_bytes(int(format)) == tile_bytes(format)


@pytest.mark.parametrize("values", [floats(1), SPECIAL], ids=["noise", "special"])
@pytest.mark.parametrize("fast", [False, True])
def test_bf16_comes_back_as_it_was(values: Array, fast: bool) -> None:
    l1 = np.frombuffer(pack_tiles(bf16(values), DataFormat.Float16_b), np.uint8).copy()
    out, again = np.zeros(1024, np.uint32), np.zeros(2048, np.uint8)
    call("num_unpack", BFLOAT16, BF16, fast, l1, out)
    np.testing.assert_array_equal(matrix(out.view(np.float32)), bf16(values))
    call("num_pack", out, BFLOAT16, BFLOAT16, 0, again)
    stored = again.view(ml_dtypes.bfloat16).astype(np.float32)  # zero has no sign after packing
    np.testing.assert_array_equal(stored, l1.view(ml_dtypes.bfloat16).astype(np.float32))


def test_float32_is_cut_to_tf32_on_its_way_to_a_register() -> None:
    values = floats(2)
    l1 = np.frombuffer(pack_tiles(values, DataFormat.Float32), np.uint8).copy()
    out = np.zeros(1024, np.uint32)
    call("num_unpack", int(DataFormat.Float32), TF32, False, l1, out)
    np.testing.assert_array_equal(matrix(out), values.view(np.uint32) & 0xFFFFE000)


def test_packing_rounds_to_the_nearest_bf16_and_halves_away_from_zero() -> None:
    values = floats(3)
    values[0, :4] = np.array([1.00390625, 1.01171875, -1.00390625, 3.0], np.float32)  # two halves, both signs
    l1 = np.zeros(2048, np.uint8)
    call("num_pack", faces(values).view(np.uint32), BFLOAT16, BFLOAT16, 0, l1)
    wanted = (faces(values).view(np.uint32) + 0x8000) >> 16
    np.testing.assert_array_equal(l1.view(np.uint16), wanted)


def test_packing_cuts_negative_values_off() -> None:
    values, l1 = bf16(floats(4)), np.zeros(2048, np.uint8)
    call("num_pack", faces(values).view(np.uint32), BFLOAT16, BFLOAT16, 1, l1)
    wanted = faces(np.maximum(values, 0).astype(ml_dtypes.bfloat16)).view(np.uint16)
    np.testing.assert_array_equal(l1.view(np.uint16) & 0x7FFF, wanted)


@pytest.mark.parametrize("format", [DataFormat.Bfp8_b, DataFormat.Bfp4_b], ids=lambda one: one.name)
def test_block_floats_are_rounded_as_the_formats_say_of_the_packer(format: DataFormat) -> None:
    values, l1 = bf16(floats(5)), np.zeros(tile_bytes(format), np.uint8)
    call("num_pack", faces(values).view(np.uint32), int(format), int(DataFormat.Bfp8_b), 0, l1)
    wanted = unpack_tiles(pack_tiles(values, format, rounding="device"), format, (32, 32))
    np.testing.assert_array_equal(unpack_tiles(l1, format, (32, 32)), wanted)


OPERATIONS = {ADD: np.add, SUB: np.subtract, MUL: np.multiply}


@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize("add", [False, True])
def test_elementwise_work_is_that_of_float32(op: int, add: bool) -> None:
    a, b, before = bf16(floats(6)), bf16(floats(7)), floats(8)
    dst = faces(before).view(np.uint32).copy()
    call("num_eltwise", op, faces(a).view(np.uint32), faces(b).view(np.uint32), True, add, dst)
    wanted = OPERATIONS[op](a, b) + (before if add else 0)
    np.testing.assert_allclose(matrix(dst.view(np.float32)), wanted, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("op", OPERATIONS)
def test_the_chips_elementwise_work_is_within_its_steps(op: int) -> None:
    a, b, dst = bf16(floats(9)), bf16(floats(10)), np.zeros(1024, np.uint32)
    call("num_eltwise", op, faces(a).view(np.uint32), faces(b).view(np.uint32), False, False, dst)
    np.testing.assert_allclose(matrix(dst.view(np.float32)), OPERATIONS[op](a, b), rtol=2e-3, atol=2e-2)


def test_a_product_of_tiles() -> None:
    a, b, before = bf16(floats(11)), bf16(floats(12)), floats(13)
    dst = faces(before).view(np.uint32).copy()
    call("num_matmul_fast", faces(a).view(np.uint32), faces(b).view(np.uint32), dst)
    wanted = before + a.astype(np.float64) @ b
    np.testing.assert_allclose(matrix(dst.view(np.float32)), wanted, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize(("phases", "tolerance"), [(4, 1e-2), (2, 5e-2), (1, 0.5)])
def test_more_phases_make_the_chips_product_more_exact(phases: int, tolerance: float) -> None:
    a, b, dst = bf16(floats(14, 1.0)), bf16(floats(15, 1.0)), np.zeros(1024, np.uint32)
    call("num_matmul_chip", faces(a).view(np.uint32), faces(b).view(np.uint32), phases, dst)
    error = np.abs(matrix(dst.view(np.float32)) - a.astype(np.float64) @ b).max()
    assert error < tolerance * 4


def operand(generator: np.random.Generator, span: int, five_bit: bool, zeros: float = 0.25) -> Array:
    """Words as a register holds them: noise over 2 * span powers of two, some of it zeros."""
    values = generator.standard_normal(1024) * 2.0 ** generator.integers(-span, span + 1, 1024)
    values[generator.random(1024) < zeros] = 0
    if not five_bit:
        return np.clip(values, -1e38, 1e38).astype(np.float32).view(np.uint32) & 0xFFFFE000
    half = np.clip(values, -6e4, 6e4).astype(np.float16).view(np.uint16).astype(np.uint32)
    return np.asarray((half & 0x8000) << 16 | (half & 0x7FFF) << 13, np.uint32)


def with_odd_rows(generator: np.random.Generator, words: Array) -> Array:
    """Some pairs of rows, up to all but one, so small that they leave the usual way and the others do not."""
    rows = words.reshape(2, 2, 16, 16).copy()
    for pair in generator.permutation(16)[: generator.integers(1, 16)]:
        odd = rows[pair // 8, :, pair % 8 * 2 + generator.integers(2)]
        odd[...] = np.where(odd & 0x7F800000, odd - np.uint32(75 << 23), odd)
    return rows.reshape(-1)


# That of this computer, and one without the vectors that it may have.
MACHINES = ["native", "x86-64-v3"] if platform.machine() == "x86_64" else ["native"]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("five_bit", [False, True], ids=["bf16", "fp16"])
@pytest.mark.parametrize("wide", [False, True], ids=["dst16", "dst32"])
@pytest.mark.parametrize("phases", [1, 2, 3, 4])
def test_products_are_those_of_the_general_way(phases: int, wide: bool, five_bit: bool, machine: str) -> None:
    generator = np.random.default_rng(phases)
    both = library(machine).num_matmul_both
    for span, zeros in [
        (0, 0.25),
        (0, 0.9),
        (0, 1),
        (4, 0.25),
        (20, 0.9),
        (45, 0.25),
        (70, 0.25),
        (120, 0.25),
    ]:
        a, b = operand(generator, span, five_bit, zeros), operand(generator, span, five_bit, zeros)
        before = operand(generator, span % 120, False, zeros) & (0xFFFFFFFF if wide else 0xFFFF0000)
        before = before * np.uint32(not five_bit or wide)
        for blackhole, odd in itertools.product((False, True), (False, not five_bit and span <= 4)):
            dst, wanted = before.copy(), before.copy()
            if odd:
                a = with_odd_rows(generator, a)
            for _ in range(2):  # cancels, and adds to what it has given
                tiles = [one.ctypes.data_as(ctypes.c_void_p) for one in (a, b, dst, wanted)]
                both(*tiles[:2], phases, wide, five_bit, blackhole, *tiles[2:])
                np.testing.assert_array_equal(dst, wanted)
                a = a ^ np.uint32(0x80000000)


def test_transposing_faces_and_what_is_in_them_transposes_a_tile() -> None:
    values = integers(16, 1000)
    tile = faces(values).view(np.uint32).copy()
    call("num_transpose", tile)
    np.testing.assert_array_equal(matrix(tile.view(np.int32)), values.T)


@pytest.mark.parametrize(
    ("dim", "source"),
    [(ROW, lambda x: x[:1]), (COL, lambda x: x[:, :1]), (SCALAR, lambda x: x[:1, :1])],
    ids=["row", "column", "scalar"],
)
def test_a_broadcast_repeats_the_first(dim: int, source: Any) -> None:
    values = integers(17, 1000)
    tile = faces(values).view(np.uint32).copy()
    call("num_broadcast", tile, dim)
    np.testing.assert_array_equal(matrix(tile.view(np.int32)), np.broadcast_to(source(values), (32, 32)))
