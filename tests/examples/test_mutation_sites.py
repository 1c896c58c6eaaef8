"""The mutation benchmark must find every call worth altering, and alter only that."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.mutation_sites import Family, find_sites, local_includes, mutants_of

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
        ("reduce_init", Family.SETUP),
        ("noc_semaphore_set_multicast", Family.SEMAPHORE),
        ("noc_async_write_barrier", Family.BARRIER),
    ]


def test_included_files_belong_to_the_kernel(kernel: Path) -> None:
    assert [path.name for path in local_includes(kernel)] == ["kernel.cpp", "helper.h"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "cb_reserve_back",
            {
                "drop": "((void)0);",
                "plus one": "cb_reserve_back(cb_in,(block * f(a, b)) + 1);",
                "minus one": "cb_reserve_back(cb_in,(block * f(a, b)) - 1);",
            },
        ),
        ("push_back", {"drop": "((void)0);", "plus one": "cb.push_back((1) + 1);"}),
        (
            "async_read_barrier",
            {"drop": "((void)0);", "too late": "cb.push_back(1);\n    noc.async_read_barrier();"},
        ),
        ("noc_async_write_barrier", {"drop": "((void)0);", "flush only": "noc_async_writes_flushed();"}),
        ("reduce_init", {"drop": "((void)0);"}),
    ],
)
def test_mutants_change_one_call(kernel: Path, name: str, expected: dict[str, str]) -> None:
    site = next(site for site in find_sites(kernel) if site.name == name)
    mutants = {mutant.kind: mutant.text for mutant in mutants_of(site)}
    assert mutants.keys() == expected.keys()
    for kind, text in mutants.items():
        assert expected[kind] in text
        assert text.count("\n") == SOURCE.count("\n")


def test_semaphore_value_is_the_number_of_destinations(kernel: Path) -> None:
    site = next(site for site in find_sites(kernel) if site.name == "noc_semaphore_set_multicast")
    assert any("target,(receivers) + 1)" in mutant.text for mutant in mutants_of(site))
