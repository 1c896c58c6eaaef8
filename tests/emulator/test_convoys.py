"""An L1 that several cores wait for serves slowly, but not a core that comes when the others have left."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import tilesmith as ts
from tilesmith.runtime import Device, open_device

VISITOR, HOME, AWAY = ts.CoreCoord(0, 0), ts.CoreCoord(1, 0), ts.CoreCoord(3, 0)

VISIT = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    const uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
    const uint32_t l1 = get_arg_val<uint32_t>(2), times = get_arg_val<uint32_t>(3);
    for (uint32_t i = 0; i < times; ++i) {
        noc_async_read(get_noc_addr(x, y, l1), l1 + 65536, 2048);
        if (i == 0) noc_async_read_barrier();
    }
    noc_async_read_barrier();
}
"""


@pytest.fixture(scope="module")
def n150() -> Iterator[Device]:
    with open_device("n150") as device:
        yield device


def cycles(device: Device, reader: ts.CoreCoord, source: ts.CoreCoord, visits: int, times: int = 64) -> int:
    """Of so many reads in a row, where another core reads there as often as `visits` says."""
    l1 = device.arch.l1_unreserved_base

    def reads(core: ts.CoreCoord, target: ts.CoreCoord, count: int) -> ts.Kernel:
        x, y = device.arch.worker_noc_xy(target)
        args = {core: (x, y, l1, count)}
        return ts.Kernel(VISIT, core, ts.ReaderConfig(), ts.SourceType.SOURCE_CODE, runtime_args=args)

    program = ts.Program([reads(reader, source, times), reads(VISITOR, source, visits)], [])
    report = device.run(program, checks="off")
    return next(role.cycles for role in report.roles if role.core == reader)


@pytest.mark.parametrize("reader", [HOME, AWAY], ids=["its own", "another"])
def test_one_visit_slows_nobody_for_long(n150: Device, reader: ts.CoreCoord) -> None:
    alone = cycles(n150, reader, HOME, 0)
    assert cycles(n150, reader, HOME, 1) < 1.1 * alone


def test_visits_that_go_on_slow_the_other(n150: Device) -> None:
    alone = cycles(n150, AWAY, HOME, 0)
    assert cycles(n150, AWAY, HOME, 64) > 2.2 * alone  # fair turns alone would be twice
