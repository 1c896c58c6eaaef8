"""Programs that nobody holds are unloaded, and the libraries of their kernels with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilesmith.emulator.executor import _KEPT
from tilesmith.formats import DataFormat
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    CoreCoord,
    CoreRange,
    Kernel,
    Program,
    ReaderConfig,
    SourceType,
)
from tilesmith.runtime import Device, open_device

SOURCE = """
#include "api/dataflow/dataflow_api.h"
static uint32_t calls = %d;
void kernel_main() { DPRINT << ++calls + get_arg_val<uint32_t>(0) << ENDL(); }
"""


def program(pages: int, first: int = 0, argument: int = 0) -> Program:
    """Of its own structure for every number of pages, and with its own kernel for every first number."""
    core = CoreRange((0, 0), (0, 0))
    kernel = Kernel(
        SOURCE % first,
        core,
        ReaderConfig(),
        SourceType.SOURCE_CODE,
        runtime_args={CoreCoord(0, 0): (argument,)},
    )
    return Program([kernel], [CircularBuffer(2048 * pages, core, CBFormat(0, DataFormat.Float16_b, 2048))])


def printed(device: Device, program: Program) -> str:
    (line,) = device.run(program).prints
    return line.text.strip()


def libraries(program: Program, device: Device) -> set[Path]:
    """Those of a program, by name, that the process has mapped."""
    loaded = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines()}
    executor = device.executor
    held = [one for one in executor._loaded.values() if one.held() is program]  # type: ignore[attr-defined]
    return {path for one in held for path in one.paths if str(path.resolve()) in loaded}


def test_the_latest_stay_and_those_that_are_held() -> None:
    with open_device() as device:
        held = program(1, first=100)
        assert printed(device, held) == "101"
        mine = libraries(held, device)
        assert len(mine) == 1
        for pages in range(2, _KEPT + 10):
            assert printed(device, program(pages, argument=pages)) == str(1 + pages)
        assert len(device.executor._loaded) == _KEPT + 1  # type: ignore[attr-defined]
        assert libraries(held, device) == mine
        assert printed(device, held) == "101"
        assert printed(device, program(2, argument=7)) == "8"  # unloaded before


def test_libraries_of_unloaded_programs_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilesmith.emulator.executor._KEPT", 2)
    with open_device() as device:
        alone = program(1, first=200)
        printed(device, alone)
        (library,) = libraries(alone, device)
        del alone
        for pages in (2, 3, 4):
            printed(device, program(pages))
        assert str(library.resolve()) not in Path("/proc/self/maps").read_text()
        assert printed(device, program(1, first=200)) == "201"
