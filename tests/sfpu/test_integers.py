"""Integer functions agree with numpy, and conversions between formats with their rules."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.sfpu.harness import Suite, build, floats, patterns, run

from tilesmith.errors import KernelCompileError

Ints = NDArray[np.int64]
INT32, UINT16, UINT32, FLOAT32, BFLOAT16, UINT8 = 8, 9, 24, 0, 5, 30

BINARY: dict[str, tuple[str, Callable[[Ints, Ints], Ints]]] = {
    "add": ("add_int_tile_init(); add_int_tile<DataFormat::Int32>(0, 1, 0);", lambda a, b: a + b),
    "sub": ("sub_int_tile_init(); sub_int_tile<DataFormat::Int32>(0, 1, 0);", lambda a, b: a - b),
    "rsub": ("rsub_int_tile_init(); rsub_int_tile<DataFormat::Int32>(0, 1, 0);", lambda a, b: b - a),
    "mul": (
        "mul_int_tile_init<DataFormat::Int32>(); mul_int_tile<DataFormat::Int32>(0, 1, 0);",
        lambda a, b: a * b,
    ),
    "and": (
        "binary_bitwise_tile_init(); bitwise_and_binary_tile<DataFormat::Int32>(0, 1, 0);",
        lambda a, b: a & b,
    ),
    "or": ("binary_bitwise_tile_init(); bitwise_or_uint32_binary_tile(0, 1, 0);", lambda a, b: a | b),
    "xor": (
        "binary_bitwise_tile_init(); bitwise_xor_binary_tile<DataFormat::Int32>(0, 1, 0);",
        lambda a, b: a ^ b,
    ),
    "max": ("binary_max_int32_tile_init(); binary_max_int32_tile(0, 1, 0);", np.maximum),
    "min": ("binary_min_int32_tile_init(); binary_min_int32_tile(0, 1, 0);", np.minimum),
    "lt": (
        "lt_int_tile_init<DataFormat::Int32>(); lt_int_tile<DataFormat::Int32>(0, 1, 0);",
        lambda a, b: (a < b).astype(int),
    ),
    "ge": ("ge_int32_tile_init(); ge_int32_tile(0, 1, 0);", lambda a, b: (a >= b).astype(int)),
    "floor_divide": ("div_int32_floor_tile_init(); div_int32_floor_tile(0, 1, 0);", np.floor_divide),
    "truncating_divide": (
        "div_int32_trunc_tile_init(); div_int32_trunc_tile(0, 1, 0);",
        lambda a, b: np.sign(a) * np.sign(b) * (abs(a) // abs(b)),
    ),
    "remainder": ("remainder_int32_tile_init(); remainder_int32_tile(0, 1, 0);", np.remainder),
    "fmod": ("fmod_int32_tile_init(); fmod_int32_tile(0, 1, 0);", np.fmod),
    "gcd": ("gcd_tile_init(); gcd_tile(0, 1, 0);", np.gcd),
}
UNARY: dict[str, tuple[str, Callable[[Ints], Ints]]] = {
    "abs": ("abs_tile_init(); abs_tile_int32(0);", np.abs),
    "negative": ("negative_tile_init(); negative_tile_int32(0);", np.negative),
    "not": ("bitwise_not_tile_init(); bitwise_not_tile(0);", np.invert),
    "left": ("left_shift_tile_init(); left_shift_tile<DataFormat::Int32>(0, 3);", lambda a: a << 3),
    "right": ("right_shift_tile_init(); right_shift_tile<DataFormat::Int32>(0, 3);", lambda a: a >> 3),
    "relu": ("relu_tile_init(); relu_tile_int32(0);", lambda a: np.maximum(a, 0)),
    "clamp": ("clamp_tile_init(); clamp_tile_int32(0, uint32_t(-5), 9);", lambda a: np.clip(a, -5, 9)),
    "eqz": ("eqz_tile_init(); eqz_tile_int32(0);", lambda a: (a == 0).astype(int)),
    "unary_gt": ("unary_gt_tile_init(); unary_gt_tile_int32(0, 3);", lambda a: (a > 3).astype(int)),
    "add_scalar": ("binop_with_scalar_tile_init(); add_unary_tile_int32(0, 7);", lambda a: a + 7),
}
CASTS = {
    "float32_to_int32": (FLOAT32, INT32),
    "int32_to_float32": (INT32, FLOAT32),
    "float32_to_uint16": (FLOAT32, UINT16),
    "float32_to_uint32": (FLOAT32, UINT32),
    "uint32_to_float32": (UINT32, FLOAT32),
    "int32_to_uint16": (INT32, UINT16),
    "float32_to_uint8": (FLOAT32, UINT8),
    "float32_to_bfloat16": (FLOAT32, BFLOAT16),
    "uint32_to_uint16": (UINT32, UINT16),
}
INCLUDES = tuple(
    f"api/compute/{name}.h"
    for name in (
        "add_int_sfpu",
        "sub_int_sfpu",
        "mul_int_sfpu",
        "binary_bitwise_sfpu",
        "binary_max_min",
        "binary_comp",
        "div_int32_floor",
        "binary_remainder",
        "binary_fmod",
        "gcd",
        "compute_kernel_api",
        "eltwise_unary/negative",
        "eltwise_unary/bitwise_not",
        "eltwise_unary/shift",
        "eltwise_unary/relu",
        "eltwise_unary/clamp",
        "eltwise_unary/comp",
        "eltwise_unary/binop_with_scalar",
        "eltwise_unary/typecast",
    )
)
SUITE = Suite(
    bodies=(
        *((name, calls) for name, (calls, _) in BINARY.items()),
        *((f"unary {name}", calls) for name, (calls, _) in UNARY.items()),
        *(
            (name, f"typecast_tile_init<{a}, {b}>(); typecast_tile<{a}, {b}>(0);")
            for name, (a, b) in CASTS.items()
        ),
    ),
    includes=INCLUDES,
    wide=True,
)


def integers(seed: int, low: int, high: int) -> NDArray[np.int64]:
    return np.random.default_rng(seed).integers(low, high, (32, 32))


def words(values: NDArray[np.int64]) -> NDArray[np.uint32]:
    return (values & 0xFFFFFFFF).astype(np.uint32)


@pytest.mark.parametrize("name", BINARY)
def test_binary_functions(name: str) -> None:
    a, b = integers(1, -50_000, 50_000), integers(2, -90, 90)
    b[b == 0] = 7
    np.testing.assert_array_equal(run(SUITE, name, [words(a), words(b)]), words(BINARY[name][1](a, b)))


@pytest.mark.parametrize("name", UNARY)
def test_unary_functions(name: str) -> None:
    a = integers(3, -12, 12)
    np.testing.assert_array_equal(run(SUITE, f"unary {name}", [words(a)]), words(UNARY[name][1](a)))


def test_casts_to_integers_cut_toward_zero_and_saturate() -> None:
    values = np.random.default_rng(4).uniform(-300, 300, (32, 32)).astype(np.float32)
    values[0, :4] = [3e9, -3e9, 70_000, 2.5]
    given = [patterns(values, wide=True)]
    got = run(SUITE, "float32_to_int32", given).view(np.int32)
    np.testing.assert_array_equal(got[0, :2], [-(2**31), -(2**31)])
    np.testing.assert_array_equal(got[0, 2:], np.trunc(values[0, 2:]))
    np.testing.assert_array_equal(got[1:], np.trunc(values[1:]))
    np.testing.assert_array_equal(
        run(SUITE, "float32_to_uint32", given), np.clip(np.trunc(values.astype(float)), 0, 2**32 - 1)
    )
    halves_up = np.floor(np.clip(values, 0, None) + 0.5)
    np.testing.assert_array_equal(run(SUITE, "float32_to_uint16", given), np.minimum(halves_up, 65535))


def test_casts_to_floats_are_exact_where_they_can_be() -> None:
    a = integers(5, -(2**24), 2**24)
    np.testing.assert_array_equal(floats(run(SUITE, "int32_to_float32", [words(a)])), a)
    large = words(integers(6, 0, 2**32))
    np.testing.assert_allclose(
        floats(run(SUITE, "uint32_to_float32", [large])), large.astype(np.float64), rtol=2e-7
    )


def test_casts_between_integers_saturate() -> None:
    a = integers(7, -100_000, 100_000)
    np.testing.assert_array_equal(run(SUITE, "int32_to_uint16", [words(a)]), np.clip(a, 0, 65535))


def test_cast_to_bfloat16_rounds_to_even() -> None:
    values = np.random.default_rng(8).normal(size=(32, 32)).astype(np.float32)
    bits = values.view(np.uint32).astype(np.uint64)
    want = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32)
    np.testing.assert_array_equal(run(SUITE, "float32_to_bfloat16", [patterns(values, wide=True)]), want)


@pytest.mark.parametrize(
    ("header", "call"),
    [
        ("add_int_sfpu", "add_int_tile_init(); add_int_tile(0, 1, 0);"),
        ("eltwise_unary/mish", "mish_tile_init(); mish_tile(0);"),
    ],
)
def test_what_the_vendor_has_no_default_for_must_be_given(header: str, call: str) -> None:
    suite = Suite((("without", call),), (f"api/compute/{header}.h",), wide=True)
    with pytest.raises(KernelCompileError, match="_tile"):
        build(suite)
