"""Tile operations that no layout suits, written out element by element as `tile.scalar`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, f32, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.layout_constraints import dims_of
from tilesmith.compiler.dialects.conversions import converted, is_unsigned, wrapped
from tilesmith.compiler.dialects.elements import is_float
from tilesmith.compiler.dialects.tile import (
    CopyOp,
    FillOp,
    FnOp,
    GetOp,
    MapOp,
    ReadOp,
    ReduceOp,
    ScalarOp,
    SetOp,
    VarOp,
    WriteOp,
    YieldOp,
    numbers,
    place_of,
)

_FLOAT: dict[str, type[Operation]] = {
    "sum": arith.AddfOp,
    "abssum": arith.AddfOp,
    "max": arith.MaximumfOp,
    "absmax": arith.MaximumfOp,
    "min": arith.MinimumfOp,
}
_INTEGER: dict[str, type[Operation]] = {
    "sum": arith.AddiOp,
    "abssum": arith.AddiOp,
    "max": arith.MaxSIOp,
    "absmax": arith.MaxSIOp,
    "min": arith.MinSIOp,
    "bitand": arith.AndIOp,
    "bitor": arith.OrIOp,
    "bitxor": arith.XOrIOp,
}
_UNSIGNED: dict[str, type[Operation]] = {
    "max": arith.MaxUIOp,
    "absmax": arith.MaxUIOp,
    "min": arith.MinUIOp,
}


def scalarize(op: Operation) -> None:
    """Replace a map, copy, fill or reduction by scalar code that does the same."""
    if isinstance(op, MapOp):
        new = _map(op)
    elif isinstance(op, CopyOp):
        new = _copy(op)
    elif isinstance(op, FillOp):
        new = _fill(op)
    else:
        assert isinstance(op, ReduceOp)
        new = _reduce(op)
    new.location = op.location
    block = op.parent_block()
    assert block is not None
    block.insert_op_before(new, op)
    Rewriter.erase_op(op)


class Loops:
    """Scalar code under construction: `at` is inside the innermost loop so far."""

    def __init__(self) -> None:
        self.block = Block()
        self.at = Builder(InsertPoint.at_end(self.block))

    def over(self, extents: Sequence[int]) -> list[SSAValue]:
        """A loop for each extent that is not 1; the indices, zero where there is no loop."""
        return [self.number(0) if extent == 1 else self._loop(extent) for extent in extents]

    def number(self, value: int) -> SSAValue:
        return self.at.insert(arith.ConstantOp.from_int_and_width(value, IndexType())).result

    def read(
        self, buffer: SSAValue, indices: Sequence[SSAValue], result_type: Attribute | None = None
    ) -> SSAValue:
        return self.at.insert(ReadOp(buffer, indices, result_type or scalar_type(buffer))).value

    def write(self, buffer: SSAValue, indices: Sequence[SSAValue], value: SSAValue) -> None:
        """Write an element, from a scalar that stands for itself: f32, or a signed integer."""
        source = f32 if value.type == f32 else i32
        self.at.insert(WriteOp(buffer, indices, converted(self.at, value, source, element_of(buffer))))

    def _loop(self, extent: int) -> SSAValue:
        body = Block([scf.YieldOp()], arg_types=[IndexType()])
        self.at.insert(scf.ForOp(self.number(0), self.number(extent), self.number(1), [], body))
        end = body.last_op
        assert end is not None
        self.at = Builder(InsertPoint.before(end))
        return body.args[0]


def element_of(buffer: SSAValue) -> Attribute:
    """The element type of a buffer or tensor."""
    buffer_type = place_of(buffer)
    assert buffer_type is not None
    return buffer_type.element_type


def scalar_type(buffer: SSAValue) -> Attribute:
    """The type an element of a buffer has in scalar code."""
    return f32 if is_float(element_of(buffer)) else i32


def _map(op: MapOp) -> ScalarOp:
    code = Loops()
    indices = code.over(dims_of(op.out))
    zero = code.number(0)
    body = op.body.block
    values: list[SSAValue] = []
    for buffer, entry, arg in zip(op.ins, op.dims, body.args, strict=False):
        place = [indices[dim] if dim >= 0 else zero for dim in numbers(entry)]
        values.append(code.read(buffer, place, arg.type))
    mapping: dict[SSAValue, SSAValue] = dict(zip(body.args, (*values, *indices), strict=True))
    for inner in body.ops:
        if isinstance(inner, YieldOp):
            code.write(op.out, indices, mapping.get(inner.value, inner.value))
        else:
            code.at.insert(inner.clone(mapping))
    return ScalarOp(_unique(op.ins), [op.out], Region(code.block))


def _copy(op: CopyOp) -> ScalarOp:
    code = Loops()
    indices = code.over(numbers(op.sizes))
    source = [_plus(code, index, op.source_offsets, dim) for dim, index in enumerate(indices)]
    dest = [code.number(0) for _ in dims_of(op.dest)]
    for index, dim in zip(indices, numbers(op.dims), strict=True):
        if dim >= 0:
            dest[dim] = index
    dest = [_plus(code, index, op.dest_offsets, dim) for dim, index in enumerate(dest)]
    value = converted(code.at, code.read(op.source, source), element_of(op.source), element_of(op.dest))
    code.at.insert(WriteOp(op.dest, dest, value))
    kept = [op.dest] if prod(numbers(op.sizes)) < prod(dims_of(op.dest)) else []
    return ScalarOp(_unique([op.source, *kept]), [op.dest], Region(code.block))


def _plus(code: Loops, index: SSAValue, offsets: Sequence[SSAValue], dim: int) -> SSAValue:
    return code.at.insert(arith.AddiOp(index, offsets[dim])).result if offsets else index


def _fill(op: FillOp) -> ScalarOp:
    code = Loops()
    code.write(op.buffer, code.over(dims_of(op.buffer)), op.value)
    return ScalarOp([], [op.buffer], Region(code.block))


def _reduce(op: ReduceOp) -> ScalarOp:
    code = Loops()
    dim, source = op.dim.value.data, dims_of(op.source)
    kept = code.over([*source[:dim], *source[dim + 1 :]])
    at_dest = kept if len(dims_of(op.dest)) == len(kept) else [*kept[:dim], code.number(0), *kept[dim:]]
    combine = _combiner(op)
    first = _operand(code, op, [*kept[:dim], code.number(0), *kept[dim:]])
    start = first if op.clear.value.data else combine(code, code.read(op.dest, at_dest), first)
    total = code.at.insert(VarOp(start, "total")).var
    after = code.at
    if source[dim] > 1:
        body = Block([scf.YieldOp()], arg_types=[IndexType()])
        loop = scf.ForOp(code.number(1), code.number(source[dim]), code.number(1), [], body)
        code.at.insert(loop)
        assert body.last_op is not None
        code.at = Builder(InsertPoint.before(body.last_op))
        element = _operand(code, op, [*kept[:dim], body.args[0], *kept[dim:]])
        so_far = code.at.insert(GetOp(total)).value
        code.at.insert(SetOp(total, combine(code, so_far, element)))
        code.at = after
    result = wrapped(code.at, code.at.insert(GetOp(total)).value, element_of(op.dest))
    code.at.insert(WriteOp(op.dest, at_dest, result))
    return ScalarOp(
        _unique([op.source, *([] if op.clear.value.data else [op.dest])]), [op.dest], Region(code.block)
    )


def _operand(code: Loops, op: ReduceOp, indices: Sequence[SSAValue]) -> SSAValue:
    """An element of the source as the type of the result, in which it is combined."""
    value, element = code.read(op.source, indices), element_of(op.source)
    if op.reduction.data.startswith("abs") and not is_unsigned(element):
        value = code.at.insert(FnOp("abs", [value], value.type)).value
        value = value if is_float(element) else wrapped(code.at, value, element)
    return converted(code.at, value, element, element_of(op.dest))


def _combiner(op: ReduceOp) -> Callable[[Loops, SSAValue, SSAValue], SSAValue]:
    element = element_of(op.dest)
    table = _FLOAT if is_float(element) else {**_INTEGER, **(_UNSIGNED if is_unsigned(element) else {})}
    make: Callable[[SSAValue, SSAValue], Operation] = table[op.reduction.data]

    def combine(code: Loops, left: SSAValue, right: SSAValue) -> SSAValue:
        return code.at.insert(make(left, right)).results[0]

    return combine


def _unique(values: Sequence[SSAValue]) -> list[SSAValue]:
    return list(dict.fromkeys(values))
