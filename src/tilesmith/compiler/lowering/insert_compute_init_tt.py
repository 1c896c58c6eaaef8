"""The engines are set up where what they do changes, before the outermost loop in which it does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.index_expressions import constant_of
from tilesmith.compiler.analysis.roles import COMPUTE
from tilesmith.compiler.dialects import tt
from tilesmith.compiler.dialects import tt_compute as ttc
from tilesmith.compiler.dialects.walk import operations_of, walk
from tilesmith.compiler.lowering.tiles.engines import (
    PACK,
    SRCA,
    SRCB,
    Formats,
    Need,
    needs_of,
    unpacked_whole,
)
from tilesmith.compiler.lowering.tiles.stage import name_of
from tilesmith.compiler.pass_group import Pass

State = dict[str, object]
"""What each engine is set up for; an engine that is missing may be set up for anything."""


@dataclass(frozen=True)
class InsertComputeInitTT(Pass):
    """Add the set-up calls of compute kernels, and note what the kernel's configuration must say.

    The kernel gets `fp32_dest_acc_en` (slots of 32 bits) and `unpack_to_dest_fp32` (names of circular buffers
    that are unpacked to DST with all their bits).
    """

    name = "insert-compute-init-tt"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in operations_of(op, tt.KernelOp):
            if kernel.role.data == COMPUTE:
                _set_up(kernel)


def _set_up(kernel: tt.KernelOp) -> None:
    wide = any(bool(one.wide) for one in operations_of(kernel, ttc.DstOp))
    whole = unpacked_whole(kernel) if wide else frozenset()
    if wide:
        kernel.attributes["fp32_dest_acc_en"] = UnitAttr()
    kernel.attributes["unpack_to_dest_fp32"] = ArrayAttr(
        sorted((StringAttr(name_of(cb)) for cb in whole), key=lambda name: name.data)
    )
    _Walk(Formats(whole)).start(kernel.body.block)


@dataclass(frozen=True)
class _Walk:
    formats: Formats

    def start(self, block: Block) -> None:
        first = {need.engine: need for need in reversed(list(self._needs_in(block)))}
        if not first:
            return
        out = first[PACK].source
        srca = first[SRCA].source if SRCA in first else out
        srcb = first[SRCB].source if SRCB in first else srca
        assert srca is not None
        assert srcb is not None
        assert out is not None
        at = next(op for op in block.ops if not isinstance(op, tt.CBOp | tt.ArgOp | tt.AccessorOp))
        Rewriter.insert_op(ttc.StartOp(srca, srcb, out), InsertPoint.before(at))
        self.block(block, {SRCA: self.formats.of(srca), SRCB: self.formats.of(srcb), PACK: first[PACK].key})

    def block(self, block: Block, state: State) -> State:
        for op in list(block.ops):
            state = self.operation(op, state)
        return state

    def operation(self, op: Operation, state: State) -> State:
        """Set up what the operation needs beyond `state`; the state after it."""
        if isinstance(op, scf.ForOp | scf.WhileOp):
            return self.loop(op, state)
        if isinstance(op, scf.IfOp):
            branches = [self.block(region.block, dict(state)) for region in op.regions if region.blocks]
            return _common([*branches, state] if len(branches) < len(op.regions) else branches)
        if isinstance(op, tt.StageOp | ttc.DstOp):
            for region in op.regions:
                state = self.block(region.block, state)
            return state
        return self._prepare(needs_of(op, self.formats), op, state)

    def loop(self, op: scf.ForOp | scf.WhileOp, state: State) -> State:
        needs = list(self._needs_in_regions(op))
        steady = [need for need in _first_of_each(needs) if _is_only_way(need, needs)]
        state = self._prepare(steady, op, state)
        # Anything that changes inside the loop is unknown where a turn begins.
        kept = {need.engine for need in steady} | (set(state) - {need.engine for need in needs})
        inside = {engine: key for engine, key in state.items() if engine in kept}
        for region in op.regions:
            inside = self.block(region.block, inside)
        return inside if _runs_at_least_once(op) else _common([inside, state])

    def _prepare(self, needs: list[Need], op: Operation, state: State) -> State:
        missing = [need for need in needs if state.get(need.engine) != need.key]
        changed = {need.engine: need for need in missing}
        if SRCA in changed and SRCB in changed:
            both = ttc.ReconfigOp(changed[SRCA].source, changed[SRCB].source)
            Rewriter.insert_op(both, InsertPoint.before(op))
            missing = [need for need in missing if need.engine not in (SRCA, SRCB)]
        for need in missing:
            Rewriter.insert_op(need.make(), InsertPoint.before(op))
        return state | {need.engine: need.key for need in needs}

    def _needs_in(self, block: Block) -> Iterator[Need]:
        for op in walk(block):
            yield from needs_of(op, self.formats)

    def _needs_in_regions(self, op: Operation) -> Iterator[Need]:
        for region in op.regions:
            for block in region.blocks:
                yield from self._needs_in(block)


def _first_of_each(needs: list[Need]) -> list[Need]:
    return list({need.engine: need for need in reversed(needs)}.values())[::-1]


def _is_only_way(need: Need, needs: list[Need]) -> bool:
    return all(other.key == need.key for other in needs if other.engine == need.engine)


def _common(states: list[State]) -> State:
    first, *rest = states
    return {
        engine: key
        for engine, key in first.items()
        if all(engine in other and other[engine] == key for other in rest)
    }


def _runs_at_least_once(op: scf.ForOp | scf.WhileOp) -> bool:
    if not isinstance(op, scf.ForOp):
        return False
    lower, upper = constant_of(op.lb), constant_of(op.ub)
    return lower is not None and upper is not None and lower < upper
