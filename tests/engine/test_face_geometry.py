"""Buffers whose tiles have fewer rows than a face: rows tilized straight into a reduction, as pools do it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.engine.harness import CORE, CORES

from tilesmith.errors import EmulatorGap, FormatError
from tilesmith.formats import DataFormat
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    FaceGeometry,
    Kernel,
    Program,
    ReaderConfig,
    SourceType,
    WriterConfig,
)
from tilesmith.runtime import Device, TensorAccessorArgs
from tilesmith.runtime.memory_config import Layout

ROWS = 9
BF16 = DataFormat.Float16_b
READER = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    const auto in = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    cb_reserve_back(0, 1);
    for (uint32_t i = 0; i < 9; ++i) noc_async_read_page(i, in, get_write_ptr(0) + i * 64);
    cb_reserve_back(1, 1);
    volatile tt_l1_ptr uint16_t* scale = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(get_write_ptr(1));
    for (uint32_t i = 0; i < 16; ++i) scale[i] = get_arg_val<uint32_t>(1);
    noc_async_read_barrier();
    cb_push_back(0, 1);
    cb_push_back(1, 1);
}
"""
COMPUTE = """
#include "api/compute/tilize.h"
#include "api/compute/reduce.h"
#include "api/compute/pack_untilize.h"
void kernel_main() {
    constexpr bool most = REDUCE_OP == PoolType::MAX;
    compute_kernel_hw_startup(0, 1, 16);
    tilizeA_B_reduce_init<most, !most>(0, 1, 1);
    pack_untilize_dest_init<1>(16);
    cb_wait_front(0, 1);
    cb_wait_front(1, 1);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    unpack_tilizeA_B_block<most, true, false, !most>(0, 1, 1, 0);
    reduce_tile_math<REDUCE_OP, REDUCE_DIM>(0, 2);
    tile_regs_commit();
    tile_regs_wait();
    pack_untilize_dest<1>(16);
    tile_regs_release();
    cb_push_back(16, 1);
    cb_pop_front(0, 1);
    cb_pop_front(1, 1);
}
"""
WRITER = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    const auto out = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    cb_wait_front(16, 1);
    noc_async_write_page(0, out, get_read_ptr(16));
    noc_async_write_barrier();
    cb_pop_front(16, 1);
}
"""


def pooled(device: Device, values: NDArray[np.float32], operation: str, scale: int) -> NDArray[np.float32]:
    source = device.from_numpy(values, BF16, layout=Layout.ROW_MAJOR)
    out = device.empty((1, 32), BF16, layout=Layout.ROW_MAJOR)

    def words(tensor: object) -> tuple[int, ...]:
        return tuple(TensorAccessorArgs(tensor).get_compile_time_args())  # type: ignore[arg-type]

    defines = {"REDUCE_OP": f"PoolType::{operation}", "REDUCE_DIM": "ReduceDim::REDUCE_COL"}
    kernels = (
        Kernel(
            READER, CORES, ReaderConfig(), SourceType.SOURCE_CODE, words(source),
            runtime_args={CORE: (source.address, scale)},
        ),
        Kernel(COMPUTE, CORES, ComputeConfig(), SourceType.SOURCE_CODE, defines=defines),
        Kernel(
            WRITER, CORES, WriterConfig(), SourceType.SOURCE_CODE, words(out),
            runtime_args={CORE: (out.address,)},
        ),
    )  # fmt: skip
    cbs = (
        CircularBuffer(2048, CORES, CBFormat(0, BF16, 2048, face_geometry=FaceGeometry(ROWS, 2))),
        CircularBuffer(2048, CORES, CBFormat(1, BF16, 2048, face_geometry=FaceGeometry(1, 4))),
        CircularBuffer(64, CORES, CBFormat(16, BF16, 64, face_geometry=FaceGeometry(1, 2))),
    )
    device.run(Program(kernels, cbs))
    pooled_row: NDArray[np.float32] = np.asarray(out.to_numpy(), np.float32)[0]
    return pooled_row


def test_rows_below_a_window_do_not_count(device: Device) -> None:
    # Whole numbers: bfloat16 and the reduction keep them.
    values = -1 - np.random.default_rng(1).integers(0, 20, (ROWS, 32)).astype(np.float32)
    np.testing.assert_array_equal(pooled(device, values, "MAX", 0x3F80), values.max(0))
    np.testing.assert_array_equal(pooled(device, values / np.float32(4), "AVG", 0x4080), values.sum(0))


@pytest.mark.parametrize("faces", [(0, 2), (17, 2), (16, 3)])
def test_a_tile_cannot_have_any_faces(faces: tuple[int, int]) -> None:
    with pytest.raises(FormatError):
        FaceGeometry(*faces)


def test_semaphores_of_tensix_threads_are_told_to_be_missing(device: Device) -> None:
    text = """
#include "api/compute/common.h"
#include "ts/llk_calls.h"
void kernel_main() { PACK((t6_semaphore_init(semaphore::PACK_DONE, 0, 1))); }
"""
    kernel = Kernel(text, CORES, ComputeConfig(), SourceType.SOURCE_CODE)
    with pytest.raises(EmulatorGap, match="semaphores of Tensix threads"):
        device.run(Program((kernel,), ()))
