"""One buffer that holds unrelated values one after the other becomes one buffer for each kind of value.

`load X; X = f(X); store X` needs X between reader and compute first, and between compute and writer then. As
two buffers it needs no copies. Values belong together if some step may find either of them in the buffer;
they also stay together if the same roles write and read them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects import scf
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.buffer_access import accesses_by_buffer, needs_copies, requested_type
from tilesmith.compiler.analysis.memory_effects import Effects, buffer_effects
from tilesmith.compiler.analysis.roles import CONTROL, roles_in
from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.walk import walk
from tilesmith.compiler.pass_group import FunctionPass


@dataclass(frozen=True)
class SplitBuffers(FunctionPass):
    """Give unrelated values of one buffer buffers of their own."""

    name = "split-buffers"

    def rewrite(self, func: tile.FuncOp) -> None:
        split_buffers(func.body.block, roles_in(func.body.block))


class Site(NamedTuple):
    """A place where a buffer is read, or written."""

    op: Operation
    buffer: SSAValue
    writes: bool


Reaching = dict[SSAValue, frozenset[Site]]
"""For each buffer, where what it holds may have been written."""


def split_buffers(block: Block, roles: dict[Operation, str]) -> None:
    """Split every buffer that would need copies between roles, as far as its values are unrelated."""
    torn = [buffer for buffer, accesses in accesses_by_buffer(roles).items() if needs_copies(accesses)]
    if torn:
        values = _Values(block, set(torn))
        for buffer in torn:
            _split(buffer, values.of(buffer), roles)


def _split(buffer: SSAValue, values: list[list[Site]], roles: dict[Operation, str]) -> None:
    alloc = buffer.owner
    assert isinstance(alloc, tile.AllocOp)
    groups: dict[object, list[Site]] = {}
    for sites in values:
        steps = [site for site in sites if site.op is not alloc]
        use = frozenset((roles[site.op], site.writes, requested_type(site.op, buffer)) for site in steps)
        groups.setdefault(use, []).extend(steps)
    for number, steps in enumerate(list(groups.values())[1:], start=2):
        other = alloc.clone()
        other.buffer_name = StringAttr(f"{alloc.buffer_name.data}_{number}")
        Rewriter.insert_op(other, InsertPoint.after(alloc))
        for site in steps:
            _replace(site, other.buffer)


def _replace(site: Site, new: SSAValue) -> None:
    """Let a step read or write another buffer. Only a map can read one value and write another."""
    if isinstance(site.op, tile.MapOp):
        out = len(site.op.ins)
        for position in [out] if site.writes else range(out):
            if site.op.operands[position] is site.buffer:
                site.op.operands[position] = new
        return
    for op in walk(site.op):
        for position, operand in enumerate(op.operands):
            if operand is site.buffer:
                op.operands[position] = new


class _Values:
    """Follows buffers through the program and joins each read with all writes it may see."""

    def __init__(self, block: Block, buffers: set[SSAValue]) -> None:
        self.buffers = buffers
        self.parent: dict[Site, Site] = {}
        self._block(block, {})

    def of(self, buffer: SSAValue) -> list[list[Site]]:
        """The sites of each value of a buffer, in program order."""
        values: dict[Site, list[Site]] = {}
        for site in self.parent:
            if site.buffer is buffer:
                values.setdefault(self._root(site), []).append(site)
        return list(values.values())

    def _root(self, site: Site) -> Site:
        while self.parent.setdefault(site, site) != site:
            site = self.parent[site]
        return site

    def _join(self, first: Site, other: Site) -> None:
        self.parent[self._root(other)] = self._root(first)

    def _block(self, block: Block, reaching: Reaching) -> None:
        for op in block.ops:
            if type(op) in CONTROL:
                self._control(op, reaching)
            else:
                self._step(op, reaching)

    def _control(self, op: Operation, reaching: Reaching) -> None:
        if isinstance(op, scf.IfOp):
            sides = [dict(reaching) for _ in op.regions]
            for region, side in zip(op.regions, sides, strict=True):
                for block in region.blocks:
                    self._block(block, side)
            reaching.clear()
            for side in sides:
                _add(side, reaching)
        else:
            self._loop([block for region in op.regions for block in region.blocks], reaching)

    def _loop(self, blocks: list[Block], reaching: Reaching) -> None:
        """What the end of an iteration leaves reaches the next; any iteration may be the last."""
        while True:
            after = dict(reaching)
            for block in blocks:
                self._block(block, after)
            if not _add(after, reaching):
                return

    def _step(self, op: Operation, reaching: Reaching) -> None:
        if isinstance(op, tile.AllocOp):
            if op.buffer in self.buffers:
                reaching[op.buffer] = frozenset({Site(op, op.buffer, True)})
            return
        effects = buffer_effects(op)
        for buffer in effects.touches:
            if buffer in self.buffers:
                self._use(op, buffer, effects, reaching)

    def _use(self, op: Operation, buffer: SSAValue, effects: Effects, reaching: Reaching) -> None:
        read, written = Site(op, buffer, False), Site(op, buffer, True)
        if buffer in effects.reads:
            for site in reaching.get(buffer, frozenset()):
                self._join(read, site)
        if buffer in effects.writes:
            self._root(written)
            reaching[buffer] = frozenset({written})
            if buffer in effects.reads and not isinstance(op, tile.MapOp):
                self._join(written, read)


def _add(some: Reaching, to: Reaching) -> bool:
    """Add what may be there on one way to what may be there on others; whether that is more."""
    grown = False
    for buffer, sites in some.items():
        known = to.get(buffer, frozenset())
        if not sites <= known:
            to[buffer] = known | sites
            grown = True
    return grown
