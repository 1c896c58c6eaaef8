"""Host programs for the vendor's kernels: the cases with an installed ttnn, and what can be told without."""

from __future__ import annotations

import importlib.util
from itertools import count
from pathlib import Path

import pytest
from conformance.vendor_run.cases import CASES
from conformance.vendor_run.judge import problem
from conformance.vendor_run.mutation import Synchronising

from tilesmith.emulator.suppress import parse_rules

KERNEL = """
void kernel_main() {
    DataflowBuffer in(0);
    Semaphore ready(sem::ready);
#ifdef FUSE_BIAS
    DataflowBuffer bias(1);
    bias.wait_front(2);
#endif
    matmul_init(0, 1);
    in.wait_front(4);
    ready.set(1);
    in.pop_front(4);
}
"""


def test_mutants_are_of_synchronisation_and_compile_in_every_configuration(tmp_path: Path) -> None:
    path = tmp_path / "kernel.cpp"
    path.write_text(KERNEL, encoding="utf-8")
    rewriter = Synchronising(path, count(1))
    text = rewriter.rewrite()
    assert {mutant.content.split("(")[0] for mutant in rewriter.mutants} == {
        "bias.wait_front",
        "in.wait_front",
        "ready.set",
        "in.pop_front",
    }
    # `bias` is not declared without FUSE_BIAS, so it takes no other's place; `in` may take its place.
    assert text.count("bias.wait_front(") == 1
    assert "in.wait_front(2)" in text


def test_silenced_rules_have_names_that_exist() -> None:
    for case in CASES.values():
        parse_rules(case.silenced)


@pytest.mark.real
@pytest.mark.skipif(importlib.util.find_spec("ttnn") is None, reason="ttnn is not installed")
@pytest.mark.parametrize("name", CASES)
def test_the_vendors_kernels_are_right_and_silent(name: str, tmp_path: Path) -> None:
    found = importlib.util.find_spec("ttnn")
    assert found is not None
    assert found.submodule_search_locations is not None
    (tmp_path / "ttnn").symlink_to(Path(found.submodule_search_locations[0]) / "ttnn")
    assert problem(CASES[name], tmp_path, "wormhole", range(1)) == ""
