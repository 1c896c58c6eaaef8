"""State belongs to its RISC, a stalled run says who waits for what, and the next run starts afresh."""

from __future__ import annotations

import pytest
from tests.findings.sanitizer.bench import finds, run

from tilesmith.errors import KernelFindings
from tilesmith.runtime import Device

ROUND = "cb_reserve_back(0, 1); words_at(get_write_ptr(0))[0] = 1; cb_push_back(0, 1);"
DRAIN = "cb_wait_front(0, 1); ASSERT(words_at(get_read_ptr(0))[0] == 1); cb_pop_front(0, 1);"
NEVER = "noc_semaphore_wait(words_at(get_semaphore(0)), 5);"


def test_windows_belong_to_one_risc(device: Device) -> None:
    run(device, {"reader": ROUND, "writer": DRAIN, "receiver": f"{ROUND} {DRAIN}"})


def test_a_leak_is_told_of_the_core_that_has_it(device: Device) -> None:
    with pytest.raises(KernelFindings) as caught:
        run(device, {"reader": f"{ROUND} {DRAIN}", "receiver": "cb_reserve_back(0, 1);"})
    assert [(one.check, one.kernel, one.core.x) for one in caught.value.findings] == [
        ("cb.reserved-at-end", "receiver", 1)
    ]


def test_a_wait_that_nobody_ends(device: Device) -> None:
    finds(device, "sync.semaphore-never", NEVER, semaphores=1)


def test_the_buffer_that_starves_is_named(device: Device) -> None:
    with pytest.raises(KernelFindings, match="CB 0"):
        run(device, {"reader": ROUND, "writer": f"{DRAIN} {DRAIN}"})


def test_a_fault_outranks_a_wait(device: Device) -> None:
    bodies = {"reader": "*reinterpret_cast<volatile uint32_t*>(16) = 1;", "writer": NEVER}
    finds(device, "kernel.fault", bodies, semaphores=1)


def test_a_run_after_a_stalled_one_starts_afresh(device: Device) -> None:
    finds(device, "sync.semaphore-never", {"reader": ROUND, "writer": NEVER}, semaphores=1)
    run(device, "")
    run(device, {"reader": ROUND, "writer": DRAIN}, semaphores=1)
