"""Calls as kernels of the first generation write them compile, from the first generation's paths."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.sfpu.harness import Suite, floats, patterns, run

CALLS = {
    "exp_flags": "exp_tile_init<true, false>(); exp_tile<true, false, false, 8>(0, (int)VectorMode::RC);",
    "exp_now": "exp_tile_init<true>(); exp_tile<true>(0);",
    "exp_scaled": "exp_tile_init<true, true, 0x40000000>(); exp_tile<true>(0);",
    "recip": "recip_tile_init<false>(); recip_tile<false>(0, (int)VectorMode::RC);",
    "recip_now": "recip_tile_init<ReciprocalDestAcc::FP32>(); recip_tile<ReciprocalDestAcc::FP32>(0);",
    "rsqrt": "rsqrt_tile_init<true>(); rsqrt_tile<true>(0);",
    "rsqrt_now": "rsqrt_tile_init(); rsqrt_tile<RsqrtMode::Fast>(0);",
    "sigmoid": "sigmoid_tile_init(); sigmoid_tile<(int)VectorMode::RC, false>(0);",
    "logical_not": "logical_not_unary_tile_init(); logical_not_unary_tile(0);",
    "max": "max_tile_init(); max_tile(0, 1);",
    "where": "where_tile_init(); where_fp32_tile(0, 1, 2, 0);",
}
INCLUDES = (
    "compute_kernel_api.h",
    *(
        f"compute_kernel_api/eltwise_unary/{name}.h"
        for name in ("exp", "recip", "rsqrt", "logical_not_noti", "where")
    ),
)
SUITE = Suite(tuple(CALLS.items()), INCLUDES, wide=True)
VALUES = np.random.default_rng(3).uniform(0.2, 3.0, (32, 32)).astype(np.float32)


@pytest.mark.parametrize(
    ("name", "want", "relative"),
    [
        ("exp_flags", np.exp(VALUES), 0.05),
        ("exp_now", np.exp(VALUES), 0.05),
        ("exp_scaled", np.exp(2 * VALUES), 0.05),
        ("recip", 1 / VALUES, 1e-5),
        ("recip_now", 1 / VALUES, 1e-5),
        ("rsqrt", VALUES**-0.5, 3e-3),
        ("rsqrt_now", VALUES**-0.5, 1e-5),
        ("sigmoid", 1 / (1 + np.exp(-VALUES)), 1e-5),
        ("logical_not", np.zeros_like(VALUES), 0.0),
        ("max", np.maximum(VALUES, VALUES[::-1]), 0.0),
        ("where", VALUES[::-1], 0.0),
    ],
)
def test_first_generation_calls(name: str, want: NDArray[np.float32], relative: float) -> None:
    tiles = [patterns(VALUES, wide=True), patterns(VALUES[::-1], wide=True), patterns(VALUES * 0, wide=True)]
    np.testing.assert_allclose(floats(run(SUITE, name, tiles)), want, rtol=relative)
