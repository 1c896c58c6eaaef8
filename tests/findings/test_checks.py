"""Every check of the catalogue: a wrong kernel that it must name, and the right one, which stays silent."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.findings import cases
from tests.findings.cases import LEGAL, Case, Legal
from tests.findings.memory_cases import MEMORY_CASES
from tests.findings.memory_programs import COPY
from tests.findings.noc_cases import NOC_CASES
from tests.findings.programs import Change, Layout, SmallProgram
from tests.findings.signal_cases import SIGNAL_CASES
from tests.findings.signal_programs import POLL

import tilesmith
from tilesmith import settings
from tilesmith.emulator.checks import CHECKS
from tilesmith.errors import KernelFindings, L1BudgetError, UnwrittenPagesError
from tilesmith.formats import DataFormat
from tilesmith.program import CBFormat, CircularBuffer, CoreCoord, Program
from tilesmith.runtime import Device, height_sharded

CASES = [*cases.CASES, *NOC_CASES, *MEMORY_CASES, *SIGNAL_CASES]
# Found before any kernel runs, or when all have ended: the last tests here, and sanitizer/test_memory.py.
OUTSIDE_RUNS = {"mem.cb-overlap", "mem.page-never-written", "mem.wrong-tensor"}
ONLY_BLACKHOLE = {"sync.stale-cache"}
BETWEEN_CHIPS = {check for check in CHECKS if check.startswith("fabric.")}  # tests/mesh/test_fabric.py


@pytest.fixture(params=["wormhole", "blackhole"], scope="module")
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    with tilesmith.open_device(request.param) as opened:
        yield opened


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.check)
def test_wrong_kernel_is_named(case: Case, device: Device) -> None:
    changes = [case.change] if case.change else []
    with settings.using(step_limit=100_000), pytest.raises(KernelFindings) as caught:
        case.program.run(device, changes, case.wrong_layout or case.layout)
    named = [finding for finding in caught.value.findings if finding.check == case.check]
    assert named, [finding.check for finding in caught.value.findings]
    assert named[0].line > 0
    assert named[0].remedy in str(caught.value)


@pytest.mark.parametrize(
    ("program", "layout"), sorted({(case.program, case.layout) for case in CASES}, key=str), ids=str
)
def test_right_kernel_is_silent(program: SmallProgram, layout: Layout, device: Device) -> None:
    program.run(device, [], layout)


@pytest.mark.parametrize("legal", LEGAL, ids=lambda legal: legal.name)
def test_legal_change_is_silent(legal: Legal, device: Device) -> None:
    legal.program.run(device, [legal.change], legal.layout)


def test_every_check_has_a_wrong_kernel() -> None:
    assert {case.check for case in CASES} | OUTSIDE_RUNS | ONLY_BLACKHOLE | BETWEEN_CHIPS == set(CHECKS)


def test_circular_buffer_over_a_tensor_is_refused(device: Device) -> None:
    core = CoreCoord(0, 0)
    pages = (device.arch.l1_size - device.arch.l1_unreserved_base) // 2048 - 10
    program = Program(cbs=[CircularBuffer(pages * 2048, core, CBFormat(0, DataFormat.Float16_b, 2048))])
    device.run(program)
    tensor = device.empty((32 * 100, 32), memory_config=height_sharded(core, (32 * 100, 32)))
    with pytest.raises(L1BudgetError, match=r"tensor tensor \[3200, 32\]"):
        device.run(program)
    tensor.deallocate()
    device.run(program)


def test_tensor_written_in_part_is_not_read_back(device: Device) -> None:
    three = Change("copier", "page < 4", "page < 3")
    no_look = Change("copier", "noc_async_read_page(3, to,", "noc_async_read_page(2, to,")
    with pytest.raises(UnwrittenPagesError, match="nothing has written 1 of its 4 pages: 3") as caught:
        COPY.run(device, [three, no_look], Layout())
    assert caught.value.missing == (3,)
    with settings.using(suppress=("mem.page-never-written",)):
        COPY.run(device, [three, no_look], Layout())
    with settings.using(checks="off"):
        COPY.run(device, [three, no_look], Layout())


def test_blackhole_caches_what_it_polls(device: Device) -> None:
    bare = Change("poller", "        invalidate_l1_cache();\n", "")
    POLL.run(device, [], Layout())
    if device.arch.family == "wormhole":
        POLL.run(device, [bare], Layout())
        return
    with pytest.raises(KernelFindings) as caught:
        POLL.run(device, [bare], Layout())
    assert [finding.check for finding in caught.value.findings] == ["sync.stale-cache"]
    assert caught.value.findings[0].line > 0
