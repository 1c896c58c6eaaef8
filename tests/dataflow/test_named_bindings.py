"""Kernels in the Metal 2.0 style: arguments, buffers, semaphores, tensors and scratchpads by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tilesmith
from tilesmith.errors import EmulatorGap, KernelArgumentError, KernelCompileError, KernelFindings
from tilesmith.program import Scratchpad, TensorArgument, named_kernel
from tilesmith.runtime import Device, Tensor, TensorAccessorArgs

CORES = (tilesmith.CoreCoord(0, 0), tilesmith.CoreCoord(1, 0))
PAIR = tilesmith.CoreRange(*CORES)
INLINE = tilesmith.SourceType.SOURCE_CODE

# The second core waits until the first has read: the semaphore is a binding too.
READER = """
#include "api/semaphore.h"
#include "api/tensor/noc_traits.h"
#include "internal/scoped_lock_cache_ops.h"
template <uint32_t last_core>
TT_KERNEL void read(uint32_t start, uint32_t count, const uint32_t scale_bits) {
    Noc noc;
    Semaphore turn(sem::turn);
    DataflowBuffer out(dfb::pages);
    const auto src = TensorAccessor(tensor::src);
    Scratchpad<uint32_t> seen(scratch::seen);
    const uint32_t me = get_vararg(0);
    if (me != 0) turn.wait_min(1);
    for (uint32_t page = start; page < start + count; ++page) {
        out.reserve_back(1);
        noc.async_read(src, out, out.get_entry_size(), {.page_id = page}, {.offset_bytes = 0});
        noc.async_read_barrier();
        const auto lock = seen.scoped_lock(page - start, 1);
        seen[page - start] = page + scale_bits;
        out.push_back(1);
    }
    for (uint32_t page = start; page < start + count; ++page) ASSERT(seen[page - start] == page + scale_bits);
    ASSERT(seen.size() == 16);
    if (me < last_core) turn.up(noc, get_common_vararg(0), get_common_vararg(1), 1);
    noc.async_atomic_barrier();
}
"""
COMPUTE = """
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/tile_move_copy.h"
#include "experimental/kernel_args.h"
void kernel_main() {
    constexpr uint32_t block = get_arg(args::block);
    static_assert(block == 1 && get_num_compile_time_varargs() == 2 && get_compile_time_vararg<1>() == 7);
    DataflowBuffer in(dfb::pages), out(dfb::scaled);
    compute_kernel_hw_startup(dfb::pages, dfb::scaled);
    copy_init(dfb::pages);
    for (uint32_t tile = 0; tile < get_arg(args::count); ++tile) {
        in.wait_front(block);
        out.reserve_back(block);
        tile_regs_acquire();
        copy_tile(dfb::pages, 0, 0);
        binop_with_scalar_tile_init();
        mul_unary_tile(0, get_arg(args::scale_bits));
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, dfb::scaled);
        tile_regs_release();
        in.pop_front(block);
        out.push_back(block);
    }
}
"""
WRITER = """
#include "api/tensor/noc_traits.h"
void kernel_main() {
    Noc noc;
    DataflowBuffer in(dfb::scaled);
    // As the first of a sequence, and by its name as text.
    static_assert(std::tuple_size_v<decltype(tensor::both)> == 2 && !tensor::get_token_if_present<"src">());
    static_assert(*dfb::get_token_if_present<"scaled">() == 9u && !dfb::get_token_if_present<"pages">());
    const auto both = make_tensor_accessors(tensor::both);
    const auto dst = std::get<1>(both);
    const auto same = TensorAccessor(*tensor::get_token_if_present<"dst">());
    ASSERT(dst.get_bank_base_address() == same.get_bank_base_address());
    if constexpr (get_num_compile_time_varargs() > 0) TensorAccessor(*tensor::get_token_if_present<"src">());
    const uint32_t start = get_arg(args::start), count = get_arg(args::count);
    for (uint32_t page = start; page < start + count; ++page) {
        in.wait_front(1);
        noc.async_write(in, dst, in.get_entry_size(), {.offset_bytes = 0}, {.page_id = page});
        noc.async_write_barrier();
        in.pop_front(1);
    }
}
"""


@pytest.fixture(scope="module", params=["wormhole", "blackhole"])
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    with tilesmith.open_device(request.param) as opened:
        yield opened


def argument(tensor: Tensor) -> TensorArgument:
    return TensorArgument(TensorAccessorArgs(tensor).get_compile_time_args(), tensor.address)


def reader(device: Device, src: Tensor, pad: Tensor, **changed: Any) -> tilesmith.Kernel:
    spans = {core: {"start": 3 * index, "count": 3} for index, core in enumerate(CORES)}
    fields: dict[str, Any] = {
        "compile_time_args": {"last_core": 1},
        "runtime_args": spans,
        "varargs": {core: (index,) for index, core in enumerate(CORES)},
        "common_runtime_args": {"scale_bits": 5},
        "common_varargs": device.arch.worker_noc_xy(CORES[1]),
        "dataflow_buffers": {"pages": 3},
        "semaphores": {"turn": 1},
        "tensors": {"src": argument(src)},
        "scratchpads": {"seen": Scratchpad(pad.address, 64)},
        "source_type": INLINE,
        "name": "reader",
    }
    return named_kernel(READER, PAIR, tilesmith.ReaderConfig(), **{**fields, **changed})


def program(device: Device, src: Tensor, dst: Tensor, pad: Tensor, **changed: Any) -> tilesmith.Program:
    spans = {core: {"start": 3 * index, "count": 3} for index, core in enumerate(CORES)}
    compute = named_kernel(
        COMPUTE, PAIR, tilesmith.ComputeConfig(), source_type=INLINE,
        compile_time_args={"block": 1}, compile_time_varargs=(6, 7),
        common_runtime_args={"count": 3, "scale_bits": int(np.float32(2.5).view(np.uint32))},
        dataflow_buffers={"pages": 3, "scaled": 9},
    )  # fmt: skip
    writer = named_kernel(
        WRITER, PAIR, tilesmith.WriterConfig(), source_type=INLINE, runtime_args=spans,
        dataflow_buffers={"scaled": 9}, tensors={"other": argument(src), "dst": argument(dst)},
        tensor_sequences={"both": ("other", "dst")},
    )  # fmt: skip
    cbs = [
        tilesmith.CircularBuffer(4096, PAIR, (tilesmith.CBFormat(index, tilesmith.bfloat16, 2048),))
        for index in (3, 9)
    ]
    semaphores = [tilesmith.Semaphore(index, PAIR) for index in range(2)]
    return tilesmith.Program([reader(device, src, pad, **changed), compute, writer], cbs, semaphores)


@pytest.fixture
def tensors(device: Device) -> tuple[Tensor, Tensor, Tensor]:
    values = np.random.default_rng(0).standard_normal((64, 96)).astype(np.float32)
    src = device.from_numpy(values, tilesmith.bfloat16)
    pad = device.empty((32, 32), tilesmith.bfloat16, memory_config=tilesmith.L1_MEMORY_CONFIG)
    return src, device.empty((64, 96), tilesmith.bfloat16), pad


def test_names_reach_the_right_words(device: Device, tensors: tuple[Tensor, Tensor, Tensor]) -> None:
    src, dst, _ = tensors
    written = program(device, *tensors)
    device.run(tilesmith.Program.from_json(written.to_json()))
    np.testing.assert_allclose(dst.to_numpy(), src.to_numpy() * 2.5, rtol=2**-7)


@pytest.mark.parametrize(
    ("changed", "error", "says"),
    [
        (
            {"compile_time_args": {}},
            KernelCompileError,
            "takes 'last_core', which is no compile-time argument",
        ),
        (
            {"common_runtime_args": {"scale_bits": 5, "odd": 1}},
            KernelCompileError,
            "the runtime argument 'odd'",
        ),
        ({"common_varargs": ()}, KernelFindings, "runtime argument"),
        ({"compile_time_args": {"start": 1}}, KernelArgumentError, "binds args::start twice"),
        ({"dataflow_buffers": {"a b": 3}}, KernelArgumentError, "no C\\+\\+ name"),
        ({"varargs": {tilesmith.CoreCoord(5, 0): (1,)}}, KernelArgumentError, "none of the named runtime"),
        (
            {"runtime_args": {CORES[0]: {"start": 0}, CORES[1]: {"count": 3}}},
            KernelArgumentError,
            "not to all",
        ),
    ],
)
def test_what_does_not_agree_is_refused(
    device: Device,
    tensors: tuple[Tensor, Tensor, Tensor],
    changed: dict[str, Any],
    error: type[Exception],
    says: str,
) -> None:
    with pytest.raises(error, match=says):
        device.run(program(device, *tensors, **changed))


@pytest.mark.parametrize(
    "text",
    ["TT_KERNEL int f() {}", "TT_KERNEL void f(float x) {}", "TT_KERNEL void f() {} TT_KERNEL void g() {}"],
)
def test_entries_that_cannot_be_called_are_refused(device: Device, text: str) -> None:
    kernel = named_kernel(text, CORES[0], tilesmith.ReaderConfig(), source_type=INLINE)
    with pytest.raises(KernelCompileError, match="TT_KERNEL"):
        device.run(tilesmith.Program([kernel]))


def test_data_movement_needs_no_include_and_a_mark_in_a_comment_is_none(device: Device) -> None:
    text = "// TT_KERNEL\nvoid kernel_main() { noc_async_read_barrier(); }"
    device.run(tilesmith.Program([tilesmith.Kernel(text, CORES[0], tilesmith.ReaderConfig(), INLINE)]))


def test_a_call_that_is_not_modelled_is_a_gap(device: Device) -> None:
    text = """
#include "api/remote_circular_buffer.h"
void kernel_main() { if (get_arg_val<uint32_t>(0)) experimental::remote_cb_wait_front(31, 1); }
"""
    for taken in (0, 1):
        kernel = tilesmith.Kernel(
            text, CORES[0], tilesmith.ReaderConfig(), INLINE, runtime_args={CORES[0]: (taken,)}
        )
        if taken:
            with pytest.raises(EmulatorGap, match="global circular buffers"):
                device.run(tilesmith.Program([kernel]))
        else:
            device.run(tilesmith.Program([kernel]))
