"""Kernels -> `tile.func`: the grid, control flow, and which statements become what."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, i64
from xdsl.ir import Block, Region

from tilesmith.dialects import tile
from tilesmith.frontend.context import Context, tensor_type
from tilesmith.frontend.emitter import INDEX, Emitter
from tilesmith.frontend.parallel import lower_parallel
from tilesmith.frontend.source import (
    Bind,
    Branch,
    Kernel,
    Loop,
    Repeat,
    Statement,
    Store,
    Sync,
    TileOp,
)
from tilesmith.frontend.tile_ops import lower_tile_op


def lower_kernel(kernel: Kernel) -> ModuleOp:
    """A module with the kernel in the first form of the tile dialect."""
    func = tile.FuncOp(
        kernel.name,
        [(tensor.name, tensor_type(tensor)) for tensor in kernel.tensors],
        [symbol.name for symbol in kernel.symbols],
    )
    emitter = Emitter(func.body.block)
    with emitter.at(kernel.at):
        emitter.locate(func)
        _Kernel(kernel, func, emitter).lower()
    return ModuleOp([func])


class _Kernel:
    def __init__(self, kernel: Kernel, func: tile.FuncOp, emitter: Emitter) -> None:
        self.kernel = kernel
        self.e = emitter
        self.grid_block = Block(arg_types=[INDEX] * len(kernel.grid))
        args = func.body.block.args
        tensors = dict(zip(kernel.tensors, args, strict=False))
        self.ctx = Context(emitter, self.grid_block, tensors)
        self.ctx.control.variables.update(zip(kernel.symbols, args[len(tensors) :], strict=True))

    def lower(self) -> None:
        extents = [self.ctx.control.index(extent) for _, extent in self.kernel.grid]
        grid = tile.GridOp(extents)
        grid.detach_region(grid.body)
        for (variable, _), arg in zip(self.kernel.grid, self.grid_block.args, strict=True):
            arg.name_hint = variable.name
            self.ctx.control.variables[variable] = arg
        with self.e.inside(self.grid_block):
            self.statements(self.kernel.body)
        grid.add_region(Region(self.grid_block))
        self.e.emit(grid)

    def statements(self, statements: Sequence[Statement]) -> None:
        for statement in statements:
            with self.e.at(statement.at):
                self.statement(statement)

    def statement(self, statement: Statement) -> None:
        match statement:
            case TileOp():
                lower_tile_op(self.ctx, statement)
            case Loop(kind="parallel"):
                lower_parallel(self.ctx, statement)
            case Loop():
                self._loop(statement)
            case Branch():
                self._branch(statement)
            case Repeat():
                self._while(statement)
            case Bind(variable, value):
                bound = self.ctx.control.value(value)
                bound.name_hint = bound.name_hint or variable.name
                self.ctx.control.variables[variable] = bound
            case Store():
                self._assign(statement)
            case Sync():
                pass

    def _loop(self, loop: Loop) -> None:
        control = self.ctx.control
        start, step = control.index(loop.start), control.index(loop.step)
        end = self.e.add(start, control.index(loop.extent))
        block = Block(arg_types=[INDEX])
        block.args[0].name_hint = loop.variable.name
        control.variables[loop.variable] = block.args[0]
        with self.e.inside(block):
            self.statements(loop.body)
        block.add_op(scf.YieldOp())
        op = scf.ForOp(start, end, step, [], Region(block))
        if loop.stages:
            op.attributes["num_stages"] = IntegerAttr(loop.stages, i64)
        if loop.kind == "unroll":
            op.attributes["unroll"] = UnitAttr()
        self.e.emit(op)

    def _branch(self, branch: Branch) -> None:
        condition = self.ctx.control.condition(branch.condition)
        regions = [self._region(branch.then)]
        if branch.otherwise:
            regions.append(self._region(branch.otherwise))
        self.e.emit(scf.IfOp(condition, [], *regions))

    def _region(self, statements: Sequence[Statement]) -> Region:
        block = Block()
        with self.e.inside(block):
            self.statements(statements)
        block.add_op(scf.YieldOp())
        return Region(block)

    def _while(self, repeat: Repeat) -> None:
        before = Block()
        with self.e.inside(before):
            condition = self.ctx.control.condition(repeat.condition)
        before.add_op(scf.ConditionOp(condition))
        self.e.emit(scf.WhileOp([], [], [before], [self._region(repeat.body).detach_block(0)]))

    def _assign(self, store: Store) -> None:
        value = self.ctx.control.element(store.value, store.memory.dtype)
        self.e.emit(tile.SetOp(self.ctx.variable(store.memory), value))
