"""tile.reduce: tiles are combined in DST, then the lanes of one tile, and the result is spread over it."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from tilesmith.compiler.analysis.tile_geometry import tile_grid
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects import tt_compute as ttc
from tilesmith.compiler.dialects.conversions import fits
from tilesmith.compiler.dialects.tile import location_of
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.lowering.tiles.access import out_axes
from tilesmith.compiler.lowering.tiles.constants import ones
from tilesmith.compiler.lowering.tiles.rounding import is_rounded, round_slot
from tilesmith.compiler.lowering.tiles.stage import Dst, Stage, buffer_of, name_of
from tilesmith.compiler.lowering.transfers.build import Index
from tilesmith.errors import UnsupportedKernelError

_COMBINES = {"sum": "add", "abssum": "add", "max": "max", "absmax": "max", "min": "min"}
_POOLS = {"add": "sum", "max": "max", "min": "min"}
_RESULT, _NEXT, _OLD = 0, 1, 2


def lower_reduce(op: tile.ReduceOp, dst: Dst) -> None:
    reduction = op.reduction.data
    if reduction not in _COMBINES:
        raise UnsupportedKernelError(
            f"a reduction by {reduction} has no form on whole tiles",
            where=location_of(op),
            remedy=f"use one of {', '.join(_COMBINES)}, or a T.serial loop",
        )
    _Reduction(op, dst).lower()
    Rewriter.erase_op(op)


@dataclass(frozen=True)
class _Reduction:
    op: tile.ReduceOp
    dst: Dst

    @property
    def source(self) -> BufferType:
        return buffer_of(self.op.source)

    @property
    def dest(self) -> BufferType:
        return buffer_of(self.op.dest)

    @property
    def combine(self) -> str:
        return _COMBINES[self.op.reduction.data]

    @property
    def keeps_old(self) -> bool:
        return not bool(self.op.clear)

    @property
    def rounds(self) -> bool:
        makes_new = self.combine == "add" or not fits(self.source.element_type, self.dest.element_type)
        return is_rounded(self.dest) and makes_new

    @property
    def is_product(self) -> bool:
        """Whether sums of rows may be products with ones: exact for 16-bit tiles."""
        exact = self.source.format.data in ("Float16_b", "Bfp8_b", "Bfp4_b")
        along = self.source.layout.data != "flat" and self.op.dim.value.data == out_axes(self.source).col
        return self.op.reduction.data == "sum" and along and exact and self.dst.rounds and self.dst.wide

    def lower(self) -> None:
        stage = Stage(self.dst)
        tile_of_ones = ones(self.op, self.dst) if self.is_product else None
        axes = out_axes(self.dest)
        _, rows, cols = tile_grid(self.dest)
        with ExitStack() as loops:
            position: dict[int, Index] = {}
            for dim in axes.batch:
                position[dim] = loops.enter_context(stage.loop(self.dest.dims[dim], f"batch_{dim}"))
            row = loops.enter_context(stage.loop(rows, "row"))
            col = loops.enter_context(stage.loop(cols, "column"))
            position |= {axis: at for axis, at in ((axes.row, row), (axes.col, col)) if axis is not None}
            self._one_tile(stage, position, tile_of_ones)
        title = f"{name_of(self.op.dest)} = {self.op.reduction.data} of {name_of(self.op.source)}"
        ins = [self.op.source, self.op.dest] if self.keeps_old else [self.op.source]
        ins += [tile_of_ones] if tile_of_ones is not None else []
        title += f" along dimension {self.op.dim.value.data}"
        stage.place_before(self.op, title, ins, [self.op.dest], rotates=self.keeps_old)

    def _one_tile(self, stage: Stage, position: dict[int, Index], tile_of_ones: SSAValue | None) -> None:
        scope = stage.dst_section(3)
        with stage.inside(scope.math.block):
            if tile_of_ones is not None:
                slot = self._multiply_by_ones(stage, position, tile_of_ones)
            else:
                self._combine_tiles(stage, position)
                slot = self._combine_lanes(stage)
            if self.keeps_old:
                stage.move(self.op.dest, 0, _OLD)
                stage.vector(self.combine, [slot, _OLD, slot])
                stage.op(tt.PopFrontOp(self.op.dest, 1))
            if self.rounds:
                round_slot(stage, slot, _RESULT + _NEXT - slot, self.dest)
        with stage.inside(scope.pack.block):
            if self.keeps_old:
                stage.op(tt.ReserveBackOp(self.op.dest, 1))
            stage.pack(slot, self.op.dest)
            if self.keeps_old:
                stage.op(tt.PushBackOp(self.op.dest, 1))

    def _multiply_by_ones(self, stage: Stage, position: dict[int, Index], tile_of_ones: SSAValue) -> int:
        """The sum of a row in every column, from one product for each tile."""
        with stage.loop(self._tiles_along(), "k") as k:
            number = stage.value(self._number(stage, position, k))
            zero, slot = stage.value(0), stage.value(_RESULT)
            stage.op(
                ttc.MatmulBlockOp(
                    self.op.source,
                    number,
                    tile_of_ones,
                    zero,
                    slot,
                    rows=1,
                    columns=1,
                    stride=1,
                    transpose=False,
                )
            )
        return _RESULT

    # ---- from tiles to one tile ----

    def _combine_tiles(self, stage: Stage, position: dict[int, Index]) -> None:
        count = self._tiles_along()
        self._load(stage, self._number(stage, position, 0), _RESULT)
        if count == 1:
            return
        with stage.loop(count, "k", start=1) as k:
            self._load(stage, self._number(stage, position, k), _NEXT)
            stage.vector(self.combine, [_RESULT, _NEXT, _RESULT])

    def _load(self, stage: Stage, number: Index, slot: int) -> None:
        stage.move(self.op.source, number, slot)
        if self.op.reduction.data.startswith("abs"):
            stage.vector("abs", [slot])

    def _tiles_along(self) -> int:
        axes, dim = out_axes(self.source), self.op.dim.value.data
        _, rows, cols = tile_grid(self.source)
        if self.source.layout.data == "flat" or dim == axes.col:
            return cols
        return rows if dim == axes.row else self.source.dims[dim]

    def _number(self, stage: Stage, position: dict[int, Index], k: Index) -> Index:
        """The number of the source's tile, k-th along the reduced dimension."""
        axes, reduced = out_axes(self.source), self.op.dim.value.data
        _, rows, cols = tile_grid(self.source)
        if self.source.layout.data == "flat":
            return k

        def along(dim: int | None) -> Index:
            return 0 if dim is None else k if dim == reduced else position[self._dest_dim(dim)]

        grid: Index = 0
        for dim in axes.batch:
            grid = stage.add(stage.mul(grid, self.source.dims[dim]), along(dim))
        return stage.add(stage.mul(stage.add(stage.mul(grid, rows), along(axes.row)), cols), along(axes.col))

    def _dest_dim(self, dim: int) -> int:
        """The dimension of the result that a dimension of the source becomes."""
        dropped = len(self.dest.dims) < len(self.source.dims)
        return dim - 1 if dropped and dim > self.op.dim.value.data else dim

    # ---- from the lanes of a tile to its result ----

    def _combine_lanes(self, stage: Stage) -> int:
        """The slot with the result, all over every direction the result does not run along."""
        pool = _POOLS[self.combine]
        axes, target, dim = out_axes(self.source), out_axes(self.dest), self.op.dim.value.data
        flat = self.source.layout.data == "flat"
        across, down = flat or dim == axes.col, flat or dim == axes.row
        slot, spare = _RESULT, _NEXT
        if across:
            stage.vector("transpose", [slot])
            stage.vector(f"{pool}_columns", [slot])
            stage.spread_row(slot, spare)
            stage.vector("transpose", [spare])
            slot, spare = spare, slot
        elif axes.col is not None and target.col is None:
            stage.spread_column(slot, spare)
            slot, spare = spare, slot
        if down:
            stage.vector(f"{pool}_columns", [slot])
        if down or (axes.row is not None and target.row is None):
            stage.spread_row(slot, spare)
            slot, spare = spare, slot
        return slot
