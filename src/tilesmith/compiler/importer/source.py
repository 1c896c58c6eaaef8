"""What a kernel says, free of the language it was written in.

A front end translates its own syntax into these classes; everything after works on them. Expressions compare
by structure; variables, memories and statements by identity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Location:
    """A line of the user's file."""

    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.file else ""


@dataclass(frozen=True, eq=False)
class Variable:
    """A loop index, a block index, a symbol, or a name bound to a value; `counts` if it is never negative."""

    name: str
    dtype: str = "int32"
    counts: bool = False


@dataclass(frozen=True, eq=False)
class Memory:
    """A tensor ("global"), a buffer ("shared", "fragment", "local") or a scalar variable ("var").

    `base` is the memory a view looks into, of as many elements.
    """

    name: str
    shape: tuple[Expr, ...]
    dtype: str
    scope: str
    at: Location = Location()
    base: Memory | None = None

    @property
    def sizes(self) -> tuple[int, ...] | None:
        """The shape, when it is made of numbers."""
        known = [size.value for size in self.shape if isinstance(size, Number)]
        return tuple(int(size) for size in known) if len(known) == len(self.shape) else None

    @property
    def is_buffer(self) -> bool:
        return self.scope in ("shared", "fragment", "local")


# ---- expressions ----


@dataclass(frozen=True)
class Number:
    value: int | float
    dtype: str = "int32"


@dataclass(frozen=True)
class Name:
    variable: Variable

    @property
    def dtype(self) -> str:
        return self.variable.dtype


@dataclass(frozen=True)
class Binary:
    """`op` is a key of `expressions.FLOAT_OPS` or `expressions.INTEGER_OPS`, or a comparison."""

    op: str
    a: Expr
    b: Expr
    dtype: str


@dataclass(frozen=True)
class Not:
    a: Expr
    dtype: str = "bool"


@dataclass(frozen=True)
class Select:
    """`a` where the condition holds, else `b`; the other one need not have a value."""

    condition: Expr
    a: Expr
    b: Expr
    dtype: str


@dataclass(frozen=True)
class Cast:
    a: Expr
    dtype: str


@dataclass(frozen=True)
class Bits:
    """The bits of a value, read as another type of the same width."""

    a: Expr
    dtype: str


@dataclass(frozen=True)
class Load:
    memory: Memory
    indices: tuple[Expr, ...]
    dtype: str


@dataclass(frozen=True)
class Call:
    """A function of `tile.FUNCTIONS`."""

    fn: str
    args: tuple[Expr, ...]
    dtype: str


Expr = Number | Name | Binary | Not | Select | Cast | Bits | Load | Call


# ---- statements ----


@dataclass(frozen=True)
class Region:
    """A box of a memory: where it starts and how large it is."""

    memory: Memory
    offsets: tuple[Expr, ...]
    sizes: tuple[Expr, ...]

    @property
    def is_whole(self) -> bool:
        return self.sizes == self.memory.shape and all(
            isinstance(offset, Number) and offset.value == 0 for offset in self.offsets
        )


@dataclass(frozen=True, eq=False)
class Store:
    """Write one element; `accumulate` ("add", "max", "min") combines atomically with what is there.

    What was there before can have a name, for the statements that follow.
    """

    memory: Memory
    indices: tuple[Expr, ...]
    value: Expr
    accumulate: str = ""
    at: Location = Location()
    before: Variable | None = None


@dataclass(frozen=True, eq=False)
class Bind:
    """A name for a value, for the statements that follow."""

    variable: Variable
    value: Expr
    at: Location = Location()


@dataclass(frozen=True, eq=False)
class Loop:
    """`schedule` is "serial", "unroll" or "parallel"; `stages` is above 0 for a pipelined loop."""

    variable: Variable
    start: Expr
    extent: Expr
    body: tuple[Statement, ...]
    schedule: str = "serial"
    stages: int = 0
    step: Expr = Number(1)
    at: Location = Location()


@dataclass(frozen=True, eq=False)
class Branch:
    condition: Expr
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()
    at: Location = Location()


@dataclass(frozen=True, eq=False)
class Repeat:
    """While the condition holds."""

    condition: Expr
    body: tuple[Statement, ...]
    at: Location = Location()


@dataclass(frozen=True, eq=False)
class Sync:
    """All threads of the block, or of all blocks, have come this far."""

    at: Location = Location()
    of_grid: bool = False


@dataclass(frozen=True, eq=False)
class Jump:
    """ "break" out of the innermost loop, or "continue" with its next iteration."""

    keyword: str
    at: Location = Location()


@dataclass(frozen=True, eq=False)
class TileOp:
    """An operation on whole regions: copy, fill, gemm, reduce and the like."""

    name: str
    regions: tuple[Region, ...]
    options: dict[str, Expr | str | int | bool] = field(default_factory=dict)
    at: Location = Location()


Statement = Store | Bind | Loop | Branch | Repeat | Sync | Jump | TileOp


@dataclass(frozen=True, eq=False)
class Kernel:
    """A kernel: tensors and symbols it takes, its grid of blocks, its threads, and what a block does.

    `parameters` are the names a caller gives values for, in order; `workspace` tensors nobody outside sees.
    `depths` are how many versions of a buffer the user asked for; `notes` say what of the annotations is not
    done. `sizes` are symbols that are the size of a tensor and computed from others.
    """

    name: str
    tensors: tuple[Memory, ...]
    symbols: tuple[Variable, ...]
    grid: tuple[tuple[Variable, Expr], ...]
    threads: tuple[tuple[Variable, int], ...]
    body: tuple[Statement, ...]
    parameters: tuple[str, ...] = ()
    workspace: tuple[str, ...] = ()
    depths: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    sizes: Mapping[str, str] = field(default_factory=dict)
    at: Location = Location()


# ---- walking ----


def children(expr: Expr) -> tuple[Expr, ...]:
    match expr:
        case Binary(_, a, b, _):
            return (a, b)
        case Not(a) | Cast(a, _) | Bits(a, _):
            return (a,)
        case Select(condition, a, b, _):
            return (condition, a, b)
        case Load(_, indices, _):
            return indices
        case Call(_, args, _):
            return args
    return ()


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and everything in it, outermost first."""
    yield expr
    for child in children(expr):
        yield from walk(child)


def rebuild(expr: Expr, parts: tuple[Expr, ...]) -> Expr:
    """The same kind of expression with other children."""
    match expr:
        case Binary(op, _, _, dtype):
            return Binary(op, parts[0], parts[1], dtype)
        case Not(_, dtype):
            return Not(parts[0], dtype)
        case Cast(_, dtype):
            return Cast(parts[0], dtype)
        case Bits(_, dtype):
            return Bits(parts[0], dtype)
        case Select(_, _, _, dtype):
            return Select(parts[0], parts[1], parts[2], dtype)
        case Load(memory, _, dtype):
            return Load(memory, parts, dtype)
        case Call(fn, _, dtype):
            return Call(fn, parts, dtype)
    return expr


def statement_expressions(statement: Statement) -> tuple[Expr, ...]:
    """The expressions of a statement itself, not those of its body."""
    match statement:
        case Store(_, indices, value):
            return (*indices, value)
        case Bind(_, value):
            return (value,)
        case Loop(start=start, extent=extent, step=step):
            return (start, extent, step)
        case Branch(condition=condition) | Repeat(condition=condition):
            return (condition,)
        case TileOp(regions=regions, options=options):
            boxes = [part for region in regions for part in (*region.offsets, *region.sizes)]
            return (*boxes, *(v for v in options.values() if not isinstance(v, str | int | bool)))
    return ()


def bodies(statement: Statement) -> tuple[tuple[Statement, ...], ...]:
    match statement:
        case Loop(body=body) | Repeat(body=body):
            return (body,)
        case Branch(then=then, otherwise=otherwise):
            return (then, otherwise)
    return ()


def walk_statements(statements: tuple[Statement, ...]) -> Iterator[Statement]:
    for statement in statements:
        yield statement
        for body in bodies(statement):
            yield from walk_statements(body)


def loads_of(expr: Expr) -> Iterator[Load]:
    return (part for part in walk(expr) if isinstance(part, Load))


def variables_of(expr: Expr) -> Iterator[Variable]:
    return (part.variable for part in walk(expr) if isinstance(part, Name))


def outer_loads_of(expr: Expr) -> Iterator[Load]:
    """The loads of an expression, without those that only say where another one reads."""
    if isinstance(expr, Load):
        yield expr
    else:
        for child in children(expr):
            yield from outer_loads_of(child)


def chosen_loads_of(expr: Expr) -> set[Load]:
    """Loads of which the value is only wanted where a choice takes their side."""
    choices = [part for part in walk(expr) if isinstance(part, Select)]
    return {load for one in choices for side in (one.a, one.b) for load in outer_loads_of(side)}


def reads_of(statement: Statement) -> set[Memory]:
    """Memories that a statement, or anything in it, reads."""
    found: set[Memory] = set()
    for inner in walk_statements((statement,)):
        for expr in statement_expressions(inner):
            found.update(load.memory for load in loads_of(expr))
        if isinstance(inner, TileOp):
            found.update(region.memory for region in inner.regions)
    return found


def writes_of(statement: Statement) -> set[Memory]:
    """Memories that a statement, or anything in it, may write."""
    found: set[Memory] = set()
    for inner in walk_statements((statement,)):
        if isinstance(inner, Store):
            found.add(inner.memory)
        elif isinstance(inner, TileOp):
            found.update(region.memory for region in inner.regions)
    return found


def is_float(dtype: str) -> bool:
    return dtype.startswith(("float", "bfloat", "tfloat"))


def is_integer(dtype: str) -> bool:
    return dtype.startswith(("int", "uint"))


# Bits below the sign; 64 bits are computed in 32.
_MAGNITUDE = {"bool": 1, "int8": 7, "uint8": 8, "int16": 15, "uint16": 16, "uint32": 32}


def is_nonnegative(expr: Expr) -> bool:
    """Whether an integer is provably not negative."""
    match expr:
        case Number(value):
            return value >= 0
        case Name(variable):
            return variable.counts
        case Binary("add" | "mul") if expr.dtype in ("int8", "int16"):
            return False  # what the type cannot hold becomes negative
        case Binary("add" | "mul" | "div" | "mod" | "min" | "floordiv" | "shr" | "or" | "xor", a, b):
            return is_nonnegative(a) and is_nonnegative(b)
        case Binary("floormod", _, b):
            return is_nonnegative(b)
        case Binary("max" | "and", a, b):
            return is_nonnegative(a) or is_nonnegative(b)
        case Select(_, a, b):
            return is_nonnegative(a) and is_nonnegative(b)
        case Cast(a):
            return is_nonnegative(a) and _MAGNITUDE.get(a.dtype, 31) <= _MAGNITUDE.get(expr.dtype, 31)
        case Load(dtype=dtype):
            return dtype in ("uint8", "uint16", "bool")
    return False
