"""tile.map: the body as calls on slots, for as many tiles at a time as DST holds."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects import arith
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from tilesmith.dialects import tile, tt
from tilesmith.dialects import tt_compute as ttc
from tilesmith.dialects.tile import location_of
from tilesmith.dialects.types import BufferType
from tilesmith.passes.formulas import formula_of
from tilesmith.passes.geometry import TILE, TILE_ELEMENTS, tile_grid, tiles_of
from tilesmith.passes.layout_wishes import numbers
from tilesmith.passes.tiles.access import Access, access, out_axes
from tilesmith.passes.tiles.constants import counting
from tilesmith.passes.tiles.expression import (
    Apply,
    Count,
    Eltwise,
    Fill,
    Load,
    Node,
    Origin,
    Reload,
    Scalar,
    Spread,
    Uniform,
)
from tilesmith.passes.tiles.schedule import Schedule, Step, nodes_of, schedule
from tilesmith.passes.tiles.spill import Spilled, spill
from tilesmith.passes.tiles.stage import Dst, Stage, buffer_of, largest_divisor, name_of, temporary
from tilesmith.passes.tiles.translate import Translator, quotient, remainder
from tilesmith.passes.transfers.build import Index

_MATRIX_UNIT = ("add", "sub", "mul")
_EXACT_ON_MATRIX_UNIT = ("Float16_b", "Bfp8_b", "Bfp4_b")


def lower_map(op: tile.MapOp, dst: Dst) -> None:
    _Map(op, dst).lower()
    Rewriter.erase_op(op)


@dataclass
class _Map:
    """One map on its way to a stage."""

    op: tile.MapOp
    dst: Dst
    accesses: list[Access] = field(default_factory=list)
    scalars: dict[tuple[SSAValue, bool], SSAValue] = field(default_factory=dict)
    counts: dict[str, SSAValue] = field(default_factory=dict)
    temporaries: dict[Reload, SSAValue] = field(default_factory=dict)

    @property
    def out(self) -> BufferType:
        return buffer_of(self.op.out)

    @property
    def in_place(self) -> bool:
        return self.op.out in self.op.ins

    def lower(self) -> None:
        where = location_of(self.op)
        for cb, follows in zip(self.op.ins, self.op.dims, strict=True):
            self.accesses.append(access(cb, numbers(follows), self.out, where))
        root = self._graph()
        for node in nodes_of(root):
            if isinstance(node, Count):
                self.counts[node.along] = counting(self.op, node.along, self.dst)
        plan = schedule(root, self.dst.capacity)
        rounds = [Spilled(root, None)] if plan.slots <= self.dst.capacity else spill(root, self.dst.capacity)
        for spilled in rounds:
            if spilled.into is not None:
                tile_of = BufferType.of((TILE, TILE), self.out.element_type, "local", "tiled", "Float32")
                self.temporaries[spilled.into] = temporary(self.op, f"{name_of(self.op.out)}_part", tile_of)
        stage = Stage(self.dst)
        self._emit(stage, [(one, schedule(one.root, self.dst.capacity)) for one in rounds])
        used = [cb for cb in self.op.ins if cb is not self.op.out]
        ins = [*used, *self.counts.values(), *([self.op.out] if self.in_place else [])]
        stage.place_before(self.op, self._title(), ins, [self.op.out], rotates=self.in_place)

    def _title(self) -> str:
        names = [name_of(cb) for cb in self.op.ins]
        formula = formula_of(self.op, names, name_of(self.op.out))
        if formula is not None:
            return formula
        source = f" from {', '.join(dict.fromkeys(names))}" if names else ""
        return f"{name_of(self.op.out)}{source}, element by element"

    # ---- the graph ----

    def _graph(self) -> Node:
        block = self.op.body.block
        arguments: dict[SSAValue, Node] = {}
        for number, arg in enumerate(block.args[: len(self.op.ins)]):
            arguments[arg] = self._load(number)
        for dim, arg in enumerate(block.args[len(self.op.ins) :]):
            node = self._index(dim)
            if node is not None:
                arguments[arg] = node
        last = block.last_op
        assert isinstance(last, tile.YieldOp)
        return self._on_matrix_unit(Translator(block, arguments).node(last.value))

    def _load(self, number: int) -> Node:
        how = self.accesses[number]
        node: Node = Load(number, how.turned)
        for direction in how.spreads:
            node = Spread(direction, node)
        return node

    def _index(self, dim: int) -> Node | None:
        """The index along a dimension, where it differs over a tile."""
        dims = self.out.dims
        if self.out.layout.data == "flat":
            element = _from(dim, Count("flat"), self.out.elements > TILE_ELEMENTS)
            place = quotient(element, float(prod(dims[dim + 1 :])))
            return place if dim == 0 else remainder(place, float(dims[dim]))
        axes = out_axes(self.out)
        along = {axes.row: "row", axes.col: "col"}.get(dim)
        return None if along is None else _from(dim, Count(along), dims[dim] > TILE)

    def _on_matrix_unit(self, root: Node) -> Node:
        """A sum, difference or product of two 16-bit tiles at the root of the graph needs no vector unit."""
        if not isinstance(root, Apply) or root.fn not in _MATRIX_UNIT:
            return root
        left, right = root.args
        if not isinstance(left, Load) or not isinstance(right, Load) or left.turned or right.turned:
            return root
        kinds = [buffer_of(self.accesses[load.number].cb) for load in (left, right)]
        if root.fn != "mul":
            # Sums come out with eleven bits, which is enough for 16-bit results only.
            kinds.append(self.out)
        if any(kind.format.data not in _EXACT_ON_MATRIX_UNIT for kind in kinds):
            return root
        return Eltwise(root.fn, left, right)

    # ---- the stage ----

    def _emit(self, stage: Stage, rounds: list[tuple[Spilled, Schedule]]) -> None:
        self._scalars(stage, rounds, {})
        slots = max(plan.slots for _, plan in rounds)
        room = self.dst.capacity // slots if len(rounds) == 1 else 1
        loads = [self.accesses[number] for number in range(len(self.op.ins))]
        plain = not any(isinstance(node, Count) for one, _ in rounds for node in nodes_of(one.root))
        if plain and all(how.linear for how in loads) and not self._batch_scalars(rounds):
            together = largest_divisor(tiles_of(self.out), room)
            with stage.loop(tiles_of(self.out), "tile", step=together) as first:
                self._rounds(stage, rounds, together, _Place(first, {}))
            return
        axes = out_axes(self.out)
        _, rows, cols = tile_grid(self.out)
        together = largest_divisor(cols, room)
        with ExitStack() as loops:
            position: dict[int, Index] = {}
            for dim in axes.batch:
                position[dim] = loops.enter_context(stage.loop(self.out.dims[dim], f"batch_{dim}"))
            row = loops.enter_context(stage.loop(rows, "row"))
            col = loops.enter_context(stage.loop(cols, "column", step=together))
            if axes.row is not None:
                position[axes.row] = row
            self._scalars(stage, rounds, position)
            self._rounds(stage, rounds, together, _Place(col, position, axes.col))

    def _rounds(
        self, stage: Stage, rounds: list[tuple[Spilled, Schedule]], together: int, place: _Place
    ) -> None:
        for spilled, plan in rounds:
            scope = stage.round(plan.slots * together)
            with stage.inside(scope.math.block):
                for step in plan.steps:
                    with stage.loop(together, "i") as i:
                        self._step(stage, step, together, i, place)
                self._pop(stage, spilled, together)
            target = self.op.out if spilled.into is None else self.temporaries[spilled.into]
            self._pack(stage, scope, plan.result, together, target, spilled.into is not None or self.in_place)
            if spilled.into is not None:
                stage.op(tt.WaitFrontOp(target, 1))

    def _pop(self, stage: Stage, spilled: Spilled, together: int) -> None:
        """What nobody will read again goes before the packer needs its room."""
        for node in nodes_of(spilled.root):
            if isinstance(node, Reload):
                stage.op(tt.PopFrontOp(self.temporaries[node], 1))
        if spilled.into is None and self.in_place:
            stage.op(tt.PopFrontOp(self.op.out, together))

    def _pack(
        self, stage: Stage, scope: ttc.DstOp, slot: int, together: int, target: SSAValue, rotates: bool
    ) -> None:
        with stage.inside(scope.pack.block):
            if rotates:
                stage.op(tt.ReserveBackOp(target, together))
            with stage.loop(together, "i") as i:
                stage.pack(stage.add(slot * together, i), target)
            if rotates:
                stage.op(tt.PushBackOp(target, together))

    def _step(self, stage: Stage, step: Step, together: int, i: Index, place: _Place) -> None:
        def slot(number: int) -> Index:
            return stage.add(number * together, i)

        result = slot(step.result)
        if step.copies_from is not None:
            stage.vector("copy_slot", [slot(step.copies_from), result])
        match step.node:
            case Load(number, turned):
                kind = "transpose" if turned else "copy"
                stage.move(self.accesses[number].cb, self._tile(stage, number, i, place), result, kind)
            case Reload() as node:
                stage.move(self.temporaries[node], 0, result)
            case Count(along):
                stage.move(self.counts[along], 0, result)
            case Fill(value):
                stage.vector("fill", [result], [self._param(stage, value, i, place)])
            case Eltwise(kind, left, right):
                tiles = [self._tile(stage, load.number, i, place) for load in (left, right)]
                a, b = (self.accesses[load.number].cb for load in (left, right))
                stage.op(
                    ttc.EltwiseTilesOp(
                        kind, a, stage.value(tiles[0]), b, stage.value(tiles[1]), stage.value(result)
                    )
                )
            case Spread(direction, _):
                stage.vector("fill", [result], [stage.number(1.0)])
                stage.vector(f"spread_{direction}", [slot(step.args[0]), result])
            case Apply(fn, inputs, params):
                slots = [result] if len(inputs) == 1 else [*(slot(arg) for arg in step.args), result]
                stage.vector(fn, slots, [self._param(stage, value, i, place) for value in params])

    def _tile(self, stage: Stage, number: int, i: Index, place: _Place) -> Index:
        how = self.accesses[number]
        if how.cb is self.op.out:
            return i  # what is done with is popped, so the tiles of this round are always the first
        if place.col is None and not place.position:
            return 0 if tiles_of(buffer_of(how.cb)) == 1 else stage.add(place.first, i)
        return how.tile(stage, place.at(stage, i))

    # ---- scalars ----

    def _param(self, stage: Stage, value: Scalar, i: Index, place: _Place) -> SSAValue:
        match value:
            case float():
                return stage.number(value)
            case Uniform(scalar, inverse):
                return self.scalars[scalar, inverse]
            case Origin(dim):
                if self.out.layout.data == "flat":
                    return stage.as_float(stage.mul(stage.add(place.first, i), TILE_ELEMENTS))
                return stage.as_float(stage.mul(place.at(stage, i)[dim], TILE))

    def _uniforms(self, rounds: list[tuple[Spilled, Schedule]]) -> list[Uniform]:
        found: dict[Uniform, None] = {}
        for spilled, _ in rounds:
            for node in nodes_of(spilled.root):
                values = (
                    node.params
                    if isinstance(node, Apply)
                    else (node.value,)
                    if isinstance(node, Fill)
                    else ()
                )
                found |= {value: None for value in values if isinstance(value, Uniform)}
        return list(found)

    def _batch_scalars(self, rounds: list[tuple[Spilled, Schedule]]) -> bool:
        return any((one.value, one.inverse) not in self.scalars for one in self._uniforms(rounds))

    def _scalars(
        self, stage: Stage, rounds: list[tuple[Spilled, Schedule]], position: Mapping[int, Index]
    ) -> None:
        """Compute every scalar once, as soon as it can be: for all tiles, or for a batch."""
        block = self.op.body.block
        known: dict[SSAValue, SSAValue] = {}
        for dim, arg in enumerate(block.args[len(self.op.ins) :]):
            if dim in position and dim in out_axes(self.out).batch:
                known[arg] = stage.value(position[dim])
        for one in self._uniforms(rounds):
            key = one.value, one.inverse
            if key in self.scalars or not _is_computable(one.value, block, known):
                continue
            value = stage.as_float(_copied(stage, one.value, self.op, known))
            if one.inverse:
                value = stage.op(arith.DivfOp(stage.number(1.0), value)).results[0]
            self.scalars[key] = value


def _from(dim: int, count: Count, many: bool) -> Node:
    """A counting tile, counting from where the current tile begins if there are many."""
    return Apply("add_number", (count,), (Origin(dim),)) if many else count


@dataclass(frozen=True)
class _Place:
    """Where a round is in the output: the first of its tiles along the columns, and the other dimensions."""

    first: Index
    position: Mapping[int, Index]
    col: int | None = None

    def at(self, stage: Stage, i: Index) -> dict[int, Index]:
        if self.col is None:
            return dict(self.position)
        return {**self.position, self.col: stage.add(self.first, i)}


def _is_computable(value: SSAValue, body: Block, known: Mapping[SSAValue, SSAValue]) -> bool:
    if isinstance(value, BlockArgument):
        return value.block is not body or value in known
    owner = value.owner
    assert isinstance(owner, Operation)
    return owner.parent is not body or all(_is_computable(one, body, known) for one in owner.operands)


def _copied(stage: Stage, value: SSAValue, op: tile.MapOp, known: dict[SSAValue, SSAValue]) -> SSAValue:
    """The value of a scalar of the body, computed in the stage."""
    owner = value.owner
    if value in known:
        return known[value]
    if (
        isinstance(value, BlockArgument)
        or not isinstance(owner, Operation)
        or owner.parent is not op.body.block
    ):
        return value
    operands = {operand: _copied(stage, operand, op, known) for operand in owner.operands}
    copy = owner.clone(value_mapper=operands)
    stage.op(copy)
    known[value] = copy.results[0]
    return known[value]
