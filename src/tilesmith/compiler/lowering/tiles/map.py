"""tile.map: the body as calls on slots, for as many tiles at a time as DST holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from tilesmith.compiler.analysis.formulas import formula_of
from tilesmith.compiler.analysis.tile_geometry import TILE, TILE_ELEMENTS, Axes, tile_grid, tiles_of
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects import tt_compute as ttc
from tilesmith.compiler.dialects.tile import location_of, numbers
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.lowering.tiles.access import Access, access, out_axes
from tilesmith.compiler.lowering.tiles.constants import counting, zeros
from tilesmith.compiler.lowering.tiles.expression import (
    AddTile,
    Apply,
    Count,
    Eltwise,
    Fill,
    Load,
    Origin,
    Reload,
    Scalar,
    Spread,
    Uniform,
)
from tilesmith.compiler.lowering.tiles.graph import graph_of
from tilesmith.compiler.lowering.tiles.inside import Inside, inside_of
from tilesmith.compiler.lowering.tiles.scalars import Scalars, uniforms_of
from tilesmith.compiler.lowering.tiles.schedule import Step, nodes_of
from tilesmith.compiler.lowering.tiles.spill import Section, sections_of
from tilesmith.compiler.lowering.tiles.stage import Dst, Stage, buffer_of, largest_divisor, name_of, temporary
from tilesmith.compiler.lowering.transfers.build import Index


def lower_map(op: tile.MapOp, dst: Dst) -> None:
    if op.parent is None:  # the product before has done it
        return
    where = location_of(op)
    accesses = [
        access(cb, numbers(follows), buffer_of(op.out), where)
        for cb, follows in zip(op.ins, op.dims, strict=True)
    ]
    sections = sections_of(graph_of(op, accesses, dst), dst.capacity)
    plain = _plain(op, accesses, dst)
    along = {node.along for one in sections for node in nodes_of(one.root) if isinstance(node, Count)}
    counts = {each: counting(op, each, dst) for each in sorted(along)}
    every = [*sections, *(plain.sections if plain else ())]
    if any(isinstance(node, AddTile) for section in every for node in nodes_of(section.root)):
        counts["zeros"] = zeros(op, dst)
    tile_of = BufferType.of((TILE, TILE), buffer_of(op.out).element_type, "local", "tiled", "Float32")
    parts = {
        section.into: temporary(op, f"{name_of(op.out)}_part", tile_of)
        for section in sections
        if section.into is not None
    }
    stage = Stage(dst)
    lowering = MapLowering(op, accesses, sections, counts, parts, Scalars(op), plain)
    lowering.emit(stage)
    ins = [*(cb for cb in op.ins if cb is not op.out), *counts.values()]
    if lowering.in_place:
        ins.append(op.out)
    stage.place_before(op, title_of(op), ins, [op.out], rotates=lowering.in_place)
    Rewriter.erase_op(op)


@dataclass(frozen=True)
class _Plain:
    """What a map is where no mask hides it: one section, for the tiles that lie inside."""

    inside: Inside
    sections: tuple[Section, ...]


def _plain(op: tile.MapOp, accesses: Sequence[Access], dst: Dst) -> _Plain | None:
    inside = inside_of(op)
    axes = out_axes(buffer_of(op.out))
    if inside is None or not set(inside.limits) <= {axes.row, axes.col}:
        return None
    sections = sections_of(graph_of(op, accesses, dst, inside.value), dst.capacity)
    counts = any(isinstance(node, Count) for one in sections for node in nodes_of(one.root))
    return None if len(sections) > 1 or counts else _Plain(inside, tuple(sections))


def title_of(op: tile.MapOp) -> str:
    names = [name_of(cb) for cb in op.ins]
    formula = formula_of(op, names, name_of(op.out))
    if formula is not None:
        return formula
    source = f" from {', '.join(dict.fromkeys(names))}" if names else ""
    return f"{name_of(op.out)}{source}, element by element"


@dataclass(frozen=True)
class Place:
    """Where a section is in the output: its first tile along the columns, and the other dimensions."""

    first: Index
    position: Mapping[int, Index]
    col: int | None = None

    def at(self, stage: Stage, i: Index) -> dict[int, Index]:
        if self.col is None:
            return dict(self.position)
        return {**self.position, self.col: stage.add(self.first, i)}


@dataclass(frozen=True)
class MapLowering:
    """One map on its way into a stage: what it reads, its sections, and what it needs besides its inputs."""

    op: tile.MapOp
    accesses: Sequence[Access]
    sections: Sequence[Section]
    counts: Mapping[str, SSAValue]
    parts: Mapping[Reload, SSAValue]
    scalars: Scalars
    plain: _Plain | None = None

    @property
    def out(self) -> BufferType:
        return buffer_of(self.op.out)

    @property
    def in_place(self) -> bool:
        return self.op.out in self.op.ins

    def emit(self, stage: Stage) -> None:
        every = [*self.sections, *(self.plain.sections if self.plain else ())]
        wanted = uniforms_of(node for one in every for node in nodes_of(one.root))
        self.scalars.compute(stage, wanted, {})
        if not self.counts and all(how.linear for how in self.accesses) and self.scalars.has(wanted):
            together = largest_divisor(tiles_of(self.out), self._room(stage, self.sections))
            with stage.loop(tiles_of(self.out), "tile", step=together) as first:
                self._rounds(stage, self.sections, together, Place(first, {}))
            return
        axes = out_axes(self.out)
        _, rows, cols = tile_grid(self.out)
        split = self.plain is not None and self.scalars.has(wanted)
        inside = self._inside(stage, axes, rows, cols) if split else None
        with ExitStack() as loops:
            position: dict[int, Index] = {}
            for dim in axes.batch:
                position[dim] = loops.enter_context(stage.loop(self.out.dims[dim], f"batch_{dim}"))
            if inside is None:
                self._matrix(stage, position, (0, rows), (0, cols), wanted)
            elif self.in_place:
                self._branch(stage, position, inside)
            else:
                self._split(stage, position, inside)

    def _room(self, stage: Stage, sections: Sequence[Section]) -> int:
        """How many tiles a section of DST can work on."""
        return stage.dst.capacity // max(one.plan.slots for one in sections) if len(sections) == 1 else 1

    def _inside(self, stage: Stage, axes: Axes, rows: int, cols: int) -> tuple[Index, Index]:
        """How many rows and columns of tiles no mask hides anything of."""
        assert self.plain is not None
        inside = self.plain.inside
        down = rows if axes.row is None else inside.tiles(stage, self.op, axes.row, rows)
        across = cols if axes.col is None else inside.tiles(stage, self.op, axes.col, cols)
        together = largest_divisor(cols, self._room(stage, self.plain.sections))
        return down, stage.mul(stage.div(across, together), together)

    def _split(self, stage: Stage, position: Mapping[int, Index], inside: tuple[Index, Index]) -> None:
        """Rows that lie inside: plain up to the mask of the columns, masked from there. Then the others."""
        assert self.plain is not None
        _, rows, cols = tile_grid(self.out)
        down, across = inside
        plain = self.plain.sections
        with stage.loop(down, "row") as row:
            self._matrix(stage, position, (row, None), (0, across), (), plain)
            self._matrix(stage, position, (row, None), (across, cols), ())
        self._matrix(stage, position, (down, rows), (0, cols), ())

    def _branch(self, stage: Stage, position: Mapping[int, Index], inside: tuple[Index, Index]) -> None:
        """The same where tiles are popped and pushed: every turn of a loop does so with as many."""
        assert self.plain is not None
        _, rows, cols = tile_grid(self.out)
        axes, plain = out_axes(self.out), self.plain.sections
        together = largest_divisor(cols, self._room(stage, plain))
        with stage.loop(rows, "row") as row, stage.loop(cols, "column", step=together) as col:
            place = {**position, axes.row: row} if axes.row is not None else dict(position)
            with stage.when(stage.all((stage.less(row, inside[0]), stage.less(col, inside[1])))):
                self._rounds(stage, plain, together, Place(col, place, axes.col))
            with stage.otherwise(), stage.loop(together, "tile") as i:
                self._rounds(stage, self.sections, 1, Place(stage.add(col, i), place, axes.col))

    def _matrix(
        self,
        stage: Stage,
        position: Mapping[int, Index],
        rows: tuple[Index, Index | None],
        cols: tuple[Index, Index],
        wanted: Sequence[Uniform],
        sections: Sequence[Section] = (),
    ) -> None:
        """All tiles of some rows, or of one, and some columns."""
        sections, axes = sections or self.sections, out_axes(self.out)
        even = isinstance(cols[0], int)
        together = largest_divisor(tile_grid(self.out)[2], self._room(stage, sections)) if even else 1
        with ExitStack() as loops:
            first, stop = rows
            row = first if stop is None else loops.enter_context(stage.loop(stop, "row", first))
            col = loops.enter_context(stage.loop(cols[1], "column", cols[0], together))
            place = {**position, axes.row: row} if axes.row is not None else dict(position)
            self.scalars.compute(stage, wanted, place)
            self._rounds(stage, sections, together, Place(col, place, axes.col))

    def _rounds(self, stage: Stage, sections: Sequence[Section], together: int, place: Place) -> None:
        for section in sections:
            scope = stage.dst_section(section.plan.slots * together)
            with stage.inside(scope.math.block):
                for step in section.plan.steps:
                    with stage.loop(together, "i") as i:
                        self.step(stage, step, together, i, place)
                # What nobody will read again goes before the packer needs its room.
                for part in section.last_used:
                    stage.op(tt.PopFrontOp(self.parts[part], 1))
                if section.into is None and self.in_place:
                    stage.op(tt.PopFrontOp(self.op.out, together))
            with stage.inside(scope.pack.block):
                self._pack(stage, section, together)
            if section.into is not None:
                stage.op(tt.WaitFrontOp(self.parts[section.into], 1))

    def _pack(self, stage: Stage, section: Section, together: int) -> None:
        target = self.op.out if section.into is None else self.parts[section.into]
        hands_over = section.into is not None or self.in_place
        if hands_over:
            stage.op(tt.ReserveBackOp(target, together))
        with stage.loop(together, "i") as i:
            stage.pack(stage.add(section.plan.result * together, i), target)
        if hands_over:
            stage.op(tt.PushBackOp(target, together))

    def step(
        self, stage: Stage, step: Step, together: int, i: Index, place: Place, lane: Index | None = None
    ) -> None:
        """One call on the tile of a place; its slots are `lane`, or `i`, among those that go together."""

        def slot(number: int) -> Index:
            return stage.add(number * together, i if lane is None else lane)

        result = slot(step.result)
        if step.copies_from is not None:
            stage.vector("copy_slot", [slot(step.copies_from), result])
        match step.node:
            case Load(number, turned):
                move = "transpose" if turned else "copy"
                stage.move(self.accesses[number].cb, self._tile(stage, number, i, place), result, move)
            case Reload() as node:
                stage.move(self.parts[node], 0, result)
            case Count(along):
                stage.move(self.counts[along], 0, result)
            case Fill(value):
                stage.vector("fill", [result], [self._param(stage, value, i, place)])
            case Eltwise() as node:
                self._eltwise(stage, node, result, i, place)
            case AddTile(_, added):
                zero = stage.value(0)
                a, a_tile = (
                    self.accesses[added.number].cb,
                    stage.value(self._tile(stage, added.number, i, place)),
                )
                stage.op(
                    ttc.EltwiseTilesOp(
                        "add", a, a_tile, self.counts["zeros"], zero, stage.value(result), True
                    )
                )
            case Spread():
                stage.spread_row(slot(step.args[0]), result)
            case Apply(fn, inputs, params):
                slots = [result] if len(inputs) == 1 else [*(slot(arg) for arg in step.args), result]
                stage.vector(fn, slots, [self._param(stage, value, i, place) for value in params])

    def _eltwise(self, stage: Stage, node: Eltwise, slot: Index, i: Index, place: Place) -> None:
        numbers_of = [load.number for load in (node.left, node.right)]
        a, b = (self.accesses[number].cb for number in numbers_of)
        a_tile, b_tile = (stage.value(self._tile(stage, number, i, place)) for number in numbers_of)
        stage.op(ttc.EltwiseTilesOp(node.fn, a, a_tile, b, b_tile, stage.value(slot)))

    def _tile(self, stage: Stage, number: int, i: Index, place: Place) -> Index:
        how = self.accesses[number]
        if how.cb is self.op.out:
            return i  # what is done with is popped, so the tiles of this section are always the first
        if place.col is None and not place.position:
            return 0 if tiles_of(buffer_of(how.cb)) == 1 else stage.add(place.first, i)
        return how.tile(stage, place.at(stage, i))

    def _param(self, stage: Stage, value: Scalar, i: Index, place: Place) -> SSAValue:
        match value:
            case float():
                return stage.number(value)
            case Uniform():
                return self.scalars.values[value]
            case Origin(dim):
                if self.out.layout.data == "flat":
                    return stage.as_float(stage.mul(stage.add(place.first, i), TILE_ELEMENTS))
                return stage.as_float(stage.mul(place.at(stage, i)[dim], TILE))
