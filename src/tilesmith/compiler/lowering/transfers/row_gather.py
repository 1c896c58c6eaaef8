"""Gathers of whole rows: a buffer whose row i comes from a computed row of a tensor, or is zero.

Convolutions read images so. Element by element that is slow; each row is a few runs of neighbouring elements,
which go straight from the pages of the tensor into the rows of faces.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from math import gcd

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tilesmith.arch import Arch
from tilesmith.compiler.analysis.index_expressions import constant_of
from tilesmith.compiler.analysis.index_ranges import factor_of, may_be_negative
from tilesmith.compiler.analysis.memory_effects import is_buffer
from tilesmith.compiler.analysis.tile_geometry import FACE, axes_of, tiles_of
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.tt_dataflow import ReadBarrierOp, ReadBytesOp, ZeroPagesOp
from tilesmith.compiler.lowering.transfers.build import Body, Index, index_of
from tilesmith.compiler.lowering.transfers.elements import (
    bytes_of,
    is_rounded_storage,
    is_stored_alike,
    position,
    storage_of,
)
from tilesmith.compiler.lowering.transfers.tensors import (
    accessor_of,
    address_of,
    buffer_of,
    name_of,
    parameter_of,
    role_of,
    tensor_of,
)

_PREDICATES = arith.CMPI_COMPARISON_OPERATIONS


@dataclass(frozen=True)
class RowGather:
    """buffer[i, j] = source[row, first + j] where every guard holds and first + j < limit, else zero.

    Guards are in the order they are asked, with those that are asked together. `first`, a sum, and
    `limit`, if there is one, do not depend on j.
    """

    read: tile.ReadOp
    write: tile.WriteOp
    line: SSAValue
    guards: tuple[tuple[SSAValue, ...], ...]
    first: tuple[SSAValue, ...]
    limit: SSAValue | None


def gather_rows(op: tile.ScalarOp, arch: Arch) -> tt.StageOp | None:
    """The stage of a scalar loop that gathers rows; None if it does something else."""
    found = find_row_gather(op)
    if found is None or is_buffer(found.read.source) or not _runs_straight(found, arch):
        return None
    body = Body()
    buffer, tensor = found.write.dest, found.read.source
    target = address_of(body, buffer, "write")
    accessor = accessor_of(op, tensor)
    body.op(ZeroPagesOp(buffer, body.value(0), tiles_of(buffer_of(buffer))))
    body.op(ReadBarrierOp.build())
    with body.loop(buffer_of(buffer).dims[0], "line") as line:
        _gather_line(body, found, op, accessor, target, line)
    body.op(ReadBarrierOp.build())
    title = f"gather rows of {name_of(tensor)} to {buffer.name_hint}"
    return tt.StageOp(role_of(op), title, [], [buffer], body.region)


def _gather_line(
    body: Body, found: RowGather, op: tile.ScalarOp, accessor: SSAValue, target: SSAValue, line: Index
) -> None:
    copies = Copies(body, op, {found.line: body.value(line)})
    buffer_type = buffer_of(found.write.dest)
    size = bytes_of(storage_of(buffer_type))
    with ExitStack() as inside:
        for guard in found.guards:
            inside.enter_context(body.when(body.all([copies.of(one) for one in guard])))
        page = copies.of(found.read.indices[0])
        first: Index = 0
        for term in found.first:
            first = body.add(first, index_of(copies.of(term)))
        assert found.limit is not None
        stop = body.smaller(buffer_type.dims[1], body.sub(copies.of(found.limit), first))
        with body.loop(body.value(stop), "col", step=FACE) as col:
            count = body.smaller(FACE, body.sub(stop, col))
            at = body.add(target, body.mul(position(body, buffer_type, [line, col]), size))
            offset = body.mul(body.add(first, col), size)
            places = (body.value(one) for one in (page, offset, at, body.mul(count, size)))
            body.op(ReadBytesOp(accessor, *places))


class Copies:
    """Operations of the loop's body, copied to where they are asked for, in terms of another loop's line."""

    def __init__(self, body: Body, op: Operation, known: dict[SSAValue, SSAValue]) -> None:
        self.body = body
        self.op = op
        self.known = known

    def of(self, value: SSAValue) -> SSAValue:
        if value not in self.known:
            owner = value.owner
            if isinstance(owner, Block) or not self.op.is_ancestor(owner):
                return value
            operands = {operand: self.of(operand) for operand in owner.operands}
            copy = self.body.op(owner.clone(dict(operands)))
            self.known[value] = copy.results[0]
        return self.known[value]


# ---- recognising ----


def find_row_gather(op: tile.ScalarOp) -> RowGather | None:
    if len(op.reads) != 1 or len(op.writes) != 1 or not is_buffer(op.writes[0]):
        return None
    rows = _only_loop(op.body.block)
    columns = None if rows is None else _only_loop(rows.body.block)
    if rows is None or columns is None:
        return None
    line, column = rows.body.block.args[0], columns.body.block.args[0]
    write = _last(columns.body.block)
    if not isinstance(write, tile.WriteOp) or write.accumulate.data or list(write.indices) != [line, column]:
        return None
    conditions: list[SSAValue] = []
    value = _unwrapped(write.value)
    read = _source(value, conditions)
    buffer_type = buffer_of(write.dest)
    cut = value is not write.value
    if cut and read is not None and _element_type(read.source) != buffer_type.element_type:
        return None
    extents = [constant_of(loop.ub) for loop in (rows, columns)]
    if read is None or len(read.indices) != 2 or tuple(extents) != tuple(buffer_type.dims):
        return None
    return _with_guards(op, read, write, line, column, conditions)


def _element_type(source: SSAValue) -> Attribute:
    return (buffer_of(source) if is_buffer(source) else tensor_of(source)).element_type


def _with_guards(
    op: tile.ScalarOp,
    read: tile.ReadOp,
    write: tile.WriteOp,
    line: SSAValue,
    column: SSAValue,
    conditions: Sequence[SSAValue],
) -> RowGather | None:
    row, along = read.indices
    terms = terms_of(along)
    first = tuple(term for term in terms if term is not column)
    alone = len(first) == len(terms) - 1 and not any(depends(one, column, op) for one in (row, *first))
    if not alone or any(may_be_negative(term) for term in first):
        return None
    guards: list[tuple[SSAValue, ...]] = []
    limits: list[SSAValue] = []
    for together in map(_conjuncts, conditions):
        free = tuple(one for one in together if not depends(one, column, op))
        others = (one for one in together if one not in free and not _is_above_zero(one, along))
        bounds = [_limit(one, along) for one in others]
        limits += [one for one in bounds if one is not None and not depends(one, column, op)]
        if None in bounds:
            return None
        guards.append(free)
    asked = (one for together in guards for one in together)
    if len(limits) > 1 or not _is_pure([*asked, row, *first, *limits], op):
        return None
    return RowGather(read, write, line, tuple(guards), first, limits[0] if limits else None)


def _only_loop(block: Block) -> scf.ForOp | None:
    """The loop from 0 in steps of 1 that a block consists of, beside what it computes for it."""
    loops = [op for op in block.ops if op.regions]
    if len(loops) != 1 or not isinstance(loops[0], scf.ForOp) or loops[0] is not _last(block):
        return None
    loop = loops[0]
    return loop if constant_of(loop.lb) == 0 and constant_of(loop.step) == 1 else None


def _last(block: Block) -> Operation | None:
    last = block.last_op
    return last.prev_op if isinstance(last, scf.YieldOp) else last


def _source(value: SSAValue, conditions: list[SSAValue]) -> tile.ReadOp | None:
    """The read a value comes from; where a condition fails, which are noted, it must be zero."""
    owner = value.owner
    if isinstance(owner, tile.ReadOp):
        return owner
    if not isinstance(owner, tile.GetOp) or not isinstance(start := owner.var.owner, tile.VarOp):
        return None
    sets = [use.operation for use in owner.var.uses if isinstance(use.operation, tile.SetOp)]
    branch = sets[0].parent_op() if len(sets) == 1 else None
    if not isinstance(branch, scf.IfOp) or branch.false_region.blocks or not _is_zero(start.initial):
        return None
    conditions.append(branch.cond)
    return _source(sets[0].value, conditions)


def _unwrapped(value: SSAValue) -> SSAValue:
    """What is cut to the bits of an integer type; one that was read as that type loses none."""
    right = value.owner
    left = right.lhs.owner if isinstance(right, arith.ShRSIOp) else None
    if isinstance(right, arith.ShRSIOp) and isinstance(left, arith.ShLIOp) and left.rhs is right.rhs:
        return left.lhs
    return value


def _is_zero(value: SSAValue) -> bool:
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp) or not isinstance(owner.value, FloatAttr | IntegerAttr):
        return False
    return owner.value.value.data == 0


def _conjuncts(condition: SSAValue) -> list[SSAValue]:
    owner = condition.owner
    if isinstance(owner, arith.AndIOp):
        return [*_conjuncts(owner.lhs), *_conjuncts(owner.rhs)]
    return [condition]


def _limit(condition: SSAValue, along: SSAValue) -> SSAValue | None:
    """The limit of a condition along < limit."""
    owner = condition.owner
    if not isinstance(owner, arith.CmpiOp) or owner.lhs is not along:
        return None
    return owner.rhs if _PREDICATES[owner.predicate.value.data] == "slt" else None


def _is_above_zero(condition: SSAValue, along: SSAValue) -> bool:
    owner = condition.owner
    return (
        isinstance(owner, arith.CmpiOp)
        and _PREDICATES[owner.predicate.value.data] == "sge"
        and owner.lhs is along
        and constant_of(owner.rhs) == 0
    )


def terms_of(value: SSAValue) -> list[SSAValue]:
    """What a sum adds up."""
    owner = value.owner
    if isinstance(owner, arith.AddiOp):
        return [*terms_of(owner.lhs), *terms_of(owner.rhs)]
    return [value]


def depends(value: SSAValue, on: SSAValue, op: Operation) -> bool:
    owner = value.owner
    if value is on or isinstance(owner, Block):
        return value is on
    return op.is_ancestor(owner) and any(depends(operand, on, op) for operand in owner.operands)


def _is_pure(values: Sequence[SSAValue], op: Operation) -> bool:
    """Whether values are made by arithmetic alone, so that they can be computed elsewhere in the loop."""
    for value in values:
        owner = value.owner
        if isinstance(owner, Block) or not op.is_ancestor(owner):
            continue
        if owner.dialect_name() != "arith" or not _is_pure(owner.operands, op):
            return False
    return True


def _runs_straight(found: RowGather, arch: Arch) -> bool:
    """Whether the runs of a row are stored and aligned in the buffer as they are in the pages."""
    buffer_type, tensor = buffer_of(found.write.dest), tensor_of(found.read.source)
    rounds = is_rounded_storage(storage_of(buffer_type)) and storage_of(buffer_type) != storage_of(tensor)
    flat = buffer_type.layout.data == "flat"
    if found.limit is None or flat or rounds or not is_stored_alike(buffer_type, tensor):
        return False
    if parameter_of(found.read.source) is not found.read.source:
        return False
    size = bytes_of(storage_of(tensor))
    start = gcd(*map(factor_of, found.first))
    axes = axes_of(buffer_type)
    whole = start * size % arch.dram_alignment == 0 and FACE * size % arch.dram_alignment == 0
    return whole and axes.row == 0 and axes.col == 1
