"""Ways to break the rules that tie one NoC call to another."""

from __future__ import annotations

from tests.findings.cases import Case
from tests.findings.noc_programs import (
    MULTICAST,
    MULTICAST_NOC1,
    PACKETS,
    PAGES,
    SHARDED_PAGES,
    STATES,
    TWO_SENDERS,
)
from tests.findings.programs import Change
from tests.findings.small import Small


def _corners(first: int, last: int) -> Change:
    def corners(one: int, other: int) -> str:
        return (
            f"get_arg_val<uint32_t>({one}), get_arg_val<uint32_t>({one} + 1),\n"
            f"                                  get_arg_val<uint32_t>({other})"
        )

    return Change("sender", corners(first, last), corners(last, first))


def _packets(old: str, new: str) -> Case:
    return Case("noc.packet-size", PACKETS, Change("copier", old, new))


def _pages(old: str, new: str, program: Small = PAGES) -> Case:
    return Case("noc.page-out-of-range", program, Change("copier", old, new))


NOC_CASES = [
    _pages("noc_async_read_page(0,", "noc_async_read_page(4,"),
    _pages("noc_async_read_tile(1,", "noc_async_read_tile(4,"),
    _pages("tensor.get_noc_addr(2)", "tensor.get_noc_addr(5)"),
    _pages(".page_id = 3", ".page_id = 4"),
    _pages("noc_async_write_tile(3,", "noc_async_write_tile(4,"),
    _pages("older.get_noc_addr(2,", "older.get_noc_addr(15,"),
    _pages("noc_async_read_page(3,", "noc_async_read_page(4,", SHARDED_PAGES),
    _pages("noc_async_write_page(2,", "noc_async_write_page(6,", SHARDED_PAGES),
    Case("noc.wrong-target", MULTICAST, _corners(2, 4)),
    Case("noc.wrong-target", MULTICAST_NOC1, _corners(4, 2)),
    Case("noc.linked", MULTICAST, Change("sender", "2, false);", "2, true);")),
    Case(
        "noc.linked",
        MULTICAST,
        Change(
            "sender",
            "64, 2, true);\n",
            "64, 2, true);\n    noc_semaphore_inc(get_noc_addr(get_semaphore(1)), 0);\n",
        ),
    ),
    _packets("get_write_ptr(1), 8192);", "get_write_ptr(1), 9 * 2048);"),
    _packets("get_write_ptr(0)), 4096);", "get_write_ptr(0)), 9 * 2048);"),
    _packets("noc_async_read(get_noc_addr", "noc_async_read<8192>(get_noc_addr"),
    Case(
        "noc.state-lost",
        STATES,
        Change(
            "copier",
            "page + 4096);\n",
            "page + 4096);\n    noc_async_read_page(1, tensor, page + 6144);\n"
            "    noc_async_read_one_packet_with_state(0, page + 6144);\n",
        ),
    ),
    Case(
        "noc.state-lost",
        STATES,
        Change(
            "copier",
            "noc_async_write_one_packet_set_state(tensor.get_noc_addr(2), 2048);\n",
            "noc_async_write_one_packet_set_state(tensor.get_noc_addr(2), 2048);\n"
            "    noc_async_write(page, tensor.get_noc_addr(2), 1024);\n",
        ),
    ),
    Case("noc.source-reused", TWO_SENDERS, Change("first", "    noc_async_writes_flushed();\n", "")),
]
