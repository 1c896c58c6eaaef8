"""Kernels -> `tile.func`: the grid, control flow, and which statements become what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Block, Region, SSAValue

from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.walk import operations_of
from tilesmith.compiler.importer.break_continue import without_jumps
from tilesmith.compiler.importer.context import Context, tensor_type
from tilesmith.compiler.importer.emitter import INDEX, Emitter
from tilesmith.compiler.importer.final_casts import without_final_casts
from tilesmith.compiler.importer.flow import emit_branch, emit_loop, emit_while
from tilesmith.compiler.importer.parallel import lower_parallel
from tilesmith.compiler.importer.scalars import loop_end, lower_scalar, variable_uses
from tilesmith.compiler.importer.scoping import with_names_in_scope
from tilesmith.compiler.importer.sizes import with_room
from tilesmith.compiler.importer.source import (
    Bind,
    Branch,
    Kernel,
    Loop,
    Memory,
    Repeat,
    Statement,
    Store,
    TileOp,
)
from tilesmith.compiler.importer.structure import accumulators, expanded, is_elementwise, is_scalar
from tilesmith.compiler.importer.threads import loop_over_threads
from tilesmith.compiler.importer.tile_ops import lower_tile_op
from tilesmith.compiler.importer.variables import sorted_variables
from tilesmith.compiler.importer.views import without_views


def normalized(kernel: Kernel) -> Kernel:
    """The kernel without threads, views of buffers, break and continue."""
    known = {*kernel.symbols, *(v for v, _ in (*kernel.grid, *kernel.threads))}
    kernel = replace(kernel, body=with_names_in_scope(kernel.body, frozenset(known)))
    kernel = loop_over_threads(
        replace(kernel, body=without_views(without_jumps(without_final_casts(kernel.body))))
    )
    return replace(kernel, body=sorted_variables(with_room(kernel.body)))


def lower_kernel(kernel: Kernel) -> ModuleOp:
    """A module with the kernel in the first form of the tile dialect."""
    kernel = normalized(kernel)
    func = tile.FuncOp(
        kernel.name,
        [(tensor.name, tensor_type(tensor)) for tensor in kernel.tensors],
        [symbol.name for symbol in kernel.symbols],
    )
    if kernel.parameters != tuple(tensor.name for tensor in kernel.tensors):
        func.attributes["parameters"] = ArrayAttr([StringAttr(name) for name in kernel.parameters])
    if kernel.workspace:
        func.attributes["workspace"] = ArrayAttr([StringAttr(name) for name in kernel.workspace])
    if kernel.sizes:
        func.attributes["sizes"] = DictionaryAttr(
            {name: StringAttr(text) for name, text in kernel.sizes.items()}
        )
    emitter = Emitter(func.body.block)
    with emitter.at(kernel.at):
        emitter.locate(func)
        _Kernel(kernel, func, emitter).lower()
    for alloc in operations_of(func, tile.AllocOp):
        if depth := kernel.depths.get(alloc.buffer_name.data):
            alloc.stages = IntegerAttr(depth, i64)
    if kernel.notes:
        func.attributes["notes"] = ArrayAttr([StringAttr(note) for note in kernel.notes])
    return ModuleOp([func])


class _Kernel:
    def __init__(self, kernel: Kernel, func: tile.FuncOp, emitter: Emitter) -> None:
        self.kernel = kernel
        self.e = emitter
        self.grid_block = Block(arg_types=[INDEX] * len(kernel.grid))
        args = func.body.block.args
        tensors: dict[Memory, SSAValue] = dict(zip(kernel.tensors, args, strict=False))
        self.ctx = Context(emitter, func.body.block, self.grid_block, tensors)
        self.ctx.control.variables.update(zip(kernel.symbols, args[len(tensors) :], strict=True))

    def lower(self) -> None:
        extents = [self.ctx.control.index(extent) for _, extent in self.kernel.grid]
        self.ctx.extents.update(self.kernel.grid)
        self.ctx.variable_uses = variable_uses(self.kernel.body)
        self.ctx.accumulators = accumulators(self.kernel.body)
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
        """Lower statements in order; neighbours that run element by element share one `tile.scalar`."""
        waiting: list[Statement] = []
        for statement in expanded(statements):
            if is_scalar(statement):
                waiting.append(statement)
                continue
            self._flush(waiting)
            with self.e.at(statement.at):
                self.statement(statement)
        self._flush(waiting)

    def _flush(self, waiting: list[Statement]) -> None:
        if waiting:
            with self.e.at(waiting[0].at):
                lower_scalar(self.ctx, waiting)
            waiting.clear()

    def statement(self, statement: Statement) -> None:
        control = self.ctx.control
        match statement:
            case TileOp():
                lower_tile_op(self.ctx, statement)
            case Loop() if statement.schedule == "parallel" or is_elementwise(statement):
                lower_parallel(self.ctx, statement)
            case Loop():
                self.ctx.extents[statement.variable] = loop_end(statement)
                emit_loop(self.e, control, statement, self.statements)
            case Branch():
                emit_branch(self.e, control, statement, self.statements)
            case Repeat():
                emit_while(self.e, control, statement, self.statements)
            case Bind(variable, value):
                bound = control.value(value)
                bound.name_hint = bound.name_hint or variable.name
                control.variables[variable] = bound
            case Store():
                value_now = control.element(statement.value, statement.memory.dtype)
                self.e.emit(tile.SetOp(self.ctx.variable(statement.memory), value_now))
