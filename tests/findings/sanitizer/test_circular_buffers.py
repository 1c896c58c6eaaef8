"""Leaks, capacity, and the windows that a reservation and a wait open."""

from __future__ import annotations

import pytest
from tests.findings.sanitizer.bench import PAGE, finds, l1_tensor, run

from tilesmith import settings
from tilesmith.formats import DataFormat
from tilesmith.program import CBFormat, CircularBuffer
from tilesmith.runtime import Device

FILL = "words_at(get_write_ptr(0))[0] = 1;"
# Two pages through a buffer of three: its pointers stand at page 2, and it is empty.
TO_PAGE_2 = f"""
for (uint32_t i = 0; i < 2; ++i) {{
    cb_reserve_back(0, 1);
    {FILL}
    cb_push_back(0, 1);
    cb_wait_front(0, 1);
    cb_pop_front(0, 1);
}}
cb_reserve_back(0, 2);
for (uint32_t i = 0; i < 256; ++i) words_at(get_write_ptr(0))[i] = i;
"""


# ---- leaks ----


def test_reserved_and_never_pushed(device: Device) -> None:
    finds(device, "cb.reserved-at-end", "cb_reserve_back(0, 1);")


def test_waited_for_and_never_popped(device: Device) -> None:
    finds(device, "cb.left-at-end", f"cb_reserve_back(0, 1); {FILL} cb_push_back(0, 1); cb_wait_front(0, 1);")


def test_reserving_ahead_is_no_leak(device: Device) -> None:
    ahead = "cb_reserve_back(0, 2); cb_push_back(0, 1);"
    run(device, f"{ahead} {ahead} cb_push_back(0, 1);", pages=4)


def test_pages_left_by_a_producer_alone_are_no_leak(device: Device) -> None:
    run(device, "cb_reserve_back(0, 1); cb_push_back(0, 1);")


def test_the_check_can_be_switched_off(device: Device) -> None:
    with settings.using(suppress=("cb.reserved-at-end",)):
        report = run(device, "cb_reserve_back(0, 1);")
    assert [finding.check for finding in report.suppressed] == ["cb.reserved-at-end"]


# ---- capacity ----


@pytest.mark.parametrize("checks", ["on", "off"])
def test_more_pages_than_there_are(device: Device, checks: str) -> None:
    finds(device, "cb.reserve-beyond-capacity", "cb_reserve_back(0, 3);", checks=checks)


def test_all_pages_at_once(device: Device) -> None:
    run(device, "cb_reserve_back(0, 2); cb_push_back(0, 2);")


# ---- windows ----


def test_write_behind_the_reserved_page(device: Device) -> None:
    body = f"""
    cb_reserve_back(0, 1);
    for (uint32_t i = 0; i < 256; ++i) words_at(get_write_ptr(0))[i] = i;
    noc_async_read(get_noc_addr(get_write_ptr(0)), get_write_ptr(0) + {PAGE}, {PAGE});
    noc_async_read_barrier();
    cb_push_back(0, 1);
    """
    finds(device, "cb.write-past-reserve", body)


def test_read_behind_the_page_waited_for(device: Device) -> None:
    body = f"""
    cb_reserve_back(0, 1);
    {FILL}
    cb_push_back(0, 1);
    cb_wait_front(0, 1);
    noc_async_write(get_read_ptr(0) + {PAGE}, get_noc_addr(get_read_ptr(0)), {PAGE});
    noc_async_write_barrier();
    cb_pop_front(0, 1);
    """
    finds(device, "cb.use-after-pop", body)


def test_write_outside_a_window_that_wraps(device: Device) -> None:
    body = f"""{TO_PAGE_2}
    noc_async_read(get_noc_addr(get_write_ptr(0)), get_write_ptr(0) - {PAGE}, {PAGE});
    noc_async_read_barrier();
    cb_push_back(0, 1);
    """
    finds(device, "cb.write-past-reserve", body, pages=3)


def test_write_inside_a_window_that_wraps(device: Device) -> None:
    body = f"""{TO_PAGE_2}
    noc_async_read(get_noc_addr(get_write_ptr(0)), get_write_ptr(0) - {2 * PAGE}, {PAGE});
    noc_async_read_barrier();
    cb_push_back(0, 1);
    cb_push_back(0, 1);
    cb_wait_front(0, 1);
    cb_pop_front(0, 1);
    cb_wait_front(0, 1);
    cb_pop_front(0, 1);
    """
    run(device, body, pages=3)


def test_push_over_the_wrap(device: Device) -> None:
    """The vendor's emulator lets it pass; its kernels' headers assert, and the chip's pointer runs away."""
    finds(device, "cb.uneven", f"{TO_PAGE_2} cb_push_back(0, 2);", pages=3)


def test_memory_without_a_window_is_plain_memory(device: Device) -> None:
    body = f"""
    const uint32_t page = get_write_ptr(0);
    for (uint32_t i = 0; i < 256; ++i) words_at(page)[i] = i;
    noc_async_read(get_noc_addr(page), page, {PAGE});
    noc_async_read_barrier();
    """
    run(device, body)


def test_a_pushed_page_is_used_again_by_its_producer(device: Device) -> None:
    body = f"""
    cb_reserve_back(0, 3);
    cb_push_back(0, 3);
    cb_reserve_back(0, 1);
    const uint32_t page = get_write_ptr(0);
    for (uint32_t i = 0; i < 256; ++i) words_at(page)[i] = i;
    noc_async_read(get_noc_addr(page), page - {2 * PAGE}, {PAGE});
    noc_async_read_barrier();
    cb_push_back(0, 1);
    """
    run(device, body, pages=4)


def test_a_pushed_page_that_its_reader_may_see_is_not_changed(device: Device) -> None:
    producer = f"""
    cb_reserve_back(0, 1);
    {FILL}
    cb_push_back(0, 1);
    cb_reserve_back(0, 1);
    words_at(get_write_ptr(0) - {PAGE})[0] = 2;
    cb_push_back(0, 1);
    """
    consumer = """
    for (uint32_t i = 0; i < 2; ++i) {
        cb_wait_front(0, 1);
        if (i == 0) ASSERT(words_at(get_read_ptr(0))[0] != 0);
        cb_pop_front(0, 1);
    }
    """
    finds(device, "mem.race", {"reader": producer, "writer": consumer})


def test_a_buffer_on_a_tensor_has_no_windows(device: Device) -> None:
    tensor = l1_tensor(device, 2 * PAGE)
    cb = CircularBuffer(2 * PAGE, tensor.cores, CBFormat(0, DataFormat.Float16_b, PAGE), buffer=tensor.buffer)
    body = f"""
    cb_reserve_back(0, 1);
    noc_async_read(get_noc_addr(get_write_ptr(0)), get_write_ptr(0) + {PAGE}, {PAGE});
    noc_async_read_barrier();
    cb_push_back(0, 1);
    """
    run(device, body, pages=0, cbs=[cb])
