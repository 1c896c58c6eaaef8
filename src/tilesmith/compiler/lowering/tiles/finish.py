"""What is done to the elements of a product right after it: the sums stay in DST, and never go to L1.

A map that reads a sum once, where the matrix unit has made it, needs no slot but that of the sum. So the
section of DST that added up the products goes on with the map, and packs the map's result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.memory_effects import buffer_effects
from tilesmith.compiler.analysis.tile_geometry import tile_grid
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.tile import location_of, numbers
from tilesmith.compiler.lowering.tiles.access import Access, access, out_axes
from tilesmith.compiler.lowering.tiles.constants import zeros
from tilesmith.compiler.lowering.tiles.expression import AddTile, Apply, Fill, Load, Node, Origin, Uniform
from tilesmith.compiler.lowering.tiles.graph import graph_of
from tilesmith.compiler.lowering.tiles.inside import inside_of
from tilesmith.compiler.lowering.tiles.map import MapLowering, Place, title_of
from tilesmith.compiler.lowering.tiles.scalars import Scalars
from tilesmith.compiler.lowering.tiles.schedule import nodes_of
from tilesmith.compiler.lowering.tiles.spill import Section, sections_of
from tilesmith.compiler.lowering.tiles.stage import Dst, Stage, buffer_of
from tilesmith.compiler.lowering.transfers.build import Index


@dataclass(frozen=True)
class Finish:
    """The map after a product, and the operations between them that must come after both."""

    op: tile.MapOp
    section: Section
    lowering: MapLowering
    releases: tuple[tt.ReleaseOp, ...]

    @property
    def ins(self) -> list[SSAValue]:
        """What the map reads besides the sums."""
        loaded = (self.lowering.accesses[node.added.number].cb for node in self._added())
        return [*dict.fromkeys(loaded), *self.lowering.counts.values()]

    def _added(self) -> Iterator[AddTile]:
        return (node for node in nodes_of(self.section.root) if isinstance(node, AddTile))

    @property
    def title(self) -> str:
        return title_of(self.op)

    def emit(
        self,
        stage: Stage,
        place: tuple[Index, Index],
        size: tuple[int, int],
        slots: dict[tuple[int, int], int],
    ) -> None:
        """The steps of the map on every tile of a block; `slots` says where each is."""
        axes, (row, column), (height, width) = out_axes(self.lowering.out), place, size
        assert axes.row is not None
        together = height * width
        for step in self.section.plan.steps[1:]:
            if min(height, width) == 1:
                with stage.loop(together, "i") as i:
                    down, across = (row, stage.add(column, i)) if height == 1 else (stage.add(row, i), column)
                    here = Place(across, {axes.row: down}, axes.col)
                    self.lowering.step(stage, step, together, 0, here, i)
                continue
            for (i, j), slot in slots.items():
                here = Place(stage.add(column, j), {axes.row: stage.add(row, i)}, axes.col)
                self.lowering.step(stage, step, together, 0, here, slot)

    def end(self, sums: SSAValue) -> None:
        """Take the map away, and with it the memory of the sums."""
        for release in self.releases:
            Rewriter.insert_op(tt.ReleaseOp(release.cb), InsertPoint.before(self.op))
            Rewriter.erase_op(release)
        Rewriter.erase_op(self.op)
        for use in list(sums.uses):
            assert isinstance(use.operation, tt.ReleaseOp)
            Rewriter.erase_op(use.operation)
        assert isinstance(sums.owner, Operation)
        Rewriter.erase_op(sums.owner)


def finish_of(last: tile.GemmOp, products: list[tile.GemmOp], dst: Dst) -> Finish | None:
    """The map that can go on with the sums of products in DST, if there is one; `last` is their last."""
    sums = last.c
    if not dst.wide or buffer_of(sums).format.data != "Float32":
        return None
    found = _map_after(last, products)
    if found is None:
        return None
    op, releases = found
    # The map packs into its output while the operands of the product are still being read.
    factors = {cb for one in products for cb in (one.a, one.b)}
    if not _reads_alone(op, sums, products) or inside_of(op) is not None or op.out in {*op.ins, *factors}:
        return None
    where = location_of(op)
    accesses = [
        access(cb, numbers(follows), buffer_of(op.out), where)
        for cb, follows in zip(op.ins, op.dims, strict=True)
    ]
    if not _same_place(op, sums, accesses):
        return None
    sections = sections_of(graph_of(op, accesses, dst, sums=sums), dst.capacity)
    if len(sections) > 1 or not _continues(sections[0], accesses, sums):
        return None
    needs_zeros = any(isinstance(node, AddTile) for node in nodes_of(sections[0].root))
    counts = {"zeros": zeros(op, dst)} if needs_zeros else {}
    lowering = MapLowering(op, accesses, sections, counts, {}, Scalars(op))
    return Finish(op, sections[0], lowering, releases)


def _map_after(
    last: tile.GemmOp, products: list[tile.GemmOp]
) -> tuple[tile.MapOp, tuple[tt.ReleaseOp, ...]] | None:
    """The first map after a product that reads its sums, if nothing between them does compute's work."""
    operands = {cb for one in products for cb in (one.a, one.b, one.c)}
    releases: list[tt.ReleaseOp] = []
    at = last.next_op
    while at is not None:
        if isinstance(at, tile.MapOp):
            return (at, tuple(releases)) if last.c in at.ins else None
        if isinstance(at, tt.ReleaseOp):
            if at.cb in operands:
                releases.append(at)
        elif not at.name.startswith("arith.") and not (
            isinstance(at, tile.LoadOp) and operands.isdisjoint(buffer_effects(at).touches)
        ):
            return None
        at = at.next_op
    return None


def _reads_alone(op: tile.MapOp, sums: SSAValue, products: list[tile.GemmOp]) -> bool:
    """Whether nobody but the map reads the sums."""
    users = {use.operation for use in sums.uses}
    return all(user is op or user in products or isinstance(user, tt.ReleaseOp) for user in users)


def _same_place(op: tile.MapOp, sums: SSAValue, accesses: list[Access]) -> bool:
    """Whether each tile of the result comes from the tile of the sums at its place."""
    axes, out = out_axes(buffer_of(op.out)), buffer_of(op.out)
    if axes.row is None or axes.col is None or axes.batch or tile_grid(out) != tile_grid(buffer_of(sums)):
        return False
    own = [how for how in accesses if how.cb is sums]
    return all(how.linear and not how.turned and not how.spreads for how in own)


def _continues(section: Section, accesses: list[Access], sums: SSAValue) -> bool:
    """Whether a map works on the sums in place: they come first, once, and nothing needs another slot."""
    first, *others = section.plan.steps
    if section.plan.slots != 1 or not isinstance(first.node, Load) or first.node.turned:
        return False
    if accesses[first.node.number].cb is not sums:
        return False
    return all(_is_in_place(step.node, accesses, sums) for step in others)


def _is_in_place(node: Node, accesses: list[Access], sums: SSAValue) -> bool:
    if isinstance(node, AddTile):
        return accesses[node.added.number].cb is not sums
    if not isinstance(node, Apply) or len(node.inputs) != 1:
        return False
    return not any(isinstance(value, Uniform | Origin | Fill) for value in node.params)
