"""One buffer that holds unrelated values one after the other becomes one buffer for each kind of value.

`load X; X = f(X); store X` needs X between reader and compute first, and between compute and writer then. As
two buffers it needs no copies. Values belong together if some step may find either of them in the buffer;
they also stay together if the same roles write and read them.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects import scf
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.dialects import tile
from tilesmith.passes.effects import buffer_effects
from tilesmith.passes.staging import accesses_of, needs_copies, wanted_kind


class Site(NamedTuple):
    """A place where a buffer is read, or written."""

    op: Operation
    writes: bool


Reaching = frozenset[Site]


def split_buffers(block: Block, roles: dict[Operation, str]) -> None:
    """Split every buffer that would need copies between roles, as far as its values are unrelated."""
    for alloc in [op for op in block.walk() if isinstance(op, tile.AllocOp)]:
        accesses = accesses_of(alloc, roles)
        if accesses and needs_copies(accesses):
            _split(alloc, _Values(block, alloc).sites_by_value(), roles)


def _split(alloc: tile.AllocOp, values: list[list[Site]], roles: dict[Operation, str]) -> None:
    groups: dict[object, list[Site]] = {}
    for sites in values:
        sites = [site for site in sites if site.op is not alloc]
        use = frozenset((roles[op], writes, wanted_kind(op, alloc.buffer)) for op, writes in sites)
        groups.setdefault(use, []).extend(sites)
    for number, sites in enumerate(list(groups.values())[1:], start=2):
        other = alloc.clone()
        other.buffer_name = StringAttr(f"{alloc.buffer_name.data}_{number}")
        other.buffer.name_hint = other.buffer_name.data
        Rewriter.insert_op(other, InsertPoint.after(alloc))
        for site in sites:
            _replace(site, alloc.buffer, other.buffer)


def _replace(site: Site, old: SSAValue, new: SSAValue) -> None:
    if isinstance(site.op, tile.MapOp):
        out = len(site.op.ins)
        places = [out] if site.writes else range(out)
        for position in places:
            if site.op.operands[position] is old:
                site.op.operands[position] = new
        return
    for op in site.op.walk():
        for position, operand in enumerate(op.operands):
            if operand is old:
                op.operands[position] = new


class _Values:
    """Follows a buffer through the program and joins each read with all writes it may see."""

    def __init__(self, block: Block, alloc: tile.AllocOp) -> None:
        self.buffer = alloc.buffer
        self.alloc = alloc
        self.parent: dict[Site, Site] = {}
        self._block(block, frozenset())

    def sites_by_value(self) -> list[list[Site]]:
        values: dict[Site, list[Site]] = {}
        for site in self.parent:
            values.setdefault(self._root(site), []).append(site)
        return list(values.values())

    def _root(self, site: Site) -> Site:
        while self.parent.setdefault(site, site) != site:
            site = self.parent[site]
        return site

    def _join(self, one: Site, other: Site) -> None:
        self.parent[self._root(other)] = self._root(one)

    def _block(self, block: Block, reaching: Reaching) -> Reaching:
        for op in block.ops:
            reaching = self._op(op, reaching)
        return reaching

    def _op(self, op: Operation, reaching: Reaching) -> Reaching:
        match op:
            case scf.ForOp():
                return self._loop([op.body.block], reaching)
            case scf.WhileOp():
                return self._loop([op.before_region.block, op.after_region.block], reaching)
            case scf.IfOp():
                sides = [self._block(b, reaching) for region in op.regions for b in region.blocks]
                return frozenset().union(*sides, reaching if len(sides) < len(op.regions) else frozenset())
            case _:
                return self._step(op, reaching)

    def _loop(self, blocks: list[Block], before: Reaching) -> Reaching:
        """What the end of a round leaves reaches the next; any round may be the last."""
        while True:
            after = before
            for block in blocks:
                after |= self._block(block, after)
            if after == before:
                return before
            before = after

    def _step(self, op: Operation, reaching: Reaching) -> Reaching:
        if op is self.alloc:
            return frozenset({Site(op, True)})
        effects = buffer_effects(op)
        if self.buffer in effects.reads:
            for written in reaching:
                self._join(Site(op, False), written)
        if self.buffer not in effects.writes:
            return reaching
        made = Site(op, True)
        self._root(made)
        if self.buffer in effects.reads and not isinstance(op, tile.MapOp):
            self._join(made, Site(op, False))
        return frozenset({made})
