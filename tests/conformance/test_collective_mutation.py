"""A sample of the altered kernels of collectives: a check reports each, and the right ones stay silent."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest
from conformance.mutation_run import Task
from conformance.mutation_switch import rewrite_tree

from conformance import collective_mutation
from tilesmith.collectives import programs


@pytest.mark.slow
def test_altered_calls_are_found(lasting_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "_KERNELS", programs._KERNELS)
    monkeypatch.setenv("MUTANT", "0")
    root = lasting_folder / "kernels"
    copytree(collective_mutation.KERNELS, root)
    mutants = [one for one in rewrite_tree(root) if one.path.name == "sender.cpp" and one.kind == "drop"]
    task = Task("all_to_all-line-0", root, "", 0, "", "", 0, range(1))
    assert collective_mutation.judge(task).outcome == "silent"
    for mutant in mutants:
        task = Task("all_to_all-line-0", root, "", mutant.line, "", "drop", mutant.number, range(2))
        verdict = collective_mutation.judge(task)
        harmless = mutant.content == "noc_async_write_barrier();"  # as mutation_harmless.toml proves
        assert verdict.outcome in ("found", "not reached") or harmless, mutant
