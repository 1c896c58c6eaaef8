"""Building the body of a stage: index arithmetic that folds what is known, loops and conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from tilesmith.compiler.analysis.index_expressions import constant_of
from tilesmith.compiler.analysis.index_ranges import factor_of

Index = int | SSAValue
"""An index that is known now, or only when the kernel runs."""


@lru_cache(maxsize=1024)
def _number(index: int) -> IntegerAttr[IndexType]:
    return IntegerAttr(index, IndexType())


class Body:
    """Appends operations to a block; sums and products of known numbers cost nothing.

    >>> body = Body()
    >>> body.add(body.mul(3, 4), 2)
    14
    >>> [op.name for op in body.block.ops]
    []
    """

    def __init__(self) -> None:
        self.block = Block()
        self.last_condition: bool | SSAValue = True  # of the last `when`

    @property
    def region(self) -> Region:
        top = self.block.parent_region()
        return top if top is not None else Region(self.block)

    def op(self, operation: Operation) -> Operation:
        self.block.add_op(operation)
        return operation

    def value(self, index: Index) -> SSAValue:
        if isinstance(index, SSAValue):
            return index
        return self.op(arith.ConstantOp(_number(index))).results[0]

    def add(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        if a == 0:
            return b
        if b == 0:
            return a
        return self.op(arith.AddiOp(self.value(a), self.value(b))).results[0]

    def sub(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a - b
        if b == 0:
            return a
        return self.op(arith.SubiOp(self.value(a), self.value(b))).results[0]

    def mul(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a * b
        if a == 0 or b == 0:
            return 0
        if a == 1:
            return b
        if b == 1:
            return a
        return self.op(arith.MuliOp(self.value(a), self.value(b))).results[0]

    def div(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a // b
        return a if b == 1 else self.op(arith.DivSIOp(self.value(a), self.value(b))).results[0]

    def rem(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a % b
        return 0 if b == 1 else self.op(arith.RemSIOp(self.value(a), self.value(b))).results[0]

    def ceil_div(self, a: Index, b: int) -> Index:
        return self.div(self.add(a, b - 1), b)

    def smaller(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return min(a, b)
        return self.op(arith.MinSIOp(self.value(a), self.value(b))).results[0]

    def larger(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return max(a, b)
        return self.op(arith.MaxSIOp(self.value(a), self.value(b))).results[0]

    def less(self, a: Index, b: Index) -> bool | SSAValue:
        if isinstance(a, int) and isinstance(b, int):
            return a < b
        return self.op(arith.CmpiOp(self.value(a), self.value(b), "slt")).results[0]

    def all(self, conditions: Sequence[bool | SSAValue]) -> bool | SSAValue:
        """Whether every condition holds."""
        result: bool | SSAValue = True
        for condition in conditions:
            if condition is False or result is True:
                result = condition if result is True or condition is False else result
            elif condition is not True and result is not False:
                assert isinstance(result, SSAValue)
                result = self.op(arith.AndIOp(result, condition)).results[0]
        return result

    def named(self, index: Index, name: str) -> Index:
        """The same index; if the kernel has to keep it, then under this name."""
        if isinstance(index, SSAValue) and index.name_hint is None:
            index.name_hint = name
        return index

    @contextmanager
    def loop(self, stop: Index, name: str, start: Index = 0, step: int = 1) -> Iterator[Index]:
        """The body of a loop; a loop of one turn is no loop."""
        if isinstance(start, int) and isinstance(stop, int) and stop <= start + step:
            with self.when(start < stop):
                yield start
            return
        inner = Block(arg_types=[IndexType()])
        inner.args[0].name_hint = name
        lower, upper, stride = self.value(start), self.value(stop), self.value(step)
        outer, self.block = self.block, inner
        yield inner.args[0]
        self.op(scf.YieldOp())
        self.block = outer
        self.op(scf.ForOp(lower, upper, stride, [], Region(inner)))

    @contextmanager
    def when(self, condition: bool | SSAValue) -> Iterator[None]:
        """What happens under a condition; nothing at all if it is known to be false."""
        outer, self.block = self.block, Block()
        yield
        inner, self.block = self.block, outer
        if condition is True:
            for op in list(inner.ops):
                inner.detach_op(op)
                self.op(op)
        elif condition is False:
            for op in reversed(list(inner.ops)):
                inner.erase_op(op)
        else:
            inner.add_op(scf.YieldOp())
            self.op(scf.IfOp(condition, [], [inner]))
        self.last_condition = condition

    @contextmanager
    def otherwise(self) -> Iterator[None]:
        """The other branch of the `when` just before; what it is known to be decides here too."""
        if isinstance(self.last_condition, bool):
            with self.when(not self.last_condition):
                yield
            return
        branch = self.block.last_op
        assert isinstance(branch, scf.IfOp)
        outer, self.block = self.block, Block()
        yield
        self.op(scf.YieldOp())
        inner, self.block = self.block, outer
        if branch.false_region.blocks:
            raise AssertionError("a condition has one other branch")
        branch.false_region.add_block(inner)


def index_of(value: SSAValue) -> Index:
    number = constant_of(value)
    return value if number is None else number


def divided(body: Body, value: SSAValue, by: int) -> Index:
    """value / by, for an index that is a multiple of it: by * 4 * i becomes 4 * i."""
    number = constant_of(value)
    if number is not None:
        return number // by
    op = value.owner
    if isinstance(op, arith.MuliOp):
        for factor, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            scale = constant_of(other)
            if scale is not None and scale % by == 0:
                return body.mul(index_of(factor), scale // by)
    if isinstance(op, arith.AddiOp) and factor_of(op.lhs) % by == 0 and factor_of(op.rhs) % by == 0:
        return body.add(divided(body, op.lhs, by), divided(body, op.rhs, by))
    return body.div(value, by)
