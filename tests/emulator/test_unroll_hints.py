"""Unroll hints that depend on a template parameter, which older versions of g++ refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

import tilesmith
from tilesmith.errors import KernelFindings

CORE = tilesmith.CoreCoord(0, 0)
HEADER = """
template <uint32_t times>
uint32_t count(uint32_t start) {
#pragma GCC unroll(times)
    for (uint32_t i = 0; i < times; ++i) start += i;
    return start;
}
"""
KERNEL = """#include "api/dataflow/dataflow_api.h"
#include "own.hpp"
void kernel_main() {
    DPRINT("{}", count<4>(1));
    cb_pop_front(0, STEPS);
}
"""


def run(folder: Path, steps: int) -> list[str]:
    (folder / "own.hpp").write_text(HEADER)
    (folder / "kernel.cpp").write_text(KERNEL.replace("STEPS", str(steps)))
    kernel = tilesmith.Kernel(folder / "kernel.cpp", CORE, tilesmith.ReaderConfig())
    cb = tilesmith.CircularBuffer(2048, CORE, (tilesmith.CBFormat(0, tilesmith.bfloat16, 2048),))
    with tilesmith.open_device() as device:
        return [line.text for line in device.run(tilesmith.Program((kernel,), (cb,))).prints]


def test_it_compiles_and_runs(tmp_path: Path) -> None:
    assert run(tmp_path, 0) == ["7"]


def test_findings_still_name_the_line(tmp_path: Path) -> None:
    with pytest.raises(KernelFindings, match=r"kernel\.cpp:5"):
        run(tmp_path, 1)
