"""A vector as a Program: its kernel text between a reader and a writer, on one core."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from conformance.accessors import accessor_words
from conformance.vectors.vector import Vector
from tilesmith.formats import DataFormat, tile_bytes
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    CoreCoord,
    CoreRange,
    CoreRangeSet,
    Kernel,
    Program,
    ReaderConfig,
    SourceType,
    WriterConfig,
)
from tilesmith.runtime import Device, Tensor

_CORE = CoreCoord(0, 0)
_CORES = CoreRangeSet([CoreRange(_CORE, _CORE)])
_IN0, _IN1, _OUT = 0, 1, 16
_DEPTH = 2
_BASE_INCLUDES = (
    "api/compute/common.h",
    "api/compute/compute_kernel_hw_startup.h",
    "api/compute/tile_move_copy.h",
    "api/compute/eltwise_binary.h",
    "api/compute/eltwise_unary/eltwise_unary.h",
)

_READER = """
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"
void kernel_main() {
    constexpr auto args0 = TensorAccessorArgs<0>();
    constexpr auto args1 = TensorAccessorArgs<args0.next_compile_time_args_offset()>();
    const auto in0 = TensorAccessor(args0, get_arg_val<uint32_t>(0));
    const auto in1 = TensorAccessor(args1, get_arg_val<uint32_t>(1));
    const uint32_t tiles = get_arg_val<uint32_t>(2);
    const bool two = get_arg_val<uint32_t>(3);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_reserve_back(0, 1);
        noc_async_read_page(tile, in0, get_write_ptr(0));
        if (two) {
            cb_reserve_back(1, 1);
            noc_async_read_page(tile, in1, get_write_ptr(1));
        }
        noc_async_read_barrier();
        cb_push_back(0, 1);
        if (two) cb_push_back(1, 1);
    }
}
"""

_WRITER = """
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0));
    const uint32_t tiles = get_arg_val<uint32_t>(1);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_wait_front(16, 1);
        noc_async_write_page(tile, out, get_read_ptr(16));
        noc_async_write_barrier();
        cb_pop_front(16, 1);
    }
}
"""


def run_vector(device: Device, vector: Vector, checks: Literal["on", "off"]) -> NDArray[np.float32]:
    """The output of the vector's kernel on the emulator, with the chip's numbers."""
    in0 = device.from_numpy(vector.in0, vector.in0_format)
    in1 = device.from_numpy(vector.in1, vector.in1_format)
    out = device.empty(vector.out.shape, vector.out_format)
    device.run(_program(vector, in0, in1, out), checks=checks, numbers="chip")
    return np.asarray(out.to_numpy(), dtype=np.float32)


def _program(vector: Vector, in0: Tensor, in1: Tensor, out: Tensor) -> Program:
    tiles, results = len(vector.in0), len(vector.out)
    two = int(vector.kind != "unary")
    config = ComputeConfig(
        math_fidelity=vector.fidelity, math_approx_mode=vector.approx, fp32_dest_acc_en=vector.fp32_acc
    )
    return Program(
        kernels=(
            Kernel(
                _READER,
                _CORES,
                ReaderConfig(),
                SourceType.SOURCE_CODE,
                (*accessor_words(in0), *accessor_words(in1)),
                runtime_args={_CORE: (in0.address, in1.address, tiles, two)},
            ),
            Kernel(compute_text(vector), _CORES, config, SourceType.SOURCE_CODE),
            Kernel(
                _WRITER,
                _CORES,
                WriterConfig(),
                SourceType.SOURCE_CODE,
                accessor_words(out),
                runtime_args={_CORE: (out.address, results)},
            ),
        ),
        cbs=(
            _buffer(_IN0, vector.in0_format),
            _buffer(_IN1, vector.in1_format),
            _buffer(_OUT, vector.out_format),
        ),
    )


def compute_text(vector: Vector) -> str:
    """The compute kernel around the vector's set-up and operation."""
    includes = "".join(f'#include "{name}"\n' for name in dict.fromkeys((*_BASE_INCLUDES, *vector.includes)))
    body = _accumulating(vector) if vector.kind == "matmul_k" else _per_tile(vector)
    return f"{includes}void kernel_main() {{\n    {vector.init}\n{body}}}\n"


def _per_tile(vector: Vector) -> str:
    inputs = (_IN0,) if vector.kind == "unary" else (_IN0, _IN1)
    waits = " ".join(f"cb_wait_front({cb}, 1);" for cb in inputs)
    pops = " ".join(f"cb_pop_front({cb}, 1);" for cb in inputs)
    return f"""
    for (uint32_t i = 0; i < {len(vector.in0)}; ++i) {{
        {waits}
        cb_reserve_back({_OUT}, 1);
        tile_regs_acquire();
        {vector.op}
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, {_OUT});
        tile_regs_release();
        {pops}
        cb_push_back({_OUT}, 1);
    }}
"""


def _accumulating(vector: Vector) -> str:
    operation = vector.op or f"matmul_tiles({_IN0}, {_IN1}, 0, 0, 0);"
    return f"""
    cb_reserve_back({_OUT}, 1);
    tile_regs_acquire();
    for (uint32_t i = 0; i < {len(vector.in0)}; ++i) {{
        cb_wait_front({_IN0}, 1);
        cb_wait_front({_IN1}, 1);
        {operation}
        cb_pop_front({_IN0}, 1);
        cb_pop_front({_IN1}, 1);
    }}
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, {_OUT});
    tile_regs_release();
    cb_push_back({_OUT}, 1);
"""


def _buffer(index: int, data_format: DataFormat) -> CircularBuffer:
    page = tile_bytes(data_format)
    return CircularBuffer(_DEPTH * page, _CORES, (CBFormat(index, data_format, page),))
