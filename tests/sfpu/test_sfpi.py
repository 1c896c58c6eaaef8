"""Functions that kernels bring themselves, written in SFPI: against numpy, and inside a whole program."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.engine.harness import INCLUDES, Input, run_snippets
from tests.sfpu.harness import Suite, floats, patterns, run

from tilesmith.errors import KernelFindings
from tilesmith.formats import DataFormat
from tilesmith.program import ComputeConfig
from tilesmith.runtime import open_device

Tile = NDArray[np.float32]
RNG = np.random.default_rng(3)
X: Tile = (RNG.standard_normal((32, 32)) * 3).astype(np.float32)
X[0, :4] = [0.0, -0.0, np.inf, -np.inf]
# Numbers that a copy into DST does not round.
A, B = (RNG.integers(-64, 64, (32, 32)).astype(np.float32) / 8 for _ in range(2))


def whole_tile(body: str) -> str:
    """The body for every row of a face, on all faces; `x` is read before and `dst_reg[0]` written after."""
    loop = f"for (int d = 0; d < 8; ++d) {{ vFloat x = dst_reg[0]; {body} dst_reg[0] = x; dst_reg++; }}"
    return (
        "using namespace sfpi; "
        f"_llk_math_eltwise_unary_sfpu_params_<false>([] {{ {loop} }}, 0, VectorMode::RC);"
    )


def relu6_or_squared(x: Tile) -> Tile:
    return np.where(np.signbit(x), x * x, np.where(x > 6, np.float32(6), x + 1))


FUNCTIONS: dict[str, tuple[str, Callable[[Tile], Tile]]] = {
    "if_else": (
        "v_if(x < 0.0f) { x = x * x; } v_elseif(x > 6.0f) { x = 6.0f; } v_else { x = x + 1.0f; } v_endif;",
        relu6_or_squared,
    ),
    "nested": (
        "v_if(x >= 0.0f) { v_if(x > 2.0f && x < 4.0f) { x = 3.0f; } v_endif; x += 1.0f; } v_endif;",
        lambda x: np.where(np.signbit(x), x, np.where((x > 2) & (x < 4), np.float32(3), x) + 1),
    ),
    "condition_narrowed": (
        "v_block { v_and(x > 1.0f); v_and(x < 2.0f); x = -x; } v_endblock;",
        lambda x: np.where((x > 1) & (x < 2), -x, x),
    ),
    "exponent": ("vInt e = exexp(x); v_if(e == 1) { x = setexp(x, 127); } v_endif;", lambda x: _scaled(x)),
    "sign": ("x = copysgn(abs(x) + 1.0f, x);", lambda x: np.copysign(np.abs(x) + 1, x)),
    "bits": ("x = as<vFloat>(as<vUInt>(x) & 0xFFF00000u);", lambda x: _cut(x)),
    "clamp": ("x = clamp(x, -1.5f, 0.5f);", lambda x: np.clip(x, -1.5, 0.5)),
    "mad": ("x = x * x + 0.3f;", lambda x: (x.astype(np.float64) ** 2 + np.float32(0.3)).astype(np.float32)),
    "lanes": ("x = convert<vFloat>(vInt(vConstTileId));", lambda _: _lane_numbers()),
}


def _scaled(x: Tile) -> Tile:
    magnitude = np.abs(x)
    return np.where((magnitude >= 2) & (magnitude < 4), x / 2, x).astype(np.float32)


def _cut(x: Tile) -> Tile:
    return (x.view(np.uint32) & np.uint32(0xFFF00000)).view(np.float32)


def _lane_numbers() -> Tile:
    """Four rows of eight columns are a vector: the even columns first, then the odd ones."""
    row, col = np.indices((32, 32))
    return (2 * (row % 4 * 8 + col % 16 // 2)).astype(np.float32)


@pytest.mark.parametrize("arch", ["WORMHOLE", "BLACKHOLE"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_in_sfpi(name: str, arch: str) -> None:
    bodies = tuple((key, whole_tile(body)) for key, (body, _) in FUNCTIONS.items())
    suite = Suite(bodies, ("api/compute/common.h", "sfpi.h"), wide=True, arch=arch)
    with np.errstate(all="ignore"):
        expected = FUNCTIONS[name][1](X)
    actual = floats(run(suite, name, [patterns(X, wide=True)]))
    finite = np.isfinite(expected)
    np.testing.assert_allclose(actual[finite], expected[finite], rtol=3e-7)
    np.testing.assert_array_equal(np.isnan(actual), np.isnan(expected))


def test_only_the_faces_of_the_mode_change() -> None:
    body = (
        "using namespace sfpi; _llk_math_eltwise_unary_sfpu_params_<false>("
        "[] { for (int d = 0; d < 8; ++d) { dst_reg[d] = 7.0f; } }, 0, VectorMode::C);"
    )
    suite = Suite((("fill", body),), ("api/compute/common.h", "sfpi.h"), wide=True)
    actual = floats(run(suite, "fill", [patterns(X, wide=True)]))
    assert np.all(actual[:, :16] == 7)
    assert np.array_equal(actual[:, 16:], X[:, 16:])


PROGRAM = """
#include "experimental/llk_sfpu/ckernel_sfpu_custom_add.h"
#include "experimental/llk_sfpu/ckernel_sfpu_smoothstep.h"
"""


def in_program(snippet: str) -> Tile:
    with open_device() as device:
        inputs = [Input(values, DataFormat.Float32) for values in (A, B)]
        config = ComputeConfig(fp32_dest_acc_en=True)
        start = f"compute_kernel_hw_startup(0, 1, 16); {snippet}"
        copies = "copy_init(0); copy_tile(0, 0, 0); copy_init(1); copy_tile(1, 0, 1);"
        result: Tile = run_snippets(
            device, inputs, [copies + snippet], DataFormat.Float32, config, start=start.split(";")[0] + ";"
        )[0]
        return result


def test_the_vendors_two_examples_as_whole_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.engine.harness.INCLUDES", INCLUDES + PROGRAM)
    call = "MATH((SFPU_{}_CALL_NO_TEMPLATE_ARGS(DST_SYNC_MODE, DST_ACCUM_MODE, {})));"
    added = in_program(call.format("BINARY", "my_add_tile_face, 0, 1, 0, VectorMode::RC"))
    np.testing.assert_array_equal(added, A + B)
    arguments = "smoothstep_tile_face, 0, VectorMode::RC, -1.0f, 3.0f, 0.25f"
    t = np.clip((A + 1) / 4, 0, 1)
    np.testing.assert_allclose(in_program(call.format("UNARY", arguments)), t * t * (3 - 2 * t), rtol=1e-6)


def test_a_tile_that_nothing_wrote_is_a_finding_at_the_users_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.engine.harness.INCLUDES", INCLUDES + PROGRAM)
    call = "MATH((_llk_math_eltwise_unary_sfpu_params_([] { sfpi::vFloat x = sfpi::dst_reg[96]; }, 0, 4)));"
    with pytest.raises(KernelFindings, match="DST tile 3"):
        in_program(call)
