"""What older versions of g++ refuse or crash on: unroll hints and aliases that depend on parameters."""

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


ALIAS = """#include "api/dataflow/dataflow_api.h"
struct Spec { uint32_t id; uint32_t step; };
struct Wide { Spec spec; constexpr Wide(Spec spec) : spec(spec) {} };
template <uint32_t first, uint32_t second, uint32_t third>
struct Sum { static constexpr uint32_t value = first * 100 + second * 10 + third; };
constexpr uint32_t step_of(Spec spec) { return spec.step; }
template <Spec A, Wide B, uint32_t more = 0>
using SumOf = Sum<A.id, B.spec.id, step_of(A) + more>;
template <uint32_t id>
inline constexpr Spec spec_of{id, 7};
template <uint32_t a, uint32_t b>
uint32_t sum() { return SumOf<spec_of<a>, spec_of<b>>::value; }
void kernel_main() { DPRINT("{}", sum<1, 2>()); }
"""


def test_aliases_that_crash_the_compiler_mean_the_same(tmp_path: Path) -> None:
    (tmp_path / "kernel.cpp").write_text(ALIAS)
    kernel = tilesmith.Kernel(tmp_path / "kernel.cpp", CORE, tilesmith.ReaderConfig())
    with tilesmith.open_device() as device:
        assert [line.text for line in device.run(tilesmith.Program((kernel,))).prints] == ["127"]
