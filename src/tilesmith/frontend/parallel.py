"""T.Parallel loops -> `tile.map` where the body works element by element, else scalar code."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.ir import Block, Region, SSAValue

from tilesmith.dialects import tile
from tilesmith.frontend import source as s
from tilesmith.frontend.affine import affine
from tilesmith.frontend.context import Context, scalar_type
from tilesmith.frontend.emitter import INDEX
from tilesmith.frontend.expressions import Expressions
from tilesmith.frontend.transfers import copy, whole


@dataclass(frozen=True)
class Space:
    """The variables of nested parallel loops and how far each goes."""

    extents: dict[s.Variable, int]


def lower_parallel(ctx: Context, loop: s.Loop) -> None:
    extents: dict[s.Variable, int] = {}
    body: tuple[s.Statement, ...] = (loop,)
    while len(body) == 1 and isinstance(body[0], s.Loop) and body[0].kind == "parallel":
        extent = body[0].extent
        assert isinstance(extent, s.Number)
        extents[body[0].variable] = int(extent.value)
        body = body[0].body
    for statement in body:
        assert isinstance(statement, s.Store)
        with ctx.e.at(statement.at):
            _store(ctx, Space(extents), statement)


def access_region(memory: s.Memory, indices: tuple[s.Expr, ...], space: Space) -> tuple[s.Region, list[s.Variable | None]] | None:
    """The box an access covers over the whole space, and the variable each dimension follows."""
    offsets, sizes, follows = [], [], []
    for index in indices:
        form = affine(index, space.extents)
        if form is None or len(form.factors) > 1 or any(f != 1 for f in form.factors.values()):
            return None
        variable = next(iter(form.factors), None)
        offsets.append(form.rest)
        sizes.append(s.Number(space.extents[variable] if variable else 1))
        follows.append(variable)
    return s.Region(memory, tuple(offsets), tuple(sizes)), follows


def _store(ctx: Context, space: Space, store: s.Store) -> None:
    target = access_region(store.memory, store.indices, space)
    assert target is not None
    region, follows = target
    order = [v for v in follows if v is not None]
    out = store.memory
    iteration = list(follows)
    if not (region.is_whole and out.is_buffer):
        out = ctx.temporary(out.name, [space.extents[v] for v in order], out.dtype)
        iteration = list(order)
    inputs: dict[s.Load, int] = {}
    operands: list[SSAValue] = []
    dims: list[list[int]] = []
    for load in s.loads_of(store.value):
        if load in inputs:
            continue
        box = access_region(load.memory, load.indices, space)
        assert box is not None
        memory, positions = _operand(ctx, *box, iteration)
        inputs[load] = len(operands)
        operands.append(ctx.value(memory))
        dims.append(positions)
    block = Block(arg_types=[*(scalar_type(load.memory.dtype) for load in inputs), *([INDEX] * len(iteration))])
    body = Expressions(ctx.e, lambda load: block.args[inputs[load]])
    body.variables.update(ctx.control.variables)
    for arg, load in zip(block.args, inputs, strict=False):
        arg.name_hint = load.memory.name
    for arg, variable in zip(block.args[len(inputs) :], iteration, strict=True):
        if variable is not None:
            body.variables[variable] = arg
            arg.name_hint = variable.name
    with ctx.e.inside(block, own_constants=True):
        value = body.element(store.value, out.dtype)
        ctx.e.emit(tile.YieldOp(value))
    ctx.e.emit(tile.MapOp(operands, ctx.value(out), dims, Region(block)))
    if out is not store.memory:
        sizes = tuple(s.Number(1) if v is None else s.Number(space.extents[v]) for v in follows)
        copy(ctx, whole(out), replace(region, sizes=sizes))


def _operand(ctx: Context, region: s.Region, follows: list[s.Variable | None], iteration: list[s.Variable | None]) -> tuple[s.Memory, list[int]]:
    sizes = region.memory.sizes
    origin = all(offset == s.Number(0, offset.dtype) for offset in region.offsets)
    if region.memory.is_buffer and origin and sizes is not None and all(v is not None or size == 1 for v, size in zip(follows, sizes, strict=True)):
        return region.memory, [-1 if v is None else iteration.index(v) for v in follows]
    kept = [v for v in follows if v is not None]
    part = ctx.temporary(region.memory.name, [_extent(region, follows, v) for v in kept] or [1], region.memory.dtype, "shared")
    copy(ctx, region, whole(part))
    return part, [iteration.index(v) for v in kept] or [-1]


def _extent(region: s.Region, follows: list[s.Variable | None], variable: s.Variable) -> int:
    size = region.sizes[follows.index(variable)]
    assert isinstance(size, s.Number)
    return int(size.value)
