"""Every operation of the matrix unit against numpy, with fast numbers: only the wiring is at stake."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.engine.harness import Input, run_snippets

from tilesmith.formats import DataFormat, TileShape
from tilesmith.program import ComputeConfig
from tilesmith.runtime import Device

Tile = NDArray[np.float32]
WIDE = ComputeConfig(fp32_dest_acc_en=True)
F32 = DataFormat.Float32
RNG = np.random.default_rng(1)
A: Tile = RNG.normal(size=(2, 32, 32)).astype(np.float32)
B: Tile = RNG.normal(size=(2, 32, 32)).astype(np.float32)
ONES: Tile = np.ones((1, 32, 32), np.float32)
START = "compute_kernel_hw_startup(0, 1, 16);"


def column_of(values: Tile) -> Tile:
    out = np.zeros((32, 32), np.float32)
    out[:, 0] = values
    return out


def row_of(values: Tile) -> Tile:
    return column_of(values).T.copy()


ELTWISE: dict[str, Tile] = {
    "add_init(0, 1); add_tiles(0, 1, 0, 1, 0);": A[0] + B[1],
    "sub_init(0, 1); sub_tiles(0, 1, 1, 0, 0);": A[1] - B[0],
    "mul_init(0, 1); mul_tiles(0, 1, 0, 0, 0); mul_tiles(0, 1, 1, 1, 0);": A[0] * B[0] + A[1] * B[1],
    "add_init(0, 1, true); add_tiles(0, 1, 0, 0, 0); add_tiles(0, 1, 1, 1, 0);": A[0] + B[0] + A[1] + B[1],
    "add_bcast_rows_init(0, 1); add_tiles_bcast_rows(0, 1, 0, 0, 0);": A[0] + B[0][:1],
    "sub_bcast_cols_init(0, 1); sub_tiles_bcast_cols(0, 1, 0, 0, 0);": A[0] - B[0][:, :1],
    "mul_bcast_scalar_init(0, 1); mul_tiles_bcast_scalar(0, 1, 0, 0, 0);": A[0] * B[0][0, 0],
    "mul_bcast_rows_init(0, 1); mul_tiles_bcast_rows(0, 1, 0, 0, 0, 17);": A[0] * B[0][17:18],
    "unary_bcast_init<BroadcastType::COL>(1); unary_bcast<BroadcastType::COL>(1, 0, 0);": np.repeat(
        B[0][:, :1], 32, axis=1
    ),
    "copy_init(0); copy_tile(0, 0, 0);"
    "sub_reuse_dest_init<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(1);"
    "sub_reuse_dest_tiles<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(1, 0, 0);": A[0] - B[0],
    "copy_init(0); copy_tile(0, 0, 0);"
    "mul_reuse_dest_init<EltwiseBinaryReuseDestType::DEST_TO_SRCB>(1);"
    "mul_reuse_dest_tiles<EltwiseBinaryReuseDestType::DEST_TO_SRCB>(1, 1, 0);": A[0] * B[1],
    "transpose_init(0); transpose_tile(0, 0, 0);": A[0].T,
    "copy_init(0); copy_tile(0, 1, 0); transpose_dest_init(); transpose_dest(0);": A[1].T,
    "matmul_init(1, 0); matmul_tiles(1, 0, 0, 0, 0);": B[0] @ A[0],
    "matmul_init(1, 0, 1); matmul_tiles(1, 0, 0, 0, 0);": B[0] @ A[0].T,
    "matmul_block_init(1, 0, 0, 1, 2, 1); matmul_block(1, 0, 0, 0, 0, 0, 1, 2, 1);": B[0] @ A[0],
    "copy_tile_to_dst_init_short(0); copy_tile(0, 0, 0); copy_block_matmul_partials(0, 0, 0, 2);": A[0],
}


def test_operations_agree_with_numpy(device: Device) -> None:
    out = run_snippets(device, [Input(A, F32), Input(B, F32)], list(ELTWISE), F32, WIDE, "fast", START)
    for snippet, got, expected in zip(ELTWISE, out, ELTWISE.values(), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-4, err_msg=snippet)


def reduction(pool: str, dim: str) -> str:
    kind = f"<PoolType::{pool}, ReduceDim::REDUCE_{dim}>"
    return f"reduce_init{kind}(0, 1, 16); reduce_tile{kind}(0, 1, 0, 0, 0); reduce_tile{kind}(0, 1, 1, 0, 0);"


@pytest.mark.parametrize("numbers", ["chip", "fast"])
def test_reductions_accumulate_and_mask(device: Device, numbers: str) -> None:
    rows, cols = np.concatenate(A, axis=1), np.concatenate(A, axis=0)
    corner = np.zeros((32, 32), np.float32)
    expected = {
        reduction("SUM", "ROW"): column_of(rows.sum(axis=1)),
        reduction("MAX", "ROW"): column_of(rows.max(axis=1)),
        reduction("SUM", "COL"): row_of(cols.sum(axis=0)),
        reduction("MAX", "COL"): row_of(cols.max(axis=0)),
        reduction("SUM", "SCALAR"): corner + np.pad([[A.sum()]], (0, 31)),
        reduction("MAX", "SCALAR"): corner + np.pad([[A.max()]], (0, 31)),
    }
    inputs = [Input(A, F32), Input(ONES, F32)]
    out = run_snippets(
        device, inputs, list(expected), F32, WIDE, "fast" if numbers == "fast" else "chip", START
    )
    tolerance = 1e-4 if numbers == "fast" else 0.05
    for snippet, got, wanted in zip(expected, out, expected.values(), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance, err_msg=snippet)
        assert not got[np.abs(wanted) == 0].any(), snippet


def test_packer_relu_and_accumulation(device: Device) -> None:
    snippets = [
        "copy_init(0); copy_tile(0, 0, 0); pack_relu_config(ReluConfig::zero());",
        "copy_init(0); copy_tile(0, 0, 0); pack_relu_config(ReluConfig::max_threshold(0x3F80));",
        """
        pack_relu_config(ReluConfig::none()); pack_reconfig_l1_acc(0); copy_init(0); copy_tile(0, 0, 0);
        tile_regs_commit(); tile_regs_wait(); pack_tile<true>(0, 16, 0); tile_regs_release();
        pack_reconfig_l1_acc(1); tile_regs_acquire(); copy_tile(0, 1, 0);
        """,
    ]
    out = run_snippets(device, [Input(A, F32)], snippets, F32, WIDE, "fast")
    np.testing.assert_array_equal(out[0], np.maximum(A[0], 0))
    np.testing.assert_array_equal(out[1], np.clip(A[0], 0, 1))
    np.testing.assert_allclose(out[2], A[0] + A[1], rtol=1e-6)


def test_sums_in_l1_keep_infinities_and_drop_denormals(device: Device) -> None:
    pairs = np.array(
        [
            [1e-39, 1e-39],
            [np.inf, -np.inf],
            [np.inf, 1],
            [np.nan, 1],
            [3e38, 3e38],
            [2e-38, -1.9e-38],
            [2, -2],
        ],
        np.float32,
    )
    values = np.zeros((2, 32, 32), np.float32)
    values[:, 5, 9 : 9 + len(pairs)] = pairs.T
    snippet = """
        pack_reconfig_l1_acc(0); copy_init(0); copy_tile(0, 0, 0);
        tile_regs_commit(); tile_regs_wait(); pack_tile<true>(0, 16, 0); tile_regs_release();
        pack_reconfig_l1_acc(1); tile_regs_acquire(); copy_tile(0, 1, 0);
        """
    out = run_snippets(device, [Input(values, F32)], [snippet], F32, WIDE, "fast")[0]
    found = out[5, 9 : 9 + len(pairs)]
    np.testing.assert_array_equal(found, np.array([0, np.nan, np.inf, np.nan, np.inf, 0, 0], np.float32))
    assert np.count_nonzero(np.isfinite(out)) == out.size - 4


@pytest.mark.parametrize("data_format", [DataFormat.Int32, DataFormat.UInt32, DataFormat.UInt16])
def test_integers_are_copied_as_they_are(device: Device, data_format: DataFormat) -> None:
    values = RNG.integers(0, 65536, size=(1, 32, 32))
    if data_format == DataFormat.Int32:
        values = values * 30000 - (1 << 30)
    config = ComputeConfig(fp32_dest_acc_en=data_format != DataFormat.UInt16)
    out = run_snippets(
        device, [Input(values, data_format)], ["copy_init(0); copy_tile(0, 0, 0);"], data_format, config
    )
    np.testing.assert_array_equal(out.astype(np.int64), values)


@pytest.mark.parametrize(
    "data_format", [DataFormat.Float16, DataFormat.Bfp8_b, DataFormat.Bfp4_b, DataFormat.Bfp2_b]
)
def test_formats_survive_a_copy(device: Device, data_format: DataFormat) -> None:
    stored = device.from_numpy(A[:1], data_format).to_numpy()
    out = run_snippets(
        device,
        [Input(stored, data_format)],
        ["copy_init(0); copy_tile(0, 0, 0);"],
        data_format,
        ComputeConfig(),
    )
    np.testing.assert_array_equal(out, stored)


@pytest.mark.parametrize("tile", [TileShape(16, 32), TileShape(32, 16), TileShape(16, 16)], ids=str)
def test_small_tiles(device: Device, tile: TileShape) -> None:
    a = A[:1, : tile.rows, : tile.cols].copy()
    snippets = ["add_init(0, 0); add_tiles(0, 0, 0, 0, 0);", "mul_init(0, 0); mul_tiles(0, 0, 0, 0, 0);"]
    out = run_snippets(device, [Input(a, F32, tile)], snippets, F32, WIDE, "fast", tile=tile)
    np.testing.assert_allclose(out[0], a[0] + a[0], rtol=1e-6)
    np.testing.assert_allclose(out[1], a[0] * a[0], rtol=1e-6)


@pytest.mark.parametrize("numbers", ["chip", "fast"])
def test_matmul_of_small_tiles(device: Device, numbers: str) -> None:
    left, right, both = TileShape(16, 32), TileShape(32, 16), TileShape(16, 16)
    a, b = A[:1, :16], B[:1, :, :16]
    out = run_snippets(
        device,
        [Input(a.copy(), F32, left), Input(b.copy(), F32, right)],
        ["matmul_init(0, 1); matmul_tiles(0, 1, 0, 0, 0);"],
        F32,
        WIDE,
        "fast" if numbers == "fast" else "chip",
        "compute_kernel_hw_startup<SrcOrder::Reverse>(0, 1, 16);",
        both,
    )
    np.testing.assert_allclose(out[0], a[0] @ b[0], atol=1e-4 if numbers == "fast" else 0.05)
