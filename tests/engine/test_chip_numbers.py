"""The chip's numbers: the engine agrees bit for bit with a scalar model; conversions follow their rules."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.engine.harness import Input, run_snippets
from tests.engine.matrix_unit import matmul, multiply

from tilesmith.formats import DataFormat
from tilesmith.program import ComputeConfig, MathFidelity
from tilesmith.runtime import Device

PHASES = {MathFidelity.LoFi: 1, MathFidelity.HiFi2: 2, MathFidelity.HiFi3: 3, MathFidelity.HiFi4: 4}
MATMUL_START = "compute_kernel_hw_startup<SrcOrder::Reverse>(0, 1, 16); matmul_init(0, 1);"


def bf16(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """Values that bf16 holds exactly."""
    bits = values.astype(np.float32).view(np.uint32) & 0xFFFF0000
    return np.asarray(bits.astype(np.uint32).view(np.float32))


def wide_range(rng: np.random.Generator, exponents: int) -> NDArray[np.float32]:
    scale = np.exp2(rng.integers(-exponents, exponents, size=(1, 32, 32)))
    return bf16(rng.normal(size=(1, 32, 32)) * scale)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("fidelity", [MathFidelity.LoFi, MathFidelity.HiFi3, MathFidelity.HiFi4])
@pytest.mark.parametrize("exponents", [3, 20])
def test_matmul_is_the_matrix_units(
    device: Device, wide: bool, fidelity: MathFidelity, exponents: int
) -> None:
    rng = np.random.default_rng(exponents)
    a, b = wide_range(rng, exponents), wide_range(rng, exponents)
    out = run_snippets(
        device,
        [Input(a), Input(b)],
        ["matmul_tiles(0, 1, 0, 0, 0);"],
        DataFormat.Float32 if wide else DataFormat.Float16_b,
        ComputeConfig(math_fidelity=fidelity, fp32_dest_acc_en=wide),
        start=MATMUL_START,
    )
    for row, col in rng.integers(0, 32, size=(60, 2)):
        expected = matmul(a[0, row].tolist(), b[0, :, col].tolist(), PHASES[fidelity], wide)
        assert out[0, row, col] == np.float32(expected)


def test_huge_operands_take_the_exact_path(device: Device) -> None:
    rng = np.random.default_rng(7)
    a, b = bf16(rng.normal(size=(1, 32, 32)) * 2.0**124), bf16(rng.normal(size=(1, 32, 32)) * 2.0**-20)
    out = run_snippets(
        device,
        [Input(a), Input(b)],
        ["matmul_tiles(0, 1, 0, 0, 0);"],
        DataFormat.Float32,
        ComputeConfig(math_fidelity=MathFidelity.HiFi4, fp32_dest_acc_en=True),
        start=MATMUL_START,
    )
    for row, col in rng.integers(0, 32, size=(40, 2)):
        assert out[0, row, col] == np.float32(matmul(a[0, row].tolist(), b[0, :, col].tolist(), 4, True))


@pytest.mark.parametrize("wide", [False, True])
def test_multiplication_is_the_matrix_units(device: Device, wide: bool) -> None:
    rng = np.random.default_rng(3)
    a, b = wide_range(rng, 60), wide_range(rng, 60)
    out = run_snippets(
        device,
        [Input(a), Input(b)],
        ["mul_init(0, 1); mul_tiles(0, 1, 0, 0, 0);"],
        DataFormat.Float32 if wide else DataFormat.Float16_b,
        ComputeConfig(math_fidelity=MathFidelity.HiFi2, fp32_dest_acc_en=wide),
    )
    for row, col in rng.integers(0, 32, size=(80, 2)):
        expected = multiply(float(a[0, row, col]), float(b[0, row, col]), 2, wide)
        assert out[0, row, col] == np.float32(expected)


def copy(
    device: Device, values: NDArray[np.float32], wide: bool, out_format: DataFormat
) -> NDArray[np.float32]:
    tile = np.zeros((1, 32, 32), np.float32)
    tile[0, 0, : len(values)] = values
    out = run_snippets(
        device,
        [Input(tile, DataFormat.Float32)],
        ["copy_init(0); copy_tile(0, 0, 0);"],
        out_format,
        ComputeConfig(fp32_dest_acc_en=wide),
    )
    return np.asarray(out[0, 0, : len(values)])


SPECIAL = np.array([1.0 + 3 * 2.0**-9, -(1.0 + 2.0**-8), -0.0, 1e-40, np.inf, -np.inf, np.nan], np.float32)


def test_a_16_bit_dst_truncates_on_the_way_in(device: Device) -> None:
    out = copy(device, SPECIAL, False, DataFormat.Float16_b)
    assert out.tolist() == [1.0, -1.0, 0.0, 0.0, np.inf, -np.inf, np.inf]
    assert not np.signbit(out[2])


def test_a_32_bit_dst_rounds_on_the_way_out(device: Device) -> None:
    out = copy(device, SPECIAL, True, DataFormat.Float16_b)
    assert out.tolist() == [1.0 + 2.0**-7, -(1.0 + 2.0**-7), 0.0, 0.0, np.inf, -np.inf, np.inf]


def test_fp32_passes_src_as_tf32_unless_it_bypasses_it(device: Device) -> None:
    value = np.array([1.0 + 2.0**-20], np.float32)
    assert copy(device, value, True, DataFormat.Float32)[0] == 1.0
    tile = np.full((1, 32, 32), value[0], np.float32)
    out = run_snippets(
        device,
        [Input(tile, DataFormat.Float32)],
        ["copy_init(0); copy_tile(0, 0, 0);"],
        DataFormat.Float32,
        ComputeConfig(fp32_dest_acc_en=True, unpack_to_dest_fp32=(0,)),
    )
    assert (out == value[0]).all()


def test_block_floats_round_to_seven_bits_then_truncate(device: Device) -> None:
    values = np.array([1.0, 0.75 + 2.0**-7, 0.8125, -0.3125], np.float32)
    assert copy(device, values, True, DataFormat.Bfp8_b).tolist() == [1.0, 0.765625, 0.8125, -0.3125]
    assert copy(device, values, True, DataFormat.Bfp4_b).tolist() == [1.0, 0.75, 0.75, -0.25]
