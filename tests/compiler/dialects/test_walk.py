"""Our walk visits what xDSL's visits, in its order, and lets go of an operation as soon as it is given."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.ir import Block, Region
from xdsl.rewriter import Rewriter

from tilesmith.compiler.dialects.walk import operations_of, walk


def constant(value: int) -> arith.ConstantOp:
    return arith.ConstantOp.from_int_and_width(value, 32)


def nested() -> ModuleOp:
    """Constants before, in and after both branches of an if, in the body of which is another module."""
    truth = arith.ConstantOp.from_int_and_width(1, i1)
    inner = ModuleOp([constant(2), constant(3)])
    branch = scf.IfOp(
        truth, [], Region(Block([inner, scf.YieldOp()])), Region(Block([constant(4), scf.YieldOp()]))
    )
    return ModuleOp([truth, branch, ModuleOp([]), constant(5)])


def test_the_order_is_xdsls() -> None:
    module = nested()
    assert list(walk(module)) == list(module.walk())
    assert list(walk(module.body)) == list(module.body.walk())
    assert list(walk(module.body.block)) == list(module.body.block.walk())


def test_an_operation_may_be_erased_as_soon_as_it_is_given() -> None:
    module = nested()
    for op in walk(module):
        if isinstance(op, arith.ConstantOp) and not op.result.uses:
            Rewriter.erase_op(op)
    assert [op.name for op in walk(module)].count("arith.constant") == 1


def test_regions_are_read_after_the_operation_was_given() -> None:
    module = nested()
    for op in walk(module):
        if isinstance(op, scf.IfOp):
            op.false_region.block.insert_ops_before([constant(6)], op.false_region.block.ops.first or op)
    constants = [str(op.value) for op in operations_of(module, arith.ConstantOp)]
    assert constants == ["true", *(f"{value} : i32" for value in (2, 3, 6, 4, 5))]


def test_operations_of_a_type_are_listed_with_those_of_its_subclasses() -> None:
    module = nested()
    assert operations_of(module, ModuleOp) == [op for op in module.walk() if isinstance(op, ModuleOp)]
    assert len(operations_of(module, arith.ConstantOp)) == 6 - 1
    assert operations_of(module, scf.ForOp) == []
