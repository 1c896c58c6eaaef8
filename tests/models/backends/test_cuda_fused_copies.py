"""A kernel stores what a later copy would: only where the copy is of just that."""

from __future__ import annotations

import pytest

from tilesmith.kernels.elementwise import Elementwise
from tilesmith.kernels.epilogue import Epilogue, Result
from tilesmith.kernels.expression import Input
from tilesmith.kernels.operands import STRIDES, Operand
from tilesmith.models.backends.cuda.fused_copies import with_fused_copies
from tilesmith.models.planning.steps import Launch, Plan, Step
from tilesmith.models.planning.views import Storage, new_storage
from tilesmith.runtime import Layout


def storage() -> Storage:
    return new_storage(32, 64, Layout.TILE, "bfloat16")


def copy(source: Storage, target: Storage, row: int = 0) -> Launch:
    read, out = Operand("x", dtype="bfloat16"), Operand("y", dtype="bfloat16")
    numbers = {f"{name}_{key}": 0 for name in ("x", "y") for key in STRIDES}
    numbers |= {"m": 32, "n": 64, "nb1": 1, "nb2": 1, "y_row": row}
    template = Elementwise(Epilogue((Result(Input("x"), out),), (read,)))
    return Launch(template, {"x": source, "y": target}, numbers, (), (target,))


def outputs(*steps: Step) -> list[int]:
    fused = with_fused_copies(Plan((), steps, ()))
    return [len(step.outputs) for step in fused.steps if isinstance(step, Launch)]


@pytest.mark.parametrize("row", [0, 1])
def test_a_copy_waits_for_what_is_written_in_between(row: int) -> None:
    given, new, first, second = (storage() for _ in range(4))
    assert outputs(copy(given, first), copy(first, second)) == [2]
    if row:  # another part of the matrix: the maker of the rest is not who made what is copied
        assert outputs(copy(given, first), copy(new, first, row), copy(first, second)) == [1, 1, 1]
    else:
        assert outputs(copy(given, first), copy(new, first), copy(first, second)) == [1, 2]


def test_a_copy_is_not_made_before_its_place_is_read() -> None:
    given, first, second, third = (storage() for _ in range(4))
    assert outputs(copy(given, first), copy(second, third), copy(first, second)) == [1, 2]
