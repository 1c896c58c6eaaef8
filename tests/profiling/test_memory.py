"""MemoryProfiler: what is held, when, and by whom."""

from __future__ import annotations

from examples.metal.matmul_single import host

import tilesmith
from tilesmith.profiling import MemoryProfiler
from tilesmith.runtime import L1_MEMORY_CONFIG

BANKS = 12


def test_peak_counts_what_was_there_before() -> None:
    with tilesmith.open_device("wormhole") as device:
        before = device.empty((32, 32))
        with MemoryProfiler() as profiler:
            large = device.empty((320, 320))
            held = device.empty((32, 32))
            large.deallocate()
            after = device.empty((64, 64))
        report = profiler.get_report()
    assert report.peak_dram == BANKS * (2048 + 9 * 2048 + 2048)
    assert report.samples[-1].dram == BANKS * 3 * 2048
    assert report.at_peak("DRAM")[0].name == "tensor [320, 320] Float16_b"
    assert report.buffers[1].declared_at.startswith(__file__)
    assert all(one.is_allocated is False for one in (before.buffer, held.buffer, after.buffer))


def test_circular_buffers_take_l1_while_a_program_runs() -> None:
    with tilesmith.open_device("wormhole") as device, MemoryProfiler() as profiler:
        shared = device.empty((64, 64), memory_config=L1_MEMORY_CONFIG)
        host.run(device, 32, 32, 32)
        report = profiler.get_report()
        assert shared.buffer.is_allocated
    assert report.peak_l1 == 3 * 2 * 2048 + 2048
    assert report.samples[-1].microseconds > 0
    runs = [sample for sample in report.samples if sample.event == "program runs"]
    assert runs[0].l1 == report.peak_l1
    assert "L1 of the fullest core: 14.0 KiB" in str(report)
