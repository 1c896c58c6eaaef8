"""Kernels that crash, spin or never end are findings; the process and the device live on."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from typing import Any, Literal

import pytest

import tilesmith as ts
from tilesmith.emulator import Finding
from tilesmith.errors import KernelCompileError, KernelFindings
from tilesmith.program import (
    CoreCoord,
    CoreRange,
    DataMovementConfig,
    Kernel,
    Program,
    ReaderConfig,
    SourceType,
    WriterConfig,
)
from tilesmith.runtime import L1_MEMORY_CONFIG, Device
from tilesmith.settings import using

ORIGIN = CoreCoord(0, 0)
DATAFLOW = '#include "api/dataflow/dataflow_api.h"\n'


def kernel(
    body: str,
    config: DataMovementConfig | None = None,
    name: str = "reader",
    cores: CoreCoord | CoreRange = ORIGIN,
    **options: Any,
) -> Kernel:
    source = f"{DATAFLOW}{body}"
    return Kernel(source, cores, config or ReaderConfig(), SourceType.SOURCE_CODE, name=name, **options)


def only_finding(device: Device, *kernels: Kernel, **options: Any) -> Finding:
    with pytest.raises(KernelFindings) as caught:
        device.run(Program(kernels), **options)
    (finding,) = caught.value.findings
    assert isinstance(finding, Finding)
    return finding


def prints_of(device: Device, *kernels: Kernel, **options: Any) -> list[str]:
    return [printed.text.strip() for printed in device.run(Program(kernels), **options).prints]


@pytest.fixture
def device() -> Iterator[Device]:
    with ts.open_device("wormhole") as opened:
        yield opened


@pytest.mark.parametrize("checks", ["on", "off"])
def test_a_wild_pointer_is_a_finding_with_its_line(device: Device, checks: Literal["on", "off"]) -> None:
    body = """void kernel_main() {
        volatile uint64_t* p = (volatile uint64_t*)0x7000dead0000ull;
        *p = 1;
    }"""
    finding = only_finding(device, kernel(body), checks=checks)
    assert finding.check == "kernel.fault"
    assert "0x7000dead0000" in finding.message
    if checks == "on":
        assert (finding.file, finding.line) == ("reader", 4)
    assert device.run(Program([kernel("void kernel_main() {}")])).cycles == 0


def test_dividing_by_zero_is_a_finding(device: Device) -> None:
    # Built for UBSan, the division would end the process before the emulator sees it.
    body = """__attribute__((no_sanitize("undefined"))) void kernel_main() {
        volatile int zero = 0;
        volatile int x = 7 / zero;
    }"""
    assert only_finding(device, kernel(body)).check == "kernel.fault"


def test_endless_recursion_is_a_finding(device: Device) -> None:
    body = """__attribute__((noinline)) int deep(volatile int n) {
        volatile char pad[512];
        pad[0] = n;
        return deep(n + 1) + pad[0];
    }
    void kernel_main() { volatile int x = deep(0); }"""
    assert "stack" in only_finding(device, kernel(body), checks="off").message


@pytest.mark.parametrize("checks", ["on", "off"])
def test_an_endless_loop_without_calls_ends_as_a_finding(
    device: Device, checks: Literal["on", "off"]
) -> None:
    body = "void kernel_main() { volatile int x = 0; while (true) x = x + 1; }"
    with using(stuck_seconds=0.2):
        assert only_finding(device, kernel(body), checks=checks).check == "sync.step-limit"


def test_an_endless_loop_of_calls_ends_as_a_finding(device: Device) -> None:
    body = "void kernel_main() { while (true) noc_async_read_barrier(); }"
    with using(step_limit=1000):
        assert only_finding(device, kernel(body)).check == "sync.step-limit"


@pytest.mark.parametrize("checks", ["on", "off"])
def test_a_raw_poll_lets_the_other_role_run(device: Device, checks: Literal["on", "off"]) -> None:
    """Neither kernel calls the semaphore API to wait: the loop reads L1 through a plain pointer."""
    poll = """void kernel_main() {
        volatile tt_l1_ptr uint32_t* flag = (volatile tt_l1_ptr uint32_t*)get_semaphore(0);
        while (*flag != 7) {}
        DPRINT << "saw " << *flag << ENDL();
    }"""
    signal_it = """void kernel_main() {
        volatile tt_l1_ptr uint32_t* flag = (volatile tt_l1_ptr uint32_t*)get_semaphore(0);
        for (volatile int i = 0; i < 100; i = i + 1) {}
        *flag = 7;
    }"""
    program = Program(
        [
            kernel('#include "api/debug/dprint.h"\n' + poll),
            kernel(signal_it, WriterConfig(), "writer"),
        ],
        semaphores=[ts.Semaphore(0, ORIGIN)],
    )
    report = device.run(program, checks=checks)
    assert [printed.text.strip() for printed in report.prints] == ["saw 7"]


def test_an_l1_address_given_as_argument_can_be_cast_to_a_pointer(device: Device) -> None:
    """Arguments are offsets within L1, the same on every core: each core must see its own memory there."""
    body = """#include "api/debug/dprint.h"
    void kernel_main() {
        uint32_t address = get_arg_val<uint32_t>(0);
        volatile tt_l1_ptr uint32_t* p = (volatile tt_l1_ptr uint32_t*)(uintptr_t)address;
        p[0] = get_absolute_logical_x() + 100;
        noc_async_read_barrier();
        DPRINT << p[0] << ENDL();
    }"""
    cores = ts.CoreRange((0, 0), (3, 0))
    scratch = device.empty((32, 32), memory_config=L1_MEMORY_CONFIG)
    arguments = dict.fromkeys(ts.CoreRangeSet.of(cores).cores(), (scratch.address,))
    for seed in range(4):
        texts = prints_of(device, kernel(body, cores=cores, runtime_args=arguments), seed=seed)
        assert sorted(texts) == ["100", "101", "102", "103"]


def test_every_risc_has_its_own_static_data(device: Device) -> None:
    body = """#include "api/debug/dprint.h"
    static uint32_t calls = 40;
    void kernel_main() {
        calls += get_absolute_logical_x();
        ts_yield();
        noc_async_read_barrier();
        DPRINT << ++calls << ENDL();
    }"""
    cores = ts.CoreRange((0, 0), (3, 0))
    for _ in range(2):  # and every run starts from the kernel's initial values
        assert sorted(prints_of(device, kernel(body, cores=cores))) == ["41", "42", "43", "44"]


def test_an_unknown_function_is_named_in_one_sentence(device: Device) -> None:
    body = "void kernel_main() {\n    noc_async_raed_barrier();\n}"
    with pytest.raises(KernelCompileError) as caught:
        device.run(Program([kernel(body)]))
    assert "noc_async_raed_barrier" in caught.value.what
    assert caught.value.where == "reader:3"
    assert "noc_async_read_barrier" in caught.value.remedy


def test_an_unknown_header_is_named(device: Device) -> None:
    with pytest.raises(KernelCompileError, match=r"api/dataflow/nonsense\.h"):
        device.run(Program([kernel('#include "api/dataflow/nonsense.h"\nvoid kernel_main() {}')]))


def test_an_error_in_a_header_is_told_at_the_line_of_the_kernel_that_uses_it(device: Device) -> None:
    body = "void kernel_main() {\n    constexpr uint32_t cb = get_compile_time_arg_val(3);\n}"
    with pytest.raises(KernelCompileError, match="compile-time argument was not given") as caught:
        device.run(Program([kernel(body)]))
    assert caught.value.where == "reader:3"


def test_an_argument_the_host_did_not_give(device: Device) -> None:
    finding = only_finding(
        device, kernel("void kernel_main() { volatile auto x = get_arg_val<uint32_t>(3); }")
    )
    assert finding.check == "kernel.argument"
    assert "argument 3" in finding.message


def test_control_c_interrupts_a_long_run(device: Device) -> None:
    body = "void kernel_main() { while (true) noc_async_read_barrier(); }"
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        device.run(Program([kernel(body)]))
    assert device.run(Program([kernel("void kernel_main() {}", name="next")])).steps == 0


def test_devices_of_two_threads_run_at_once() -> None:
    body = """#include "api/debug/dprint.h"
    void kernel_main() {
        volatile tt_l1_ptr uint32_t* p = (volatile tt_l1_ptr uint32_t*)(uintptr_t)get_arg_val<uint32_t>(1);
        for (uint32_t i = 0; i < 2000; ++i) { p[0] = i; noc_async_read_barrier(); }
        DPRINT << p[0] + get_arg_val<uint32_t>(0) << ENDL();
    }"""
    results: dict[int, list[str]] = {}

    def work(number: int) -> None:
        with ts.open_device("wormhole") as mine:
            scratch = mine.empty((32, 32), memory_config=L1_MEMORY_CONFIG)
            arguments = {ORIGIN: (number, scratch.address)}
            results[number] = prints_of(mine, kernel(body, runtime_args=arguments))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {n: [str(1999 + n)] for n in range(4)}
