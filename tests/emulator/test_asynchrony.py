"""Transfers take effect when the chip guarantees it and no earlier; runs repeat exactly."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.errors import KernelFindings
from tilesmith.program import CBFormat, CircularBuffer, CoreCoord, CoreRange, Kernel, Program, SourceType
from tilesmith.runtime import Device, RunReport

ORIGIN = CoreCoord(0, 0)
PAGE = 1024
HEAD = '#include "api/dataflow/dataflow_api.h"\n'

COPY = """
void kernel_main() {
    const auto from = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 1024);
    const auto to = TensorAccessor(TensorAccessorArgs<2>(), get_arg_val<uint32_t>(1), 1024);
    const uint32_t l1 = get_write_ptr(0);
    noc_async_read_page(0, from, l1);
    AFTER_READ;
    noc_async_write_page(0, to, l1);
    AFTER_WRITE;
    *(volatile uint32_t*)l1 = 12345;
    noc_async_write_barrier();
    noc_async_read_barrier();
}
"""


@pytest.fixture
def device() -> Iterator[Device]:
    with ts.open_device("wormhole") as opened:
        yield opened


def copy(device: Device, after_read: str, after_write: str) -> np.ndarray:
    """Copies one page through L1 with checks off, and overwrites the first word in L1 at the end."""
    values = np.arange(256, dtype=np.uint32).reshape(1, 256)
    source = device.from_numpy(values, ts.uint32, ts.ROW_MAJOR_LAYOUT)
    target = device.from_numpy(np.zeros_like(values), ts.uint32, ts.ROW_MAJOR_LAYOUT)
    words = [word for t in (source, target) for word in ts.TensorAccessorArgs(t).get_compile_time_args()]
    mover = Kernel(
        HEAD + COPY,
        ORIGIN,
        ts.ReaderConfig(),
        SourceType.SOURCE_CODE,
        compile_time_args=words,
        defines={"AFTER_READ": after_read, "AFTER_WRITE": after_write},
        runtime_args={ORIGIN: (source.address, target.address)},
        name="mover",
    )
    buffer = CircularBuffer(PAGE, ORIGIN, CBFormat(0, ts.uint32, PAGE))
    device.run(Program([mover], [buffer]), checks="off")
    result: np.ndarray = target.to_numpy()[0]
    return result


def test_with_its_barriers_a_copy_is_a_copy(device: Device) -> None:
    result = copy(device, "noc_async_read_barrier()", "noc_async_writes_flushed()")
    assert np.array_equal(result, np.arange(256))


def test_a_read_has_not_landed_before_its_barrier(device: Device) -> None:
    result = copy(device, "", "noc_async_writes_flushed()")
    assert not np.array_equal(result[1:], np.arange(1, 256))


def test_a_write_reads_its_source_until_it_is_flushed(device: Device) -> None:
    result = copy(device, "noc_async_read_barrier()", "")
    assert result[0] == 12345


SIGNAL = """
void kernel_main() {
    const uint32_t mine = get_arg_val<uint32_t>(0);
    const uint32_t x = get_arg_val<uint32_t>(1), y = get_arg_val<uint32_t>(2);
    volatile uint32_t* data = (volatile uint32_t*)get_write_ptr(0);
    auto flag = (volatile tt_l1_ptr uint32_t*)get_semaphore(0);
    if (mine == 0) {
        for (uint32_t i = 0; i < 4; ++i) data[i] = 42;
        noc_async_write((uint32_t)(uintptr_t)data, get_noc_addr(x, y, get_write_ptr(0)), 16);
        BEFORE_SIGNAL;
        noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(0)), 1);
        noc_async_write_barrier();
        noc_async_atomic_barrier();
    } else {
        noc_semaphore_wait(flag, 1);
        data[4] = data[0];
    }
}
"""


def signal(device: Device, before_signal: str, seed: int = 0) -> RunReport:
    pair = CoreRange((0, 0), (1, 0))
    x, y = device.arch.worker_noc_xy(CoreCoord(1, 0))
    kernel = Kernel(
        HEAD + SIGNAL,
        pair,
        ts.ReaderConfig(),
        SourceType.SOURCE_CODE,
        defines={"BEFORE_SIGNAL": before_signal},
        runtime_args={CoreCoord(n, 0): (n, x, y) for n in (0, 1)},
        name="signal",
    )
    buffer = CircularBuffer(PAGE, pair, CBFormat(0, ts.uint32, PAGE))
    return device.run(Program([kernel], [buffer], [ts.Semaphore(0, pair)]), seed=seed)


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_a_signal_after_the_barrier_is_silent(device: Device, seed: int) -> None:
    assert signal(device, "noc_async_write_barrier()", seed).findings == ()


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_a_signal_before_the_data_is_a_race(device: Device, seed: int) -> None:
    with pytest.raises(KernelFindings) as caught:
        signal(device, "", seed)
    assert {"mem.race", "mem.uninitialised"} & {finding.check for finding in caught.value.findings}


def test_the_same_seed_gives_the_same_run(device: Device) -> None:
    for seed in (0, 7):
        first, second = (signal(device, "noc_async_write_barrier()", seed) for _ in range(2))
        assert (first.cycles, first.steps, first.roles) == (second.cycles, second.steps, second.roles)


TAKE = "void kernel_main() { cb_wait_front(0, 1); cb_pop_front(0, 1); }"
BRING = """
void kernel_main() {
    const auto from = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 1024);
    cb_reserve_back(0, 1);
    noc_async_read_page(0, from, get_write_ptr(0));
    BEFORE;
    cb_push_back(0, 1);
    noc_async_read_barrier();
}
"""
MAKE = """
void kernel_main() {
    cb_reserve_back(0, 1);
    auto page = (volatile uint32_t*)get_write_ptr(0);
    for (uint32_t i = 0; i < 256; ++i) page[i] = i;
    cb_push_back(0, 1);
}
"""
SEND = """
void kernel_main() {
    const auto to = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 1024);
    cb_wait_front(0, 1);
    noc_async_write_page(0, to, get_read_ptr(0));
    BEFORE;
    cb_pop_front(0, 1);
    noc_async_write_barrier();
}
"""


def findings_of(device: Device, reader: str, writer: str, before: str) -> set[str]:
    """One page passes from reader to writer, and nobody looks at it afterwards."""
    tensor = device.from_numpy(np.zeros((1, 256), np.uint32), ts.uint32, ts.ROW_MAJOR_LAYOUT)
    words = ts.TensorAccessorArgs(tensor).get_compile_time_args()
    kernels = [
        Kernel(
            HEAD + text,
            ORIGIN,
            config,
            SourceType.SOURCE_CODE,
            compile_time_args=words,
            defines={"BEFORE": before},
            runtime_args={ORIGIN: (tensor.address,)},
            name=name,
        )
        for text, config, name in (
            (reader, ts.ReaderConfig(), "reader"),
            (writer, ts.WriterConfig(), "writer"),
        )
    ]
    try:
        device.run(Program(kernels, [CircularBuffer(PAGE, ORIGIN, CBFormat(0, ts.uint32, PAGE))]))
    except KernelFindings as error:
        return {finding.check for finding in error.findings}
    return set()


def test_a_push_before_the_barrier_is_found_at_the_push(device: Device) -> None:
    """The consumer never reads the page, so only the push itself can show the mistake."""
    assert findings_of(device, BRING, TAKE, "") == {"noc.use-before-barrier"}
    assert findings_of(device, BRING, TAKE, "noc_async_read_barrier()") == set()


def test_a_pop_before_the_flush_is_found_at_the_pop(device: Device) -> None:
    """The producer never comes back to the page, so only the pop itself can show the mistake."""
    assert findings_of(device, MAKE, SEND, "") == {"noc.source-reused"}
    assert findings_of(device, MAKE, SEND, "noc_async_writes_flushed()") == set()
