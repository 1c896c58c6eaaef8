"""What transfers know about indices before the kernel runs, and how they build with it."""

from __future__ import annotations

import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region, SSAValue

from tilesmith.compiler.analysis.index_ranges import factor_of, largest, may_be_negative
from tilesmith.compiler.dialects import tt
from tilesmith.compiler.lowering.transfers.build import Body, divided


@pytest.fixture
def body() -> Body:
    return Body()


def loop_index(body: Body, stop: int, step: int = 1) -> SSAValue:
    block = Block(arg_types=[IndexType()])
    body.op(scf.ForOp(body.value(0), body.value(stop), body.value(step), [], Region(block)))
    return block.args[0]


def argument(body: Body, below: int | None = None) -> SSAValue:
    op = tt.ArgOp("first", "core")
    if below is not None:
        op.attributes["below"] = tt.number(below)
    body.op(op)
    return op.value


def made(index: object) -> SSAValue:
    assert isinstance(index, SSAValue)
    return index


def test_largest(body: Body) -> None:
    i, n = loop_index(body, 10, 4), argument(body, below=6)
    assert largest(i) == 8
    assert largest(n) == 5
    assert largest(made(body.add(body.mul(i, 32), n))) == 8 * 32 + 5
    assert largest(made(body.div(n, 2))) == 2
    assert largest(made(body.rem(argument(body), 7))) == 6
    assert largest(made(body.smaller(argument(body), 7))) == 7
    assert largest(argument(body)) is None


def test_factor(body: Body) -> None:
    n = argument(body)
    assert factor_of(n) == 1
    assert factor_of(made(body.mul(n, 48))) == 48
    assert factor_of(made(body.add(body.mul(n, 48), 32))) == 16
    assert factor_of(loop_index(body, 64, 16)) == 16
    assert factor_of(body.value(0)) == 0


def test_division_takes_the_factor_out(body: Body) -> None:
    n = argument(body)
    quotient = made(divided(body, made(body.add(body.mul(n, 128), 64)), 32))
    assert isinstance(quotient.owner, arith.AddiOp)
    product = quotient.owner.lhs.owner
    assert isinstance(product, arith.MuliOp)
    assert product.lhs is n
    assert isinstance(made(divided(body, n, 32)).owner, arith.DivSIOp)


def test_only_differences_may_be_negative(body: Body) -> None:
    n = argument(body)
    assert not may_be_negative(n)
    assert not may_be_negative(made(body.add(body.mul(n, 3), 1)))
    assert may_be_negative(made(body.sub(n, 1)))
    assert may_be_negative(made(body.add(body.sub(n, 1), 5)))
    assert not may_be_negative(made(body.larger(body.sub(n, 1), 0)))
    assert may_be_negative(body.value(-2))


def test_what_is_known_is_not_built(body: Body) -> None:
    with body.when(body.all([True, body.less(3, 4)])), body.loop(1, "once") as i:
        assert body.add(body.mul(i, 7), 2) == 2
    with body.loop(0, "never"):
        body.value(argument(body))
    n = argument(body)
    with body.when(False):
        body.add(body.mul(n, 3), 1)
    assert [op.results[0] for op in body.block.ops] == [n]
    assert not n.uses


def test_conditions_have_two_branches(body: Body) -> None:
    n = argument(body)
    with body.when(body.less(n, 4)):
        argument(body)
    with body.otherwise():
        argument(body)
    branch = body.block.last_op
    assert isinstance(branch, scf.IfOp)
    assert [type(op) for region in branch.regions for op in region.block.ops] == [tt.ArgOp, scf.YieldOp] * 2
