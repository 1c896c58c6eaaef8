"""Builds the IR of a kernel: where operations go, constants, and values that are there already."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    FileLineColLoc,
    FloatAttr,
    IndexType,
    IntAttr,
    IntegerAttr,
    StringAttr,
    f32,
    i1,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tilesmith.compiler.importer.source import Location

INDEX = IndexType()


@dataclass
class Scope:
    """A block being filled, with the pure values already computed in it."""

    block: Block
    known: dict[tuple[Any, ...], SSAValue] = field(default_factory=dict)
    last_constant: Operation | None = None


class Emitter:
    """Appends operations to the innermost open block. Pure operations on the same operands are made once."""

    def __init__(self, block: Block) -> None:
        self.scopes = [Scope(block)]
        self.constant_homes = [self.scopes[0]]
        self._location: FileLineColLoc | None = None
        self._locations: dict[Location, FileLineColLoc] = {}

    @contextmanager
    def at(self, location: Location) -> Iterator[None]:
        """Operations made inside carry this line."""
        outside = self._location
        if location.file:
            self._location = self._locations.get(location)
            if self._location is None:
                self._location = FileLineColLoc(StringAttr(location.file), IntAttr(location.line), IntAttr(0))
                self._locations[location] = self._location
        yield
        self._location = outside

    @contextmanager
    def inside(self, block: Block, own_constants: bool = False) -> Iterator[None]:
        """Fill another block. The body of a map or of scalar code keeps its constants to itself."""
        scope = Scope(block)
        self.scopes.append(scope)
        if own_constants:
            self.constant_homes.append(scope)
        yield
        if own_constants:
            self.constant_homes.pop()
        self.scopes.pop()

    @property
    def line(self) -> str:
        """The user's line that is being lowered."""
        at = self._location
        return "" if at is None else f"{at.filename.data}:{at.line.data}"

    def locate(self, op: Operation) -> None:
        if self._location is not None:
            op.location = self._location

    def emit(self, op: Operation) -> Operation:
        self.locate(op)
        self.scopes[-1].block.add_op(op)
        return op

    def pure(
        self,
        op_class: type[Operation],
        operands: Sequence[SSAValue],
        make: Callable[[], Operation],
        *extra: Any,
    ) -> SSAValue:
        """The result of a pure operation; `extra` tells apart operations of one class and equal operands."""
        key = (op_class, *map(id, operands), *extra)
        for scope in self.scopes:
            if key in scope.known:
                return scope.known[key]
        value = self.emit(make()).results[0]
        self.scopes[-1].known[key] = value
        return value

    # ---- constants ----

    def constant(self, value: float | int | bool, result_type: Attribute) -> SSAValue:
        return self._constant(value, result_type, self.constant_homes[-1])

    def outer_constant(self, value: float | int | bool, result_type: Attribute) -> SSAValue:
        """A constant outside the grid, whatever is being filled now."""
        return self._constant(value, result_type, self.constant_homes[0])

    def at_start(self, op: Operation) -> None:
        """Put an operation after the constants of the body being filled."""
        home = self.constant_homes[-1]
        insert_after(home.block, op, home.last_constant)

    def _constant(self, value: float | int | bool, result_type: Attribute, home: Scope) -> SSAValue:
        # repr tells -0.0 from 0.0 and finds a NaN again.
        key = ("constant", repr(value), result_type)
        if key not in home.known:
            attr = FloatAttr(value, f32) if result_type == f32 else IntegerAttr(int(value), result_type)  # type: ignore[call-overload]
            op = arith.ConstantOp(attr)
            insert_after(home.block, op, home.last_constant)
            home.last_constant = op
            home.known[key] = op.result
        return home.known[key]

    def index(self, value: int) -> SSAValue:
        return self.constant(value, INDEX)

    # ---- arithmetic on indices ----

    def binary(self, op_class: type[Any], a: SSAValue, b: SSAValue) -> SSAValue:
        return self.pure(op_class, (a, b), lambda: op_class(a, b))

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        if number(a) == 0:
            return b
        return a if number(b) == 0 else self.binary(arith.AddiOp, a, b)

    def sub(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return a if number(b) == 0 else self.binary(arith.SubiOp, a, b)

    def mul(self, a: SSAValue, b: SSAValue) -> SSAValue:
        if number(a) == 1:
            return b
        return a if number(b) == 1 else self.binary(arith.MuliOp, a, b)

    # ---- conversions ----

    def as_index(self, value: SSAValue) -> SSAValue:
        if isinstance(value.type, IndexType):
            return value
        return self._cast(arith.IndexCastOp, self.as_i32(value), INDEX)

    def as_i32(self, value: SSAValue) -> SSAValue:
        if value.type == i32:
            return value
        if value.type == i1:
            return self._cast(arith.ExtUIOp, value, i32)
        if value.type == f32:
            return self._cast(arith.FPToSIOp, value, i32)
        known = number(value)
        return self.constant(known, i32) if known is not None else self._cast(arith.IndexCastOp, value, i32)

    def as_f32(self, value: SSAValue) -> SSAValue:
        if value.type == f32:
            return value
        known = number(value)
        if known is not None:
            return self.constant(float(known), f32)
        if value.type == i1:
            return self._cast(arith.UIToFPOp, value, f32)
        return self._cast(arith.SIToFPOp, self.as_i32(value), f32)

    def as_i1(self, value: SSAValue) -> SSAValue:
        if value.type == i1:
            return value
        if value.type == f32:
            zero = self.constant(0.0, f32)
            return self.pure(arith.CmpfOp, (value, zero), lambda: arith.CmpfOp(value, zero, "une"), "une")
        zero = self.constant(0, value.type)
        return self.pure(arith.CmpiOp, (value, zero), lambda: arith.CmpiOp(value, zero, "ne"), "ne")

    def _cast(self, op_class: type[Any], value: SSAValue, target: Attribute) -> SSAValue:
        return self.pure(op_class, (value,), lambda: op_class(value, target), target)


def insert_after(block: Block, op: Operation, before: Operation | None) -> None:
    """Insert after an operation, or at the start of the block."""
    if before is not None:
        block.insert_op_after(op, before)
    elif block.first_op is not None:
        block.insert_op_before(op, block.first_op)
    else:
        block.add_op(op)


def number(value: SSAValue) -> int | None:
    """What an integer constant holds."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None
