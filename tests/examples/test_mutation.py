"""A sample of the mutation benchmark: every mutant of one example is found, the example itself is silent."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from conformance.mutation import EXAMPLES, Score, harmless_reason, tasks_of
from conformance.mutation_run import Task, Verdict, judge
from conformance.mutation_switch import VARIABLE, rewrite_tree

EXAMPLE = "transpose"


@pytest.fixture(scope="module")
def tasks(lasting_folder_of_module: Path) -> Iterator[list[Task]]:
    root = lasting_folder_of_module / "metal"
    shutil.copytree(EXAMPLES, root)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, "0")
        yield list(tasks_of([EXAMPLE], root, rewrite_tree(root), range(4)))


def test_every_mutant_is_found(tasks: list[Task]) -> None:
    score = Score()
    for task in tasks:
        score.add(task, judge(task))
    assert score.mutants > 20
    assert not score.missed


def test_unchanged_kernels_are_silent(tasks: list[Task]) -> None:
    unchanged = Task(EXAMPLE, tasks[0].root, "", 0, "", "none", 0, range(4))
    assert judge(unchanged) == Verdict("silent", "")


def test_harmless_entries_name_one_mutation_each() -> None:
    kept = Task(
        "untilize",
        Path(),
        "untilize/kernels/compute.cpp",
        1,
        "pack_untilize_uninit(cb_out_id);",
        "drop",
        1,
        range(1),
    )
    assert harmless_reason(kept)
    other = Task(
        "untilize", Path(), "untilize/kernels/compute.cpp", 1, "cb_out.push_back(width);", "drop", 1, range(1)
    )
    assert harmless_reason(other) is None
