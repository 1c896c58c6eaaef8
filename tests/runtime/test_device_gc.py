"""The garbage collector may find a tensor on any thread, at any moment."""

from __future__ import annotations

from threading import Thread

import tilesmith


def test_a_tensor_dropped_on_another_thread_does_not_wait_for_a_running_program() -> None:
    with tilesmith.open_device("wormhole") as device:
        tensors = [device.empty((32, 32))]
        with device._lock:  # as while a program is compiled and run
            collector = Thread(target=tensors.clear)
            collector.start()
            collector.join(timeout=10)
            assert not collector.is_alive()
        assert "tensor" not in device.memory_table("dram")


def test_memory_given_back_is_used_again() -> None:
    with tilesmith.open_device("wormhole") as device:
        first = device.empty((32, 32))
        address = first.address
        del first
        assert device.empty((32, 32)).address == address
