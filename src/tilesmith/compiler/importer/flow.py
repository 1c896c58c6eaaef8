"""Loops, branches and while loops -> scf, at the level of tiles and inside scalar code alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i64
from xdsl.ir import Block, Region

from tilesmith.compiler.importer.emitter import INDEX, Emitter
from tilesmith.compiler.importer.expressions import Expressions
from tilesmith.compiler.importer.source import Branch, Loop, Repeat, Statement

Lower = Callable[[Sequence[Statement]], None]


def emit_region(e: Emitter, body: Callable[[], object]) -> Region:
    block = Block()
    with e.inside(block):
        body()
    block.add_op(scf.YieldOp())
    return Region(block)


def emit_loop(e: Emitter, values: Expressions, loop: Loop, lower: Lower) -> None:
    start, step = values.index(loop.start), values.index(loop.step)
    end = e.add(start, values.index(loop.extent))
    block = Block(arg_types=[INDEX])
    block.args[0].name_hint = loop.variable.name
    values.variables[loop.variable] = block.args[0]
    with e.inside(block):
        lower(loop.body)
    block.add_op(scf.YieldOp())
    op = scf.ForOp(start, end, step, [], Region(block))
    if loop.stages:
        op.attributes["num_stages"] = IntegerAttr(loop.stages, i64)
    if loop.schedule == "unroll":
        op.attributes["unroll"] = UnitAttr()
    e.emit(op)


def emit_branch(e: Emitter, values: Expressions, branch: Branch, lower: Lower) -> None:
    condition = values.condition(branch.condition)
    then = emit_region(e, lambda: lower(branch.then))
    otherwise = emit_region(e, lambda: lower(branch.otherwise)) if branch.otherwise else None
    e.emit(scf.IfOp(condition, [], then, otherwise))


def emit_while(e: Emitter, values: Expressions, repeat: Repeat, lower: Lower) -> None:
    before = Block()
    with e.inside(before):
        condition = values.condition(repeat.condition)
    before.add_op(scf.ConditionOp(condition))
    after = emit_region(e, lambda: lower(repeat.body))
    e.emit(scf.WhileOp([], [], Region(before), after))
