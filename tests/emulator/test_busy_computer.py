"""Cycles do not depend on how busy the computer is."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tilesmith.program import CoreCoord, Kernel, Program, ReaderConfig, SourceType
from tilesmith.runtime import open_device

# Some milliseconds without a call of the API.
SOURCE = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    volatile uint32_t sum = 0;
    for (uint32_t i = 0; i < 2000000; ++i) sum = sum + i;
}
"""


@contextmanager
def interrupted(times: int) -> Iterator[None]:
    """Another process stops this one again and again, as a computer with too much to do would."""
    parent, child = os.getpid(), os.fork()
    if child == 0:
        for _ in range(times):
            os.kill(parent, signal.SIGSTOP)
            time.sleep(0.025)
            os.kill(parent, signal.SIGCONT)
            time.sleep(0.0005)
        os._exit(0)
    try:
        yield
    finally:
        os.waitpid(child, 0)


def test_a_process_that_waits_for_its_turn_takes_the_same_cycles() -> None:
    kernel = Kernel(SOURCE, CoreCoord(0, 0), ReaderConfig(), SourceType.SOURCE_CODE)
    with open_device() as device:
        expected = device.run(Program([kernel]), checks="off").cycles
        with interrupted(12):
            found = {device.run(Program([kernel]), checks="off").cycles for _ in range(3)}
    assert found == {expected}
