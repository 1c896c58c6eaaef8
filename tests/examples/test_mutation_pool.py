"""The benchmark's processes survive what a broken kernel may do to them."""

from __future__ import annotations

import os

from conformance.mutation_pool import run_all


def _square(number: int) -> int:
    if number == 2:
        os._exit(7)
    return number * number


def test_a_lost_process_costs_one_task() -> None:
    results = {task: getattr(result, "outcome", result) for task, result in run_all(_square, [1, 2, 3, 4], 2)}
    assert results == {1: 1, 2: "crash", 3: 9, 4: 16}
