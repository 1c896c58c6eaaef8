"""What every part of the front end shares while it lowers one kernel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float8E4M3FNType,
    Float8E4M3FNUZType,
    Float8E5M2FNUZType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    IntegerType,
    Signedness,
    f32,
    i1,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.types import BufferType, TensorType
from tilesmith.compiler.importer.emitter import Emitter, insert_after
from tilesmith.compiler.importer.expressions import Expressions
from tilesmith.compiler.importer.guarded_reads import chosen, read
from tilesmith.compiler.importer.source import Expr, Load, Location, Memory, Name, Number, Variable, is_float
from tilesmith.compiler.importer.unsupported import refuse

_FLOATS: dict[str, Attribute] = {
    "float32": f32,
    "tfloat32": f32,
    "float16": Float16Type(),
    "bfloat16": BFloat16Type(),
    "float8_e4m3": Float8E4M3FNType(),
    "float8_e4m3fn": Float8E4M3FNType(),
    "float8_e4m3fnuz": Float8E4M3FNUZType(),
    "float8_e5m2": Float8E5M2Type(),
    "float8_e5m2fnuz": Float8E5M2FNUZType(),
    "float8_e8m0fnu": Float8E8M0FNUType(),
}


def element_type(dtype: str, at: Location) -> Attribute:
    """The element type of a TileLang type name."""
    if dtype in _FLOATS:
        return _FLOATS[dtype]
    if dtype == "bool":
        return i1
    digits = dtype.removeprefix("u").removeprefix("int")
    if dtype.startswith("float4") or (digits.isdigit() and int(digits) < 8 and dtype != "int4"):
        refuse(
            f"elements of type {dtype} are packed, several to a byte",
            at,
            "use int4, or pass them as uint8 and unpack them with shifts and masks",
        )
    if not digits.isdigit():
        refuse(f"elements of type {dtype} have no counterpart", at, "use float32, bfloat16, float16 or int32")
    signedness = Signedness.UNSIGNED if dtype.startswith("u") else Signedness.SIGNLESS
    return IntegerType(int(digits), signedness)


def scalar_type(dtype: str) -> Attribute:
    """What an element of this type is once read."""
    return f32 if is_float(dtype) else i32


class Context:
    """The function being built, its buffers, and expressions at the level of control flow."""

    def __init__(
        self, emitter: Emitter, func_block: Block, grid_block: Block, tensors: dict[Memory, SSAValue]
    ) -> None:
        self.e = emitter
        self.func_block = func_block
        self.grid_block = grid_block
        self.values: dict[Memory, SSAValue] = dict(tensors)
        self.variables: dict[Memory, SSAValue] = {}
        self.variable_uses: Mapping[Memory, int] = {}
        self.accumulators: set[Memory] = set()
        self.extents: dict[Variable, Expr] = {}
        self.control = Expressions(emitter, self._read_control, lambda select: chosen(self.control, select))
        self._last_alloc: Operation | None = None
        self._temporaries: dict[str, int] = {}

    # ---- memories ----

    def value(self, memory: Memory) -> SSAValue:
        """The tensor or buffer behind a memory; a buffer is allocated when first used."""
        if memory not in self.values and memory.scope == "global":
            self.values[memory] = self._view(memory)
        if memory not in self.values:
            sizes = memory.sizes
            if sizes is None:
                refuse(
                    f"the buffer {memory.name} has a size that is not known when the kernel is compiled",
                    memory.at,
                    "give it the largest size it can need",
                )
            self.values[memory] = self._alloc(memory.name, sizes, memory.dtype, memory.scope, memory.at)
        return self.values[memory]

    def _view(self, memory: Memory) -> SSAValue:
        base = memory.base
        assert base is not None
        if base.dtype != memory.dtype:
            refuse(
                f"{memory.name} looks at the {base.dtype} elements of {base.name} as {memory.dtype}",
                memory.at,
                "convert the tensor on the host, or unpack it with shifts and masks",
            )
        op = tile.ViewOp(self.value(base), tensor_type(memory))
        op.tensor.name_hint = memory.name
        self.func_block.add_op(op)
        with self.e.at(memory.at):
            self.e.locate(op)
        return op.tensor

    def temporary(self, like: str, shape: Sequence[int], dtype: str, scope: str = "fragment") -> Memory:
        """A buffer of the compiler's own, named after the user's."""
        count = self._temporaries[like] = self._temporaries.get(like, -1) + 1
        name = f"{like}_part{count or ''}"
        return Memory(name, tuple(Number(size) for size in shape), dtype, scope)

    def _alloc(self, name: str, shape: Sequence[int], dtype: str, scope: str, at: Location) -> SSAValue:
        op = tile.AllocOp(name, BufferType.of(shape, element_type(dtype, at), scope))
        with self.e.at(at):
            self.e.locate(op)
        self._at_top(op)
        return op.buffer

    def _at_top(self, op: Operation) -> None:
        """Insert after the allocations at the start of the grid."""
        insert_after(self.grid_block, op, self._last_alloc)
        self._last_alloc = op

    # ---- scalar variables ----

    def variable(self, memory: Memory) -> SSAValue:
        """A scalar variable of the kernel; it starts at zero."""
        if memory not in self.variables:
            element_type = scalar_type(memory.dtype)
            zero = self.e.outer_constant(0.0 if element_type == f32 else 0, element_type)
            op = tile.VarOp(zero, memory.name)
            with self.e.at(memory.at):
                self.e.locate(op)
            self._at_top(op)
            self.variables[memory] = op.var
        return self.variables[memory]

    # ---- control level ----

    def _read_control(self, load: Load) -> SSAValue:
        if load.memory.scope == "var":
            return self.e.emit(tile.GetOp(self.variable(load.memory))).results[0]
        return read(self.control, self.extents, load, self.value(load.memory), scalar_type(load.dtype))

    @contextmanager
    def branch(self, condition: SSAValue) -> Iterator[None]:
        """What is made inside happens only if the condition holds."""
        block = Block()
        with self.e.inside(block):
            yield
        block.add_op(scf.YieldOp())
        self.e.emit(scf.IfOp(condition, [], Region(block)))

    def indices(self, exprs: Sequence[Expr]) -> list[SSAValue]:
        return [self.control.index(expr) for expr in exprs]


def tensor_type(memory: Memory) -> TensorType:
    dims: list[int | str] = []
    for size in memory.shape:
        if isinstance(size, Number):
            dims.append(int(size.value))
        elif isinstance(size, Name):
            dims.append(size.variable.name)
        else:
            refuse(
                f"the view {memory.name} has a size that is computed from symbols",
                memory.at,
                "give this dimension a symbol of its own: T.dynamic('n')",
            )
    return TensorType.of(dims, element_type(memory.dtype, memory.at))
