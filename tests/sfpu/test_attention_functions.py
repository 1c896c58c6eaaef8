"""Functions of attention's row statistics, which stand in the first column of a tile: against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.sfpu.harness import Suite, floats, patterns, run

Tile = NDArray[np.float32]
RNG = np.random.default_rng(5)
INCLUDES = ("api/compute/common.h", "experimental/llk_sfpu/ckernel_sfpu_sdpa.h")
HALF = 0x3F00  # 0.5 in bfloat16
WIDE = pytest.mark.parametrize("wide", [False, True])
ARCH = pytest.mark.parametrize("arch", ["WORMHOLE", "BLACKHOLE"])


def call(function: str, templates: str, *arguments: object) -> str:
    more = "".join(f", {one}" for one in arguments)
    return (
        f"SFPU_UNARY_CALL(DST_SYNC_MODE, DST_ACCUM_MODE, {function}, ({templates}), 0, VectorMode::C{more});"
    )


def column(low: float, high: float) -> Tile:
    """A tile of numbers that 16-bit DST holds exactly."""
    values = RNG.uniform(low, high, (32, 32)).astype(np.float32)
    return (values.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)


def bodies() -> tuple[tuple[str, str], ...]:
    init = "MATH(SFPU_UNARY_INIT_FN(reciprocal, sfpu::sfpu_reciprocal_init, (false)));"
    return (
        ("recip", init + call("calculate_recip_first_column", "DST_ACCUM_MODE")),
        ("exp", call("calculate_exponential_first_column", f"false, {HALF}, DST_ACCUM_MODE")),
        ("exp_approx", call("calculate_exponential_first_column", f"true, {HALF}, DST_ACCUM_MODE")),
        (
            "softplus",
            call("calculate_softplus_first_column", "DST_ACCUM_MODE", 0x3F800000, 0x3F800000, 0x41A00000),
        ),
        ("fused", call("calculate_fused_max_sub_exp_add_tile", "DST_ACCUM_MODE, false", HALF)),
        ("plus_one", call("calculate_binop_with_scalar", "false, 0, 8, DST_ACCUM_MODE", 0x3F800000)),
    )


def made(name: str, tiles: list[Tile], wide: bool, arch: str, out: int = 0) -> Tile:
    suite = Suite(bodies(), INCLUDES, wide=wide, arch=arch)
    return floats(run(suite, name, [patterns(one, wide=wide) for one in tiles], out=out))


@ARCH
@WIDE
def test_reciprocal(wide: bool, arch: str) -> None:
    x = column(0.01, 100)
    got = made("recip", [x], wide, arch)
    np.testing.assert_allclose(got[:, 0], 1 / x[:, 0], rtol=2e-6 if wide else 2**-8)
    assert np.array_equal(got[:, 1], x[:, 1])  # odd columns are other registers
    assert np.array_equal(got[:, 16:], x[:, 16:])


@ARCH
@WIDE
@pytest.mark.parametrize("name", ["exp", "exp_approx"])
def test_exponential_of_half_the_number(name: str, wide: bool, arch: str) -> None:
    x = column(-60, 4)
    got = made(name, [x], wide, arch)
    np.testing.assert_allclose(got[:, 0], np.exp(x[:, 0] / 2), rtol=2e-5 if wide else 2**-7)
    assert np.array_equal(got[:, 1], x[:, 1])


@ARCH
def test_the_polynomial_exponential_ends_in_zero(arch: str) -> None:
    x = np.full((32, 32), -400, np.float32)
    assert np.all(made("exp", [x], True, arch)[:, 0] == 0)


@ARCH
@WIDE
def test_softplus(wide: bool, arch: str) -> None:
    x = column(-4, 30)
    got = made("softplus", [x], wide, arch)[:, 0]
    np.testing.assert_allclose(got, np.logaddexp(0, x[:, 0]), rtol=2**-7, atol=2e-3)


@ARCH
@WIDE
def test_two_partial_softmaxes_become_one(wide: bool, arch: str) -> None:
    first, second, unused, sum_a, sum_b = (
        column(*ends) for ends in ((-8, 8), (-8, 8), (0, 1), (1, 9), (1, 9))
    )
    tiles = [first, second, unused, sum_a, sum_b]
    top = np.maximum(first, second)[:, 0]
    factors = [np.exp((one[:, 0] - top) / 2) for one in (first, second)]
    rtol = 3e-6 if wide else 2**-6
    np.testing.assert_array_equal(made("fused", tiles, wide, arch, out=2)[:, 0], top)
    for tile, factor in enumerate(factors):
        np.testing.assert_allclose(made("fused", tiles, wide, arch, out=tile)[:, 0], factor, rtol, 1e-6)
    total = factors[0] * sum_a[:, 0] + factors[1] * sum_b[:, 0]
    np.testing.assert_allclose(made("fused", tiles, wide, arch, out=3)[:, 0], total, rtol, 1e-6)


@ARCH
def test_a_number_is_added_to_whole_faces(arch: str) -> None:
    x = column(-2, 2)
    got = made("plus_one", [x], True, arch)
    np.testing.assert_array_equal(got[:, :16], x[:, :16] + 1)
    np.testing.assert_array_equal(got[:, 16:], x[:, 16:])
