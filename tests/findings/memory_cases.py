"""Ways to read memory that nobody has written, or that is no longer meant."""

from __future__ import annotations

from tests.findings.cases import Case
from tests.findings.memory_programs import ACCUMULATE, CONSTANT_BESIDE, COPY
from tests.findings.programs import Change

MEMORY_CASES = [
    Case(
        "cb.stale-page",
        CONSTANT_BESIDE,
        Change(
            "reader",
            "        noc_async_read_page(page, tensor",
            "        if (page != 4) noc_async_read_page(page, tensor",
        ),
    ),
    Case(
        "mem.uninitialised",
        ACCUMULATE,
        Change("compute", "pack_reconfig_l1_acc(i > 0)", "pack_reconfig_l1_acc(1)"),
    ),
    Case("mem.uninitialised", COPY, Change("copier", "page < 4", "page < 3")),
    Case(
        "mem.uninitialised", COPY, Change("copier", "noc_async_write_page(page,", "noc_async_write_page(0,")
    ),
]
