"""Kernels that are one matrix product in blocks, with work on its elements: which index goes along what.

Every element of such a result depends on its row and column alone, so that it does not matter in which
blocks it is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from xdsl.dialects import arith, scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from tilesmith.compiler.analysis.affine import linear_of
from tilesmith.compiler.analysis.index_expressions import constant_of, leaves_of
from tilesmith.compiler.analysis.product_loops import product_depths
from tilesmith.compiler.analysis.tile_geometry import TILE
from tilesmith.compiler.dialects.tile import (
    AllocOp,
    CopyOp,
    FillOp,
    GemmOp,
    GridOp,
    LoadOp,
    MapOp,
    StoreOp,
    numbers,
    place_of,
)
from tilesmith.compiler.dialects.types import BufferType, TensorType
from tilesmith.compiler.dialects.walk import walk

Axis = Literal["row", "col", "deep"]
Axes = dict[tuple[SSAValue, int], Axis]
"""What a dimension of a buffer goes along; those that go along nothing are left out."""
Index = tuple[str, int, int]
"""A block's place along an axis: all of a grid's index, or its remainder or quotient by a number."""
Transfer = LoadOp | StoreOp

_LAYOUTS = ("tiled", "row", "column")


@dataclass(frozen=True)
class BlockedProduct:
    """A grid that computes one product. `sizes` are what its blocks cover together, in elements."""

    grid: GridOp
    loop: scf.ForOp
    axes: Mapping[tuple[SSAValue, int], Axis]
    block: Mapping[Axis, int]
    sizes: Mapping[Axis, int]

    @property
    def gemms(self) -> list[GemmOp]:
        return [op for op in self.loop.body.block.ops if isinstance(op, GemmOp)]

    @property
    def transfers(self) -> list[Transfer]:
        return [op for op in walk(self.grid.body) if isinstance(op, LoadOp | StoreOp)]

    @property
    def stores(self) -> list[StoreOp]:
        return [op for op in self.transfers if isinstance(op, StoreOp)]

    @property
    def allocs(self) -> list[AllocOp]:
        return [op for op in self.grid.body.block.ops if isinstance(op, AllocOp)]

    def axis_of(self, op: Transfer, dim: int) -> Axis | None:
        """What a dimension of the tensor of a load or store goes along."""
        return self.axes.get((op.buffer, dim))


def blocked_product(grid: GridOp) -> BlockedProduct | None:
    """The product that a grid computes, if that is all it does."""
    loops = [op for op in grid.body.block.ops if isinstance(op, scf.ForOp)]
    if len(loops) != 1 or not all(map(_is_plain, grid.body.block.ops)):
        return None
    depths = product_depths(loops[0])
    gemms = [op for op in loops[0].body.block.ops if isinstance(op, GemmOp)]
    same_rows = {(op.a, bool(op.transpose_b)) for op in gemms}
    apart = {op.b for op in gemms} | {op.c for op in gemms}
    if not depths or len(same_rows) != 1 or len(apart) != 2 * len(gemms) or gemms[0].transpose_a:
        return None
    axes = _axes(grid, gemms)
    return None if axes is None else _product(grid, loops[0], gemms[0], axes)


def _is_plain(op: Operation) -> bool:
    """Whether an operation beside the loop works on elements alone, or brings and stores blocks."""
    match op:
        case AllocOp():
            return op.depth is None and op.stages is None
        case MapOp():
            indices = op.body.block.args[len(op.ins) :]
            return not any(index.uses for index in indices)
        case CopyOp():
            return op.is_whole
        case StoreOp():
            return not op.limits and not op.accumulate.data
        case LoadOp():
            return not op.limits and op.multicast is None
        case FillOp() | scf.ForOp():
            return True
        case _:
            return op.name.startswith("arith.")


def _dims(value: SSAValue) -> tuple[int, ...]:
    buffer_type = place_of(value)
    return buffer_type.dims if isinstance(buffer_type, BufferType) else ()


def _axes(grid: GridOp, gemms: list[GemmOp]) -> Axes | None:
    """What every dimension goes along, from the products on; None where two ways meet."""
    axes: Axes = {}
    for op in gemms:
        across, deep = (0, 1) if op.transpose_b else (1, 0)
        axes |= {(op.a, 0): "row", (op.a, 1): "deep", (op.b, deep): "deep", (op.b, across): "col"}
        axes |= {(op.c, 0): "row", (op.c, 1): "col"}
    links = [link for op in grid.body.block.ops for link in _links(op)]
    known = -1
    while known != len(axes):
        known = len(axes)
        for first, second in links:
            for here, there in ((first, second), (second, first)):
                if here in axes:
                    axes.setdefault(there, axes[here])
    return axes if all(axes.get(first) == axes.get(second) for first, second in links) else None


def _links(op: Operation) -> Iterator[tuple[tuple[SSAValue, int], tuple[SSAValue, int]]]:
    """The dimensions that an operation on elements lets go along the same."""
    if isinstance(op, MapOp):
        for value, entry in zip(op.ins, op.dims, strict=True):
            for dim, follows in enumerate(numbers(entry)):
                if follows >= 0:
                    yield (value, dim), (op.out, follows)
    elif isinstance(op, CopyOp):
        for dim, becomes in enumerate(numbers(op.dims)):
            if becomes >= 0:
                yield (op.source, dim), (op.dest, becomes)


def _product(grid: GridOp, loop: scf.ForOp, gemm: GemmOp, axes: Axes) -> BlockedProduct | None:
    """The product, if blocks lie side by side, and nothing else asks for their place."""
    block: dict[Axis, int] = {"row": _dims(gemm.c)[0], "col": _dims(gemm.c)[1], "deep": _dims(gemm.a)[1]}
    turns = constant_of(loop.ub)
    if turns is None or not _fit_blocks(axes, block):
        return None
    indices = _indices(grid, loop, axes, block)
    counts = None if indices is None else _counts(grid, indices)
    if counts is None or not _apart(grid) or not _only_offsets(grid, loop):
        return None
    rows, cols = counts
    sizes: dict[Axis, int] = {
        "row": rows * block["row"],
        "col": cols * block["col"],
        "deep": turns * block["deep"],
    }
    return BlockedProduct(grid, loop, axes, block, sizes)


def _fit_blocks(axes: Axes, block: Mapping[Axis, int]) -> bool:
    """Whether all that goes along an axis is as long as a block, in whole tiles."""
    for (buffer, dim), axis in axes.items():
        buffer_type = place_of(buffer)
        if (
            not isinstance(buffer_type, BufferType)
            or not isinstance(buffer.owner, AllocOp)
            or buffer_type.layout.data not in _LAYOUTS
            or buffer_type.dims[dim] != block[axis]
            or block[axis] % TILE
        ):
            return False
    return True


def _indices(
    grid: GridOp, loop: scf.ForOp, axes: Axes, block: Mapping[Axis, int]
) -> dict[Axis, Index | None] | None:
    """The index of the grid that goes along rows and columns; None if some place is given otherwise."""
    found: dict[Axis, Index | None] = {}
    for op in (one for one in walk(grid.body) if isinstance(one, LoadOp | StoreOp)):
        tensor = op.tensor.type
        if not isinstance(tensor, TensorType) or not isinstance(op.tensor, BlockArgument):
            return None
        along = [axes.get((op.buffer, dim)) for dim in numbers(op.dims)]
        in_blocks = len(list(filter(None, along))) == 2
        if (tensor.layout.data != "tile" and in_blocks) or (
            isinstance(op, StoreOp) and sorted(filter(None, along)) != ["col", "row"]
        ):
            return None
        for offset, axis in zip(op.offsets, along, strict=True):
            place = linear_of(offset)
            terms = {value: factor for value, factor in place.terms.items() if not _is_zero(value, grid)}
            if axis is None or axis == "deep":
                inside = set(terms) <= {loop.body.block.args[0]} if axis else not terms
                if not inside or (axis and place.constant):
                    return None
                continue
            index = _index(terms, grid, block[axis])
            if place.constant or (terms and index is None) or found.setdefault(axis, index) != index:
                return None
    return found


def _is_zero(value: SSAValue, grid: GridOp) -> bool:
    """Whether a value is an index of which there is one."""
    return (
        isinstance(value, BlockArgument)
        and value.owner is grid.body.block
        and (constant_of(grid.extents[value.index]) == 1)
    )


def _index(terms: Mapping[SSAValue, int], grid: GridOp, size: int) -> Index | None:
    if len(terms) != 1:
        return None
    ((value, factor),) = terms.items()
    part, number, of = "all", 1, value
    if isinstance(op := value.owner, arith.RemSIOp | arith.DivSIOp | arith.FloorDivSIOp):
        by = constant_of(op.rhs)
        part, number, of = "remainder" if isinstance(op, arith.RemSIOp) else "quotient", by or 0, op.lhs
    if factor != size or not number or not isinstance(of, BlockArgument) or of.owner is not grid.body.block:
        return None
    return part, of.index, number


def _counts(grid: GridOp, indices: Mapping[Axis, Index | None]) -> tuple[int, int] | None:
    """How many blocks go along rows and columns, if the grid's indices do nothing else."""
    extents = [constant_of(extent) for extent in grid.extents]
    left = {place for place, extent in enumerate(extents) if extent != 1}
    row, col = indices.get("row"), indices.get("col")
    used = [one for one in (row, col) if one is not None]
    if {place for _, place, _ in used} != left:
        return None
    if len(used) == 2 and used[0][1] == used[1][1]:
        (first, place, number), (second, _, other) = used
        extent = extents[place]
        if (
            {first, second} != {"remainder", "quotient"}
            or number != other
            or extent is None
            or extent % number
        ):
            return None
    elif any(part != "all" for part, _, _ in used):
        return None
    counts = [_count(one, extents) for one in (row, col)]
    return None if None in counts else (counts[0] or 0, counts[1] or 0)


def _count(index: Index | None, extents: list[int | None]) -> int | None:
    if index is None:
        return 1
    part, place, number = index
    extent = extents[place]
    return number if part == "remainder" else None if extent is None else extent // number


def _apart(grid: GridOp) -> bool:
    """Whether every tensor that is stored is stored once, and never loaded."""
    transfers = [op for op in walk(grid.body) if isinstance(op, LoadOp | StoreOp)]
    stored = [op.tensor for op in transfers if isinstance(op, StoreOp)]
    loaded = {op.tensor for op in transfers if isinstance(op, LoadOp)}
    return bool(stored) and len(set(stored)) == len(stored) and not loaded & set(stored)


def _only_offsets(grid: GridOp, loop: scf.ForOp) -> bool:
    """Whether the place of a block decides about nothing but what is loaded and stored."""
    places = {*grid.body.block.args, *loop.body.block.args}
    for op in walk(grid.body):
        if isinstance(op, LoadOp | StoreOp) or (op.name.startswith("arith.") and not _in_map(op)):
            continue
        if places & leaves_of(op.operands):
            return False
    return not any(_in_map(op) and places & leaves_of(op.operands) for op in walk(grid.body))


def _in_map(op: Operation) -> bool:
    return isinstance(op.parent_op(), MapOp)
