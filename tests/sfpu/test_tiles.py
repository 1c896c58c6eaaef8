"""Functions of several tiles, and those that move data across a tile."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.sfpu.harness import Suite, floats, patterns, run

Array = NDArray[np.float64]
BINARY: dict[str, tuple[str, Callable[[Array, Array], Array]]] = {
    "add": ("add_binary_tile_init(); add_binary_tile(0, 1, 0);", np.add),
    "sub": ("sub_binary_tile_init(); sub_binary_tile(0, 1, 0);", np.subtract),
    "rsub": ("rsub_binary_tile_init(); rsub_binary_tile(0, 1, 0);", lambda a, b: b - a),
    "mul": ("mul_binary_tile_init(); mul_binary_tile(0, 1, 0);", np.multiply),
    "div": ("div_binary_tile_init(); div_binary_tile(0, 1, 0);", np.divide),
    "power": ("power_binary_tile_init(); power_binary_tile(0, 1, 0);", np.power),
    "max": ("binary_max_tile_init(); binary_max_tile(0, 1, 0);", np.maximum),
    "min": ("binary_min_tile_init(); binary_min_tile(0, 1, 0);", np.minimum),
    "le": ("le_binary_tile_init(); le_binary_tile(0, 1, 0);", lambda a, b: (a <= b).astype(float)),
    "atan2": ("atan2_binary_tile_init(); atan2_binary_tile(0, 1, 0);", np.arctan2),
    "xlogy": ("xlogy_binary_tile_init(); xlogy_binary_tile(0, 1, 0);", lambda a, b: a * np.log(b)),
    "logaddexp": ("logaddexp_binary_tile_init(); logaddexp_binary_tile(0, 1, 0);", np.logaddexp),
    "logaddexp2": ("logaddexp2_binary_tile_init(); logaddexp2_binary_tile(0, 1, 0);", np.logaddexp2),
    "fmod": ("fmod_binary_tile_init(); fmod_binary_tile(0, 1, 0);", np.fmod),
    "remainder": ("remainder_binary_tile_init(); remainder_binary_tile(0, 1, 0);", np.remainder),
    "nextafter": ("nextafter_binary_tile_init(); nextafter_binary_tile(0, 1, 0);", np.nextafter),
    "isclose": (
        "isclose_binary_tile_init(); isclose_binary_tile(0, 1, 0, 0x3f000000u, 0u);",
        lambda a, b: (abs(a - b) <= 0.5 * abs(b)).astype(float),
    ),
}
FLOAT32 = "DataFormat::Float32"
ACROSS = {
    "where": f"where_tile_init(); where_tile<{FLOAT32}>(0, 1, 2, 0);",
    "addcmul": f"addcmul_tile_init(); addcmul_tile<{FLOAT32}>(0, 1, 2, 0, 0x3fc00000u);",
    "addcdiv": f"addcdiv_tile_init(); addcdiv_tile<{FLOAT32}>(0, 1, 2, 0, 0x3fc00000u);",
    "lerp": f"lerp_tile_init(); lerp_tile<{FLOAT32}>(0, 1, 2, 0);",
    "fill": "fill_tile_init(); fill_tile(0, 2.5f);",
    "cumsum": "cumsum_tile_init(); cumsum_tile(0, true); cumsum_tile(1, false);",
    "reduce_max": f"sfpu_reduce_init<PoolType::MAX, {FLOAT32}>(); sfpu_reduce<PoolType::MAX, {FLOAT32}>(0);",
    "reduce_row_sum": f"""
        sfpu_reduce_init<PoolType::SUM, {FLOAT32}>();
        sfpu_reduce<PoolType::SUM, {FLOAT32}, ReduceDim::REDUCE_ROW>(0);
    """,
    "sort": "topk_tile_init(); topk_local_sort(0, 0, 5);",
    "topk": """
        topk_tile_init();
        topk_local_sort(0, 0, 4);
        topk_merge(0, 0, 32);
        topk_rebuild(0, false, 0, 32, 5, 1);
    """,
    "stable": """
        topk_tile_init();
        topk_local_sort<true, true, false, false, topk_tie_order_from_global_direction(true)>(0, 0, 5);
    """,
    "welford": """
        welford_init();
        std::array<uint32_t, 0> none{};
        welford_update<0>(0, 0, none);
        welford_update<0>(1, 32, none);
        welford_finalize_to_row<0>(2, 63, none);
    """,
    "two_pass": """
        two_pass_stats_init_shifted();
        constexpr auto sum = TwoPassAccumulation::ShiftedSum, m2 = TwoPassAccumulation::CentredM2;
        two_pass_stats_update_shifted_rows<sum, TwoPassAnchor::Initialise>(0, 0, 32);
        two_pass_stats_finish_shifted_mean(0x3d000000u);
        two_pass_stats_update_shifted_rows<m2>(0, 0, 32);
        two_pass_stats_finalize_to_row(2, 0x3d000000u);
    """,
    "sub_column": "sfpu_sub_bcast_col_init(); sfpu_sub_bcast_col(0, 1);",
    "mul_row": "sfpu_mul_bcast_row_init(); sfpu_mul_bcast_row(0, 1);",
    "quant": "quant_tile_init(0x40a00000u); quant_tile(0, 1, 0);",
    "mode_row": "exp_tile_init(); exp_tile(0, VectorMode::R);",
    "mode_column": "exp_tile_init(); exp_tile(0, (int)VectorMode::C);",
}
INCLUDES = tuple(
    f"api/compute/{name}.h"
    for name in (
        "eltwise_binary_sfpu",
        "binary_max_min",
        "atan2",
        "xlogy",
        "logaddexp",
        "logaddexp2",
        "binary_fmod",
        "binary_remainder",
        "nextafter",
        "isclose",
        "eltwise_unary/where",
        "eltwise_unary/addcmul",
        "eltwise_unary/addcdiv",
        "eltwise_unary/lerp",
        "eltwise_unary/fill",
        "cumsum",
        "compute_kernel_api",
        "welford",
        "sfpu_binary_bcast",
        "quantization",
        "eltwise_unary/exp",
    )
)
SUITE = Suite((*((name, calls) for name, (calls, _) in BINARY.items()), *ACROSS.items()), INCLUDES, wide=True)


def tile(seed: int, low: float = 0.5, high: float = 4.0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).uniform(low, high, (32, 32)).astype(np.float32)


def apply(name: str, *tiles: NDArray[np.float32], out: int = 0, fast: bool = False) -> NDArray[np.float32]:
    return floats(run(SUITE, name, [patterns(t, wide=True) for t in tiles], out=out, fast=fast))


@pytest.mark.parametrize("fast", [False, True], ids=["chip", "fast"])
@pytest.mark.parametrize("name", BINARY)
def test_two_tiles(name: str, fast: bool) -> None:
    a, b = tile(1), tile(2)
    want = BINARY[name][1](a.astype(np.float64), b.astype(np.float64))
    # The logarithm inside xlogy is a cubic.
    near = 7e-2 if name == "xlogy" else 2e-3
    np.testing.assert_allclose(apply(name, a, b, fast=fast), want, rtol=near, atol=near)


def test_nextafter_moves_by_one_place() -> None:
    a, b = tile(1), tile(2)
    np.testing.assert_array_equal(apply("nextafter", a, b), np.nextafter(a, b))


def test_three_tiles() -> None:
    a, b, c = tile(1), tile(2), tile(3)
    np.testing.assert_allclose(apply("addcmul", a, b, c), a + 1.5 * b * c, rtol=1e-5)
    np.testing.assert_allclose(apply("addcdiv", a, b, c), a + 1.5 * b / c, rtol=1e-5)
    np.testing.assert_allclose(apply("lerp", a, b, c), a + c * (b - a), rtol=1e-5, atol=1e-6)
    condition = (tile(4) > 2).astype(np.float32)
    np.testing.assert_array_equal(apply("where", condition, b, c), np.where(condition, b, c))


def test_fill_writes_everywhere() -> None:
    np.testing.assert_array_equal(apply("fill", tile(1)), np.full((32, 32), 2.5, np.float32))


def test_running_sums_go_on_from_tile_to_tile() -> None:
    a, b = tile(1), tile(2)
    both = np.cumsum(np.vstack([a, b]).astype(np.float64), axis=0)
    np.testing.assert_allclose(apply("cumsum", a, b, out=0), both[:32], rtol=1e-5)
    np.testing.assert_allclose(apply("cumsum", a, b, out=1), both[32:], rtol=1e-5)


def test_reductions() -> None:
    a = tile(1)
    np.testing.assert_array_equal(apply("reduce_max", a)[0], a.max(axis=0))
    np.testing.assert_allclose(apply("reduce_row_sum", a)[:, 0], a.sum(axis=1), rtol=1e-5)


def test_sort_orders_each_column_and_takes_the_indices_along() -> None:
    a, b = tile(1), tile(2)
    rows = np.arange(32, dtype=np.float32)[:, None] * np.ones((1, 32), np.float32)
    column = np.vstack([a, b])
    given = (a, b, rows, rows + 32)
    got = np.vstack([apply("sort", *given, out=0), apply("sort", *given, out=1)])
    indices = np.vstack([apply("sort", *given, out=2), apply("sort", *given, out=3)]).astype(int)
    np.testing.assert_array_equal(got, -np.sort(-column, axis=0))
    np.testing.assert_array_equal(np.take_along_axis(column, indices, axis=0), got)


def test_stable_sort_keeps_equal_values_in_the_order_of_their_indices() -> None:
    values = np.random.default_rng(9).integers(0, 4, (64, 32)).astype(np.float32)
    rows = np.arange(64, dtype=np.float32)[:, None] * np.ones((1, 32), np.float32)
    given = (values[:32], values[32:], rows[:32], rows[32:])
    indices = np.vstack([apply("stable", *given, out=2), apply("stable", *given, out=3)]).astype(int)
    np.testing.assert_array_equal(indices, np.argsort(-values, axis=0, kind="stable"))


def test_topk_leaves_the_largest_half_sorted_in_the_first_tile() -> None:
    a, b = tile(1), tile(2)
    got = apply("topk", a, b, a, b)
    np.testing.assert_array_equal(got, -np.sort(-np.vstack([a, b]), axis=0)[:32])


def test_statistics_down_the_columns() -> None:
    a, b = tile(1), tile(2)
    both = np.vstack([a, b]).astype(np.float64)
    np.testing.assert_allclose(apply("welford", a, b, out=2)[0], both.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(apply("welford", a, b, out=3)[0], both.var(axis=0), rtol=1e-4)
    np.testing.assert_allclose(apply("two_pass", a, out=2)[0], a.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(apply("two_pass", a, out=3)[0], a.var(axis=0), rtol=1e-4)


def test_broadcasts_on_the_vector_unit() -> None:
    a, b = tile(1), tile(2)
    np.testing.assert_allclose(apply("sub_column", a, b), a - b[:, :1], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(apply("mul_row", a, b), a * b[:1], rtol=1e-6)


def test_quantisation_rounds_and_saturates() -> None:
    a, b = tile(1, -200, 200), tile(2, 0.5, 2)
    got = run(SUITE, "quant", [patterns(a, wide=True), patterns(b, wide=True)]).view(np.int32)
    exact = a.astype(np.float64) * b + 5
    want = np.clip(np.sign(exact) * np.floor(abs(exact) + 0.5), -127, 127)
    assert np.abs(got - want).max() <= 1
    assert (got == want).mean() > 0.99


def test_vector_modes_choose_faces() -> None:
    a = tile(1)
    done = np.exp(a.astype(np.float64))
    top, left = a.copy(), a.copy()
    top[:16], left[:, :16] = done[:16], done[:, :16]
    np.testing.assert_allclose(apply("mode_row", a), top, rtol=1e-5)
    np.testing.assert_allclose(apply("mode_column", a), left, rtol=1e-5)
