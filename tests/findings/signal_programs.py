"""Small programs of semaphores, right in every order: signals counted, reset and answered."""

from __future__ import annotations

from tests.findings.programs import DATAFLOW
from tests.findings.small import Part, Small

from tilesmith.program import CoreCoord, WriterConfig

# Core (1, 0) sends a page twice, and each time core (0, 0) reads it and answers.
_SENDER = (
    DATAFLOW
    + """
void kernel_main() {
    const uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
    auto* room = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    for (uint32_t i = 0; i < 16; ++i) {
        words[i] = i;
    }
    noc_semaphore_wait_min(room, 1);
    noc_async_write(get_write_ptr(0), get_noc_addr(x, y, get_write_ptr(0)), 64);
    noc_async_write_barrier();
    noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(1)), 1);
    noc_semaphore_wait_min(room, 2);
    noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(1)), 1);
    noc_async_atomic_barrier();
}
"""
)
_RECEIVER = (
    DATAFLOW
    + """
void kernel_main() {
    const uint64_t room = get_noc_addr(get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3), get_semaphore(0));
    auto* sent = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    cb_reserve_back(0, 1);
    noc_semaphore_inc(room, 1);
    noc_semaphore_wait_min(sent, 1);
    ASSERT(words[15] == 15);
    noc_semaphore_inc(room, 1);
    noc_semaphore_wait_min(sent, 2);
    noc_async_atomic_barrier();
}
"""
)
ANSWERED = Small(
    "answered",
    {"sender": Part(_SENDER, core=CoreCoord(1, 0)), "receiver": Part(_RECEIVER)},
    cbs=[(0, 1)],
    semaphores=2,
)

# Two cores report to core (0, 0), which resets its count before it lets them go on.
_COLLECTOR = (
    DATAFLOW
    + """
void kernel_main() {
    auto* count = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    for (uint32_t round = 0; round < 2; ++round) {
        noc_semaphore_wait(count, 2);
        noc_semaphore_set(count, 0);
        for (uint32_t i = 2; i < 6; i += 2) {
            const uint32_t x = get_arg_val<uint32_t>(i), y = get_arg_val<uint32_t>(i + 1);
            noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(1)), 1);
        }
    }
    noc_async_atomic_barrier();
}
"""
)
_REPORTER = (
    DATAFLOW
    + """
void kernel_main() {
    const uint64_t count = get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), get_semaphore(0));
    auto* go = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
    for (uint32_t round = 0; round < 2; ++round) {
        noc_semaphore_inc(count, 1);
        noc_semaphore_wait_min(go, round + 1);
    }
    noc_async_atomic_barrier();
}
"""
)
ROUNDS = Small(
    "rounds",
    {
        "collector": Part(_COLLECTOR),
        **{f"reporter{x}": Part(_REPORTER, core=CoreCoord(x, 0)) for x in (1, 2)},
    },
    semaphores=2,
)

# Each of two cores reports once; the collector does something after the first, whichever that is.
_FIRST_COME = (
    DATAFLOW
    + """
void kernel_main() {
    auto* count = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    noc_semaphore_wait_min(count, 1);
    noc_semaphore_wait(count, 2);
}
"""
)
_ONCE = (
    DATAFLOW
    + """
void kernel_main() {
    noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), get_semaphore(0)), 1);
    noc_async_atomic_barrier();
}
"""
)
FIRST_COME = Small(
    "first come",
    {
        "collector": Part(_FIRST_COME),
        **{f"reporter{x}": Part(_ONCE, core=CoreCoord(x, 0)) for x in (1, 2)},
    },
    semaphores=1,
)

# One RISC polls what the other sets, dropping its cache each time it looks.
POLL = Small(
    "poll",
    {
        "poller": Part(
            DATAFLOW
            + """
void kernel_main() {
    auto* flag = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    do {
        invalidate_l1_cache();
    } while (*flag != 1);
}
"""
        ),
        "setter": Part(
            DATAFLOW
            + """
void kernel_main() {
    riscv_wait(1000);
    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)), 1);
}
""",
            WriterConfig(),
        ),
    },
    semaphores=1,
)
