"""One recording that most tests look at: a product, a sum, and a program with a finding."""

from __future__ import annotations

import pytest
from examples.metal.elementwise import host as elementwise
from examples.metal.matmul_single import host as matmul_single

import tilesmith
from tilesmith.errors import KernelFindings
from tilesmith.formats import DataFormat
from tilesmith.profiling import Profile, recording
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    CoreCoord,
    Kernel,
    Program,
    ReaderConfig,
    SourceType,
)
from tilesmith.runtime import Device
from tilesmith.runtime.observers import labelled

PUSHES_UNRESERVED = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    cb_push_back(0, 1);
}
"""


def wrong_program() -> Program:
    core = CoreCoord(0, 0)
    kernel = Kernel(PUSHES_UNRESERVED, core, ReaderConfig(), SourceType.SOURCE_CODE, name="hasty")
    return Program([kernel], [CircularBuffer(4096, core, CBFormat(0, DataFormat.Float16_b, 2048))])


def run_all(device: Device) -> None:
    """A product, a sum, and a program with a finding, by name."""
    with labelled("ttnn.matmul"):
        matmul_single.run(device, 96, 128, 64)
    with labelled("ttnn.add"):
        elementwise.run(device, (3, 64, 96))
    with labelled("hasty"), pytest.raises(KernelFindings):
        device.run(wrong_program())


@pytest.fixture(scope="session")
def profile() -> Profile:
    with recording("three programs") as recorder, tilesmith.open_device("wormhole") as device:
        run_all(device)
        result = device.empty((32, 32))
        with labelled("copy"):
            elementwise.run(device, (32, 32))
        recorder.note_accuracy(result.buffer, 0.9, 0.999)
    return recorder.profile
