"""Cores that talk: semaphores, multicast, inline writes; and what a kernel can say about itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pytest
from tests.dataflow.copying import HEAD, copy_program

import tilesmith
from tilesmith.runtime import Device, RunReport

FIRST, SECOND, THIRD = (tilesmith.CoreCoord(x, 0) for x in range(3))


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with tilesmith.open_device("wormhole") as opened:
        yield opened


def run(device: Device, texts: Mapping[tilesmith.CoreCoord, str], *, semaphores: int = 2) -> RunReport:
    """One data-movement kernel per core; all get the NoC coordinates of all three cores as arguments."""
    corners = [value for core in (FIRST, SECOND, THIRD) for value in device.arch.worker_noc_xy(core)]
    kernels = tuple(
        tilesmith.Kernel(
            HEAD + '#include "api/debug/dprint.h"\n' + text,
            core,
            tilesmith.ReaderConfig(),
            source_type=tilesmith.SourceType.SOURCE_CODE,
            runtime_args={core: corners},
            named_compile_time_args={"seven": 7},
            common_runtime_args=(int(np.float32(1.5).view(np.uint32)),),
        )
        for core, text in texts.items()
    )
    cores = tilesmith.CoreRange(FIRST, THIRD)
    cb = tilesmith.CircularBuffer(2048, cores, (tilesmith.CBFormat(0, tilesmith.bfloat16, 2048),))
    ids = tuple(tilesmith.Semaphore(index, cores) for index in range(semaphores))
    return device.run(tilesmith.Program(kernels, (cb,), ids))


def printed(report: RunReport) -> str:
    return "".join(line.text for line in report.prints)


def test_multicast_with_semaphore_objects(device: Device) -> None:
    sender = """
void kernel_main() {
    Noc noc;
    Semaphore<> ready(0), valid(1);
    CircularBuffer cb(0);
    cb.reserve_back(1);
    CoreLocalMem<uint32_t> data(cb.get_write_ptr());
    for (uint32_t i = 0; i < 512; ++i) data[i] = i * 3;
    ready.wait(2);
    ready.set(0);
    noc.async_write_multicast(
        use<CircularBuffer::AddrSelector::WRITE_PTR>(cb), cb, 2048, 2, {},
        {.noc_x_start = get_arg_val<uint32_t>(2), .noc_y_start = get_arg_val<uint32_t>(3),
         .noc_x_end = get_arg_val<uint32_t>(4), .noc_y_end = get_arg_val<uint32_t>(5)});
    valid.set(1);
    valid.set_multicast(
        noc, get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4),
        get_arg_val<uint32_t>(5), 2);
    noc.async_write_barrier();
    cb.push_back(1);
    cb.wait_front(1);
    cb.pop_front(1);
}
"""
    receiver = """
void kernel_main() {
    Noc noc;
    Semaphore<> ready(0), valid(1);
    CircularBuffer cb(0);
    cb.reserve_back(1);
    valid.set(0);
    ready.up(noc, get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), 1);
    valid.wait(1);
    cb.push_back(1);
    cb.wait_front(1);
    CoreLocalMem<uint32_t> data(cb.get_read_ptr());
    DPRINT("{} ", data[511]);
    cb.pop_front(1);
    noc.async_atomic_barrier();
}
"""
    report = run(device, {FIRST: sender, SECOND: receiver, THIRD: receiver})
    assert printed(report).split() == ["1533", "1533"]


def test_semaphore_functions_and_inline_write(device: Device) -> None:
    first = """
void kernel_main() {
    volatile uint32_t* answer = reinterpret_cast<volatile uint32_t*>(get_semaphore(1));
    const uint64_t there = get_noc_addr(get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3), get_semaphore(0));
    noc_inline_dw_write(there, 41);
    noc_async_write_barrier();
    noc_semaphore_wait_min(answer, 5);
    DPRINT << "got " << *answer << ENDL();
}
"""
    second = """
void kernel_main() {
    volatile uint32_t* mine = reinterpret_cast<volatile uint32_t*>(get_semaphore(0));
    noc_semaphore_wait(mine, 41);
    noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), get_semaphore(1)), 5);
    noc_async_atomic_barrier();
}
"""
    assert printed(run(device, {FIRST: first, SECOND: second})) == "got 5\n"


def test_identity_arguments_and_prints(device: Device) -> None:
    text = """
void kernel_main() {
    constexpr uint32_t seven = get_named_compile_time_arg_val("seven");
    DPRINT("{} {} {} {:.2f} {:#x} {{}}\\n", get_absolute_logical_x(), get_relative_logical_x(), seven,
           get_common_arg_val<float>(0), 255u);
    DPRINT << HEX() << 255u << DEC() << SETW(4) << -3 << ENDL();
    ASSERT(my_x[0] == get_arg_val<uint32_t>(2) && my_y[0] == get_arg_val<uint32_t>(3));
}
"""
    assert printed(run(device, {SECOND: text})) == "1 0 7 1.50 0xff {}\nff  -3\n"


def test_zeroed_memory_is_zero(device: Device) -> None:
    text = """
void kernel_main() {
    Noc noc;
    CircularBuffer cb(0);
    cb.reserve_back(1);
    noc.async_write_zeros(cb, 2048);
    noc.write_zeros_l1_barrier();
    CoreLocalMem<uint32_t> data(cb.get_write_ptr());
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 512; ++i) sum |= data[i];
    DPRINT("{}", sum);
}
"""
    assert printed(run(device, {FIRST: text})) == "0"


@pytest.mark.parametrize(
    "layout",
    [
        tilesmith.height_sharded(tilesmith.CoreRange(FIRST, SECOND), (32, 96)),
        tilesmith.width_sharded(tilesmith.CoreRange(FIRST, THIRD), (64, 32)),
    ],
    ids=["height", "width"],
)
def test_sharded_pages(device: Device, layout: tilesmith.MemoryConfig) -> None:
    values = np.arange(64 * 96, dtype=np.float32).reshape(64, 96) % 256
    source = device.from_numpy(values, tilesmith.bfloat16, memory_config=layout)
    target = device.empty(values.shape, tilesmith.bfloat16)
    device.run(copy_program(source, target))
    np.testing.assert_array_equal(target.to_numpy(), values)


def test_zones_are_on_the_timeline(device: Device) -> None:
    text = 'void kernel_main() { DeviceZoneScopedN("waiting"); riscv_wait(100); }'
    (zone,) = run(device, {FIRST: text}).zones
    assert zone.name == "waiting"
    assert zone.end - zone.begin >= 100


def test_argument_addresses_fit_32_bits(device: Device) -> None:
    text = """
void kernel_main() {
    const uint32_t mine = get_arg_addr(2), shared = get_common_arg_addr(0);
    ASSERT(reinterpret_cast<tt_l1_ptr uint32_t*>(mine)[1] == get_arg_val<uint32_t>(3));
    ASSERT(*reinterpret_cast<tt_l1_ptr uint32_t*>(shared) == get_common_arg_val<uint32_t>(0));
    DPRINT("read");
}
"""
    assert printed(run(device, {FIRST: text})) == "read"
