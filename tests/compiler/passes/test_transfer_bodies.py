"""Branches of the code that moves data, where the condition is known and where it is not."""

from __future__ import annotations

import pytest
from xdsl.dialects import arith, scf

from tilesmith.compiler.lowering.transfers.build import Body


def branches(condition: bool | None) -> list[str]:
    """What is left of two branches, each with a branch of its own inside."""
    body = Body()
    given = body.op(arith.ConstantOp.from_int_and_width(1, 1)).results[0]
    with body.when(given if condition is None else condition):
        body.value(10)
        with body.when(False):
            body.value(11)
    with body.otherwise():
        body.value(20)
    return [str(op.value) if isinstance(op, arith.ConstantOp) else op.name for op in body.block.walk()][1:]


@pytest.mark.parametrize(("condition", "left"), [(True, ["10 : index"]), (False, ["20 : index"])])
def test_a_known_condition_leaves_one_branch(condition: bool, left: list[str]) -> None:
    assert branches(condition) == left


def test_an_unknown_condition_leaves_both() -> None:
    assert branches(None) == [scf.IfOp.name, "10 : index", "scf.yield", "20 : index", "scf.yield"]
