"""Semaphores through raw pointers, through the object API, and what only looks like one."""

from __future__ import annotations

from tests.findings.sanitizer.bench import finds, l1_tensor, run

from tilesmith.program import CoreCoord
from tilesmith.runtime import Device


def test_memory_outside_the_semaphores_is_plain_memory(device: Device) -> None:
    tensor = l1_tensor(device)
    run(device, "words_at(get_arg_val<uint32_t>(0))[0] = 0x1234;", (tensor.address,))


def test_a_semaphore_by_a_raw_pointer(device: Device) -> None:
    body = """
    auto* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    const uint32_t value = *word;
    *word = value + 1;
    const uint32_t address = get_semaphore(0);
    auto* again = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
    *again = value;
    """
    run(device, body, semaphores=1)


def test_a_semaphore_passed_on(device: Device) -> None:
    sender = """
    Noc noc;
    Semaphore<> mine(0), theirs(1);
    mine.set(7);
    mine.relay_unicast(noc, theirs, get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1));
    noc_async_write_barrier();
    """
    receiver = "Semaphore<> arrived(1); arrived.wait_min(7);"
    there = device.arch.worker_noc_xy(CoreCoord(1, 0))
    run(device, {"reader": sender, "receiver": receiver}, there, semaphores=2)


def test_a_kernel_that_ends_before_what_it_passed_on_has_arrived(device: Device) -> None:
    sender = """
    Noc noc;
    Semaphore<> mine(0), theirs(1);
    mine.set(7);
    mine.relay_unicast(noc, theirs, get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1));
    """
    receiver = "Semaphore<> arrived(1); arrived.wait_min(7);"
    there = device.arch.worker_noc_xy(CoreCoord(1, 0))
    finds(device, "noc.inflight-at-end", {"reader": sender, "receiver": receiver}, there, semaphores=2)


# Both are told where the receiver is, and the sender.
SENDER = """
    Noc noc;
    Semaphore<> ready(0), answer(1);
    ready.up(noc, get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), 1);
"""
AGAIN = "ready.up(noc, get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), 1);"
RECEIVER = """
    Noc noc;
    Semaphore<> ready(0), answer(1);
    {wait}
    answer.up(noc, get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3), 1);
    noc.async_atomic_barrier();
"""


def _places(device: Device) -> tuple[int, ...]:
    return tuple(at for x in (1, 0) for at in device.arch.worker_noc_xy(CoreCoord(x, 0)))


def test_an_increment_that_was_answered_has_arrived(device: Device) -> None:
    receiver = RECEIVER.format(wait="ready.wait(1);")
    bodies = {"reader": SENDER + "answer.wait(1);", "receiver": receiver}
    run(device, bodies, _places(device), semaphores=2)


def test_an_increment_that_nobody_has_answered_may_be_on_its_way(device: Device) -> None:
    for ending, wait in (("", "ready.wait(1);"), ("answer.wait(1);", "")):
        bodies = {"reader": SENDER + ending, "receiver": RECEIVER.format(wait=wait)}
        finds(device, "noc.inflight-at-end", bodies, _places(device), semaphores=2)
    twice = SENDER + AGAIN + "answer.wait(1);"
    bodies = {"reader": twice, "receiver": RECEIVER.format(wait="ready.wait_min(1);")}
    finds(device, "noc.inflight-at-end", bodies, _places(device), semaphores=2)
