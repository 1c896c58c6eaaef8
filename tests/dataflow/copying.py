"""A program of two data-movement kernels on one core: one fills circular buffer 0, the other drains it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import tilesmith
from tilesmith.runtime import Device, Tensor

HEAD = """
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/endpoints.h"
#include "api/dataflow/noc_semaphore.h"
#include "api/tensor/noc_traits.h"
#include "api/core_local_mem.h"
"""
READER = """
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    const uint32_t pages = get_arg_val<uint32_t>(1);
    for (uint32_t page = 0; page < pages; ++page) {
        cb_reserve_back(0, 1);
        noc_async_read_page(page, tensor, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
"""
WRITER = """
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    const uint32_t pages = get_arg_val<uint32_t>(1);
    for (uint32_t page = 0; page < pages; ++page) {
        cb_wait_front(0, 1);
        noc_async_write_page(page, tensor, get_read_ptr(0));
        noc_async_write_barrier();
        cb_pop_front(0, 1);
    }
}
"""
CORE = tilesmith.CoreCoord(0, 0)


def copy_program(
    source: Tensor, target: Tensor, reader: str = READER, writer: str = WRITER
) -> tilesmith.Program:
    """Both kernels get their tensor's words as compile-time arguments, its address and its page count."""

    def kernel(text: str, config: tilesmith.DataMovementConfig, tensor: Tensor) -> tilesmith.Kernel:
        return tilesmith.Kernel(
            HEAD + text,
            CORE,
            config,
            source_type=tilesmith.SourceType.SOURCE_CODE,
            compile_time_args=tilesmith.TensorAccessorArgs(tensor).get_compile_time_args(),
            runtime_args={CORE: (tensor.address, source.num_pages)},
        )

    page = source.aligned_page_size
    cb = tilesmith.CircularBuffer(2 * page, CORE, (tilesmith.CBFormat(0, source.dtype, page),))
    kernels = (
        kernel(reader, tilesmith.ReaderConfig(), source),
        kernel(writer, tilesmith.WriterConfig(), target),
    )
    return tilesmith.Program(kernels, (cb,))


def copied(
    device: Device, reader: str = READER, writer: str = WRITER
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """What went in and what came out of a copy of six tiles."""
    values = np.arange(64 * 96, dtype=np.float32).reshape(64, 96) % 256
    source = device.from_numpy(values, tilesmith.bfloat16)
    target = device.empty(values.shape, tilesmith.bfloat16)
    device.run(copy_program(source, target, reader, writer))
    return values, target.to_numpy()
