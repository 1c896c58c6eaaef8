"""Orders of signals that go wrong only sometimes, and are found always."""

from __future__ import annotations

from tests.findings.cases import Case
from tests.findings.programs import Change
from tests.findings.signal_programs import ANSWERED, FIRST_COME, ROUNDS

_FLAG = (
    "    noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(1)), 1);\n    noc_semaphore_wait_min(room, 2);\n"
)
_DATA = (
    "    noc_async_write(get_write_ptr(0), get_noc_addr(x, y, get_write_ptr(0)), 64);\n"
    "    noc_async_write_barrier();\n"
)

SIGNAL_CASES = [
    # The flag goes up before the data leaves; a later flag must not hide that.
    Case("mem.race", ANSWERED, Change("sender", _DATA + _FLAG, _FLAG.splitlines(keepends=True)[0] + _DATA)),
    # The second report may come before the collector looks, which then never sees a 1.
    Case("sync.overshoot", FIRST_COME, Change("collector", "wait_min(count, 1)", "wait(count, 1)")),
    # The count is reset after the reporters were let go.
    Case(
        "sync.lost-signal",
        ROUNDS,
        Change(
            "collector",
            "get_semaphore(1)), 1);\n        }\n",
            "get_semaphore(1)), 1);\n        }\n        noc_semaphore_set(count, 0);\n",
        ),
    ),
    Case(
        "sync.lost-signal",
        ROUNDS,
        Change(
            "collector",
            "    for (uint32_t round",
            "    noc_semaphore_set(count, 0);\n    for (uint32_t round",
        ),
    ),
]
