"""The mutation benchmark must find every call worth altering, and alter only that."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest
from conformance.mutation_sites import Family, find_sites, local_includes
from conformance.mutation_switch import Rewriter

SOURCE = """
#include "helper.h"
// cb_push_back(0, 1) in a comment is no call
inline void cb_pop_front(uint32_t cb, uint32_t n);
void kernel_main() {
    Semaphore<> ready(0);
    cb_reserve_back(cb_in, block * f(a, b));
    noc.async_read_barrier();
    cb.push_back(1);
    ready.wait(others);
    other.wait(5);
    reduce_tile<PoolType::SUM>(cb_in, f(x), 0);
    cb_pop_front(cb_in, 1);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_in, cb_scaler, cb_out);
    noc_semaphore_set_multicast(address, target, receivers);
    noc_async_write_barrier();
}
"""


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "kernel.cpp"
    path.write_text(SOURCE)
    (tmp_path / "helper.h").write_text("inline void send() { tile_regs_acquire(); }\n")
    return path


def test_sites_are_the_calls_and_only_those(kernel: Path) -> None:
    assert [(site.name, site.family) for site in find_sites(kernel)] == [
        ("cb_reserve_back", Family.BUFFER),
        ("async_read_barrier", Family.BARRIER),
        ("push_back", Family.BUFFER),
        ("wait", Family.SEMAPHORE),
        ("cb_pop_front", Family.BUFFER),
        ("reduce_init", Family.SETUP),
        ("noc_semaphore_set_multicast", Family.SEMAPHORE),
        ("noc_async_write_barrier", Family.BARRIER),
    ]


def test_included_files_belong_to_the_kernel(kernel: Path) -> None:
    assert [path.name for path in local_includes(kernel)] == ["kernel.cpp", "helper.h"]


def test_every_site_gets_its_mutants(kernel: Path) -> None:
    rewriter = Rewriter(kernel, count(1))
    rewriter.rewrite()
    kinds = [(mutant.content.split("(")[0], mutant.kind) for mutant in rewriter.mutants]
    assert kinds == [
        ("cb_reserve_back", "plus one"),
        ("cb_reserve_back", "minus one"),
        ("cb_reserve_back", "drop"),
        ("noc.async_read_barrier", "other NoC"),
        ("noc.async_read_barrier", "too late"),
        ("noc.async_read_barrier", "drop"),
        ("cb.push_back", "plus one"),
        ("cb.push_back", "drop"),
        ("ready.wait", "plus one"),
        ("ready.wait", "minus one"),
        ("ready.wait", "drop"),
        ("cb_pop_front", "plus one"),
        ("cb_pop_front", "too early"),
        ("cb_pop_front", "drop"),
        ("reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>", "drop"),
        ("noc_semaphore_set_multicast", "plus one"),
        ("noc_semaphore_set_multicast", "minus one"),
        ("noc_semaphore_set_multicast", "drop"),
        ("noc_async_write_barrier", "other NoC"),
        ("noc_async_write_barrier", "flush only"),
        ("noc_async_write_barrier", "drop"),
    ]
    assert [mutant.number for mutant in rewriter.mutants] == list(range(1, len(kinds) + 1))


def test_switches_stand_where_the_calls_stood(kernel: Path) -> None:
    lines = Rewriter(kernel, count(1)).rewrite().split("#line 1")[1].split("\n")
    text = dict(enumerate(lines))
    assert (
        "(mutant(3) ? ((void)0) : cb_reserve_back(cb_in,"
        "(block * f(a, b)) + (mutant(1) ? 1 : 0) - (mutant(2) ? 1 : 0)));" in text[7]
    )
    assert "(mutant(4) ? Noc(1 - noc_index).async_read_barrier() : noc.async_read_barrier())" in text[8]
    assert "(mutant(5) ? ((void)0) : " in text[8]
    assert "(mutant(5) ? noc.async_read_barrier() : ((void)0))" in text[9]
    assert "other.wait(5);" in text[11]
    assert "(mutant(13) ? cb_pop_front(cb_in, 1) : ((void)0)); reduce_tile<PoolType::SUM>" in text[12]
    assert "(mutant(13) ? ((void)0) : cb_pop_front(" in text[13]
    assert "(mutant(19) ? noc_async_write_barrier(1 - noc_index) : noc_async_write_barrier())" in text[16]
    assert "(mutant(20) ? noc_async_writes_flushed() : " in text[16]


def test_calls_are_tried_on_other_objects_of_the_same_function(tmp_path: Path) -> None:
    path = tmp_path / "kernel.cpp"
    path.write_text(
        "void helper(uint32_t cb) {\n    cb_push_back(cb, 1);\n}\n"
        "void kernel_main() {\n"
        "    cb_wait_front(cb_a, 1); cb_wait_front(cb_b, 1); cb_pop_front(cb_a, 1);\n"
        "    noc_semaphore_set(word(ready), 1); noc_semaphore_inc(get_noc_addr(x, y, arrived), 1);\n"
        "}\n"
    )
    text = Rewriter(path, count(1)).rewrite()
    for call in (
        "cb_wait_front(cb_b, 1) : cb_wait_front(cb_a,",
        "cb_wait_front(cb_a, 1) : cb_wait_front(cb_b,",
        "cb_pop_front(cb_b, 1) : cb_pop_front(cb_a,",
        "noc_semaphore_set(word(arrived), 1) : noc_semaphore_set(word(ready),",
        "noc_semaphore_inc(get_noc_addr(x, y, ready), 1) : noc_semaphore_inc(get_noc_addr(x, y, arrived),",
    ):
        assert call in text
    assert "cb_push_back(cb_a" not in text
