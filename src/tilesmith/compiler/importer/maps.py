"""Values over a space of elements -> `tile.map`: which buffers a value reads, and along which dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import f32, i32
from xdsl.ir import Block, Region, SSAValue

from tilesmith.compiler.dialects import tile
from tilesmith.compiler.importer import source as s
from tilesmith.compiler.importer.affine import affine, uses
from tilesmith.compiler.importer.bounds import Extents, is_inside, largest
from tilesmith.compiler.importer.clipping import Clipped
from tilesmith.compiler.importer.context import Context
from tilesmith.compiler.importer.elementwise import Space, upper_limit
from tilesmith.compiler.importer.emitter import INDEX
from tilesmith.compiler.importer.expressions import Expressions, narrow_width
from tilesmith.compiler.importer.scalars import lower_scalar
from tilesmith.compiler.importer.tile_ops import fill_region
from tilesmith.compiler.importer.transfers import copy, whole

_FLOATS_COUNT_TO = 2**24
_SMALL_INTEGERS = ("int8", "uint8", "bool")


@dataclass(frozen=True)
class Box:
    """The region an access covers over a whole space, and the variable each dimension follows."""

    region: s.Region
    follows: list[s.Variable | None]

    @property
    def order(self) -> list[s.Variable]:
        return [v for v in self.follows if v is not None]

    def limit(self, condition: s.Expr) -> tuple[int, s.Expr] | None:
        """The dimension, and how many elements of it, a condition such as `offset + i < n` leaves."""
        found = upper_limit(condition, self.order)
        return None if found is None else (self.follows.index(found[0]), found[1])

    @property
    def fits(self) -> bool:
        """Whether the box can lie inside its buffer: an offset known only at run time is trusted."""
        if self.region.memory.scope == "global" or self.region.memory.sizes is None:
            return True
        return all(
            0 <= offset.value <= room - size.value if isinstance(offset, s.Number) else size.value <= room
            for offset, size, room in zip(
                self.region.offsets, self.region.sizes, self.region.memory.sizes, strict=True
            )
            if isinstance(size, s.Number)
        )

    @property
    def is_fixed(self) -> bool:
        return all(isinstance(offset, s.Number) for offset in self.region.offsets)


def box_of(memory: s.Memory, indices: Sequence[s.Expr], space: Space) -> Box | None:
    """The box of an access in which every dimension follows at most one variable, step by step."""
    offsets: list[s.Expr] = []
    follows: list[s.Variable | None] = []
    for index in indices:
        form = affine(index, space.extents)
        if form is None or len(form.factors) > 1 or any(f != 1 for f in form.factors.values()):
            return None
        variable = next(iter(form.factors), None)
        if variable is not None and variable in follows:
            return None
        offsets.append(form.rest)
        follows.append(variable)
    sizes = tuple(s.Number(1 if v is None else space.extents[v]) for v in follows)
    return Box(s.Region(memory, tuple(offsets), sizes), follows)


def fits_compute(value: s.Expr, space: Space) -> bool:
    """Whether the vector unit can compute a value: floats, and integers made of loop variables only."""
    if isinstance(value, s.Bits):
        return False
    value = _unwidened(value)
    if isinstance(value, s.Load):
        return True
    if s.is_integer(value.dtype) and (_varies(value, space) or not _is_like_floats(value, space)):
        return False
    return all(fits_compute(part, space) for part in s.children(value))


def _is_like_floats(value: s.Expr, space: Space) -> bool:
    """Whether an integer of loop variables is the same in float32, which the vector unit computes it in."""
    if not uses(value, space.extents):
        return True
    extents = {v: s.Number(extent) for v, extent in space.extents.items()}
    top = largest(value, extents)
    if top is not None and top >= _FLOATS_COUNT_TO:
        return False
    match value:
        case s.Binary("and" | "or" | "xor", _, _):
            return False
        case s.Binary() if value.dtype == "uint32":
            return False
        case s.Binary("shl" | "shr", _, distance) if not isinstance(distance, s.Number):
            return False
        case s.Cast(a) | s.Binary(_, a, _) if narrow_width(value.dtype):
            # What is left of a number that the type cannot hold is a matter of bits; so is being unsigned.
            room = s.Number(2 ** (narrow_width(value.dtype) - 1))
            held = is_inside(value if isinstance(value, s.Binary) else a, room, extents)
            return held and not value.dtype.startswith("uint")
    return True


def _unwidened(value: s.Expr) -> s.Expr:
    """What a conversion to a wider integer, which changes nothing, was applied to."""
    while isinstance(value, s.Cast) and s.is_integer(value.dtype) and value.a.dtype in _SMALL_INTEGERS:
        if value.dtype in _SMALL_INTEGERS or (value.a.dtype == "int8" and value.dtype.startswith("uint")):
            break  # a negative number becomes another
        value = value.a
    return value


def _varies(value: s.Expr, space: Space) -> bool:
    """Whether an integer is computed from data that differ from element to element."""
    return any(
        uses(part, space.extents)
        for part in s.walk(value)
        if isinstance(part, s.Load) or (isinstance(part, s.Cast) and s.is_float(part.a.dtype))
    )


def emit_map(
    ctx: Context, out: s.Memory, iteration: Sequence[s.Variable | None], value: s.Expr, space: Space
) -> None:
    """out[iteration] = value. Dimensions of `out` that follow no variable are of size 1."""
    operands = _Operands(ctx, list(iteration), space, s.chosen_loads_of(value))
    for load in s.outer_loads_of(value):
        operands.add(load)
    element_types = [f32 if s.is_float(memory.dtype) else i32 for memory, _ in operands.inputs]
    block = Block(arg_types=[*element_types, *([INDEX] * len(iteration))])
    body = Expressions(ctx.e, lambda load: operands.value(load, block))
    body.variables.update(ctx.control.variables)
    for arg, (memory, _) in zip(block.args, operands.inputs, strict=False):
        arg.name_hint = memory.name
    for arg, variable in zip(block.args[len(element_types) :], iteration, strict=True):
        if variable is not None:
            body.variables[variable] = arg
            arg.name_hint = variable.name
    for variable in space.extents:
        if variable not in iteration:
            body.variables[variable] = ctx.e.index(0)
    with ctx.e.inside(block, own_constants=True):
        ctx.e.emit(tile.YieldOp(body.element(value, out.dtype)))
    ins = [ctx.value(memory) for memory, _ in operands.inputs]
    dims = [follows for _, follows in operands.inputs]
    ctx.e.emit(tile.MapOp(ins, ctx.value(out), dims, Region(block)))


class _Operands:
    """The inputs of one map: buffers, and scalars known outside of it."""

    def __init__(
        self, ctx: Context, iteration: list[s.Variable | None], space: Space, chosen: set[s.Load]
    ) -> None:
        self.ctx = ctx
        self.iteration = iteration
        self.space = space
        self.chosen = chosen
        self.extents: Extents = ctx.extents | {v: s.Number(extent) for v, extent in space.extents.items()}
        self.inputs: list[tuple[s.Memory, list[int]]] = []
        self.positions: dict[s.Load, int] = {}
        self.scalars: dict[s.Load, SSAValue] = {}

    def value(self, load: s.Load, block: Block) -> SSAValue:
        if load in self.scalars:
            return self.scalars[load]
        # Small integers travel as floats, and compare and convert as such.
        return self.ctx.e.as_f32(block.args[self.positions[load]])

    def add(self, load: s.Load) -> None:
        if load in self.positions or load in self.scalars:
            return
        fixed = not any(uses(index, self.space.extents) for index in load.indices)
        if load.memory.scope == "var" or (fixed and not s.is_float(load.dtype)):
            self.scalars[load] = self.ctx.control.value(load)
            return
        memory, follows = self._operand(load)
        if (memory, follows) not in self.inputs:
            self.inputs.append((memory, follows))
        self.positions[load] = self.inputs.index((memory, follows))

    def _operand(self, load: s.Load) -> tuple[s.Memory, list[int]]:
        box = box_of(load.memory, load.indices, self.space)
        memory = load.memory
        integers = memory.dtype in _SMALL_INTEGERS or memory in self.ctx.accumulators
        if box is None or not (s.is_float(memory.dtype) or integers) or not self._is_safe(load, box):
            return self._collected(load)
        if memory.is_buffer and box.fits and self._is_direct(box):
            return memory, [self._position(v) for v in box.follows]
        inside = Clipped.of(box.region)
        if inside is None:
            return self._collected(load)
        shape = [self.space.extents[v] for v in box.order] or [1]
        part = self.ctx.temporary(memory.name, shape, memory.dtype, "shared")
        moving = [n for n, variable in enumerate(box.follows) if variable is not None]
        if inside.is_part:
            fill_region(self.ctx, whole(part), s.Number(0.0, memory.dtype))
        copy(self.ctx, inside.source, inside.within(part, moving))
        return part, [self._position(v) for v in box.order] or [-1]

    def _is_safe(self, load: s.Load, box: Box) -> bool:
        """Whether what lies outside of the buffer, if anything does, is known and need not be looked for.

        Where a choice has taken the other side, the indices of this one may be anything.
        """
        if not load.memory.is_buffer or load not in self.chosen or box.is_fixed:
            return box.fits or box.is_fixed
        return all(map(self._stays_inside, load.indices, load.memory.shape))

    def _stays_inside(self, index: s.Expr, size: s.Expr) -> bool:
        return is_inside(index, size, self.extents)

    def _is_direct(self, box: Box) -> bool:
        sizes = box.region.memory.sizes
        if sizes is None or any(offset != s.Number(0, offset.dtype) for offset in box.region.offsets):
            return False
        return all(v is not None or size == 1 for v, size in zip(box.follows, sizes, strict=True))

    def _position(self, variable: s.Variable | None) -> int:
        return self.iteration.index(variable) if variable in self.iteration and variable is not None else -1

    def _collected(self, load: s.Load) -> tuple[s.Memory, list[int]]:
        """Elements that lie anywhere, put into a buffer one by one."""
        used = [v for v in self.space.extents if any(uses(index, {v}) for index in load.indices)]
        dtype = load.memory.dtype if s.is_float(load.memory.dtype) else "float32"
        shape = [self.space.extents[v] for v in used] or [1]
        part = self.ctx.temporary(load.memory.name, shape, dtype, "shared")
        indices = tuple(s.Name(v) for v in used) or (s.Number(0),)
        inner: s.Statement = s.Store(part, indices, s.Cast(self._inside(load), dtype))
        for variable in reversed(used):
            inner = s.Loop(variable, s.Number(0), s.Number(self.space.extents[variable]), (inner,))
        lower_scalar(self.ctx, [inner])
        return part, [self._position(v) for v in used] or [-1]

    def _inside(self, load: s.Load) -> s.Expr:
        """A load that gives zero where it would leave its buffer; tensors do that by themselves."""
        value: s.Expr = load
        zero = s.Number(0.0 if s.is_float(load.dtype) else 0, load.dtype)
        for index, size in zip(load.indices, load.memory.shape, strict=True):
            from_data = any(True for _ in s.loads_of(index)) and load not in self.chosen
            if not load.memory.is_buffer or from_data or self._stays_inside(index, size):
                continue
            value = s.Select(s.Binary("lt", index, size, "bool"), value, zero, load.dtype)
            if not s.is_nonnegative(index):
                value = s.Select(s.Binary("ge", index, s.Number(0), "bool"), value, zero, load.dtype)
        return value
