"""The tile dialect: what happens to tiles, and nothing about how.

Buffers are memory: operations name the buffers they read and the buffer they write. Scalars are SSA values
of type index, i32, f32 or i1, whatever the element types of the buffers: reading an element widens it,
writing one rounds it. Indices and control flow are arith and scf.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    FileLineColLoc,
    IndexType,
    IntegerAttr,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Dialect, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator, NoTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from tilesmith.dialects.syntax import IntLists, Ints, parse_function, print_function
from tilesmith.dialects.types import BufferType, TensorType, VarType

FUNCTIONS: dict[str, int] = {
    **dict.fromkeys(
        [
            "exp",
            "exp2",
            "exp10",
            "expm1",
            "log",
            "log2",
            "log10",
            "log1p",
            "sqrt",
            "rsqrt",
            "recip",
            "tanh",
            "sigmoid",
            "erf",
            "erfc",
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "sinh",
            "cosh",
            "asinh",
            "acosh",
            "atanh",
            "abs",
            "floor",
            "ceil",
            "trunc",
            "round",
            "isnan",
            "isinf",
            "isfinite",
            "popcount",
        ],
        1,
    ),
    **dict.fromkeys(["pow", "atan2", "fmod", "hypot", "copysign"], 2),
}
"""Functions of f32 (or i32: abs, popcount) that `tile.fn` may call, and how many arguments they take."""

REDUCTIONS = ("sum", "max", "min", "abssum", "absmax", "bitand", "bitor", "bitxor")
ACCUMULATIONS = ("", "add", "max", "min")


def ints(values: Sequence[int]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, list(values))


def numbers(values: DenseArrayBase) -> tuple[int, ...]:
    """What `ints` holds.

    >>> numbers(ints([1, 2]))
    (1, 2)
    """
    return tuple(int(value) for value in values.get_values())  # type: ignore[misc]


def place_of(value: SSAValue) -> BufferType | TensorType | None:
    """The buffer or tensor type behind an operand; a circular buffer stands for the buffer it holds."""
    kind = getattr(value.type, "buffer", value.type)
    return kind if isinstance(kind, BufferType | TensorType) else None


def location_of(op: Operation) -> str:
    """The user's "file:line" behind an operation, or behind the nearest one around it that has one."""
    at: Operation | None = op
    while at is not None:
        if isinstance(at.location, FileLineColLoc):
            return f"{at.location.filename.data}:{at.location.line.data}"
        at = at.parent_op()
    return ""


@irdl_op_definition
class FuncOp(IRDLOperation):
    """A kernel. Block arguments: one tensor per parameter, then one index per symbol."""

    name = "tile.func"

    sym_name = prop_def(StringAttr)
    arg_names = prop_def(ArrayAttr[StringAttr])
    symbols = prop_def(ArrayAttr[StringAttr])
    body = region_def("single_block")
    traits = traits_def(NoTerminator(), IsolatedFromAbove())

    def __init__(
        self, name: str, args: Sequence[tuple[str, TensorType]], symbols: Sequence[str] = ()
    ) -> None:
        block = Block(arg_types=[*(kind for _, kind in args), *(IndexType() for _ in symbols)])
        names = [*(arg for arg, _ in args), *symbols]
        for value, hint in zip(block.args, names, strict=True):
            value.name_hint = hint
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "arg_names": ArrayAttr([StringAttr(arg) for arg, _ in args]),
                "symbols": ArrayAttr([StringAttr(symbol) for symbol in symbols]),
            },
            regions=[Region(block)],
        )

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        found, body = parse_function(parser)
        properties = {name: found.pop(name) for name in ("sym_name", "arg_names", "symbols")}
        return cls.create(properties=properties, attributes=found, regions=[body])

    def print(self, printer: Printer) -> None:
        print_function(printer, self)

    @property
    def tensors(self) -> dict[str, SSAValue]:
        return {n.data: v for n, v in zip(self.arg_names, self.body.block.args, strict=False)}

    @property
    def symbol_values(self) -> dict[str, SSAValue]:
        values = self.body.block.args[len(self.arg_names) :]
        return {n.data: v for n, v in zip(self.symbols, values, strict=True)}

    def verify_(self) -> None:
        args = self.body.block.args
        if len(args) != len(self.arg_names) + len(self.symbols):
            raise VerifyException(
                f"expected {len(self.arg_names)} tensors and {len(self.symbols)} symbols,"
                f" got {len(args)} arguments"
            )
        known = {symbol.data for symbol in self.symbols}
        for name, value in self.tensors.items():
            if not isinstance(value.type, TensorType):
                raise VerifyException(f"parameter {name} must be a tensor, got {value.type}")
            for size in value.type.dims:
                if isinstance(size, str) and size not in known:
                    raise VerifyException(
                        f"parameter {name} has the size {size!r}, which is no symbol of the kernel"
                    )


@irdl_op_definition
class GridOp(IRDLOperation):
    """All blocks of the kernel; the region's arguments are the block indices (1 to 3)."""

    name = "tile.grid"

    extents = var_operand_def(IndexType())
    body = region_def("single_block")
    traits = traits_def(NoTerminator())

    def __init__(self, extents: Sequence[SSAValue], names: Sequence[str] = ("bx", "by", "bz")) -> None:
        block = Block(arg_types=[IndexType() for _ in extents])
        for value, hint in zip(block.args, names, strict=False):
            value.name_hint = hint
        super().__init__(operands=[list(extents)], regions=[Region(block)])

    @classmethod
    def parse(cls, parser: Parser) -> GridOp:
        """`tile.grid (%bx, %by) in (%0, %1) {body}`"""
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False).resolve(IndexType())
        )
        parser.parse_keyword("in")
        extents = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_operand(IndexType())
        )
        given = parser.parse_optional_attr_dict_with_keyword()
        attributes = {} if given is None else dict(given.data)
        return cls.create(operands=extents, attributes=attributes, regions=[parser.parse_region(indices)])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(self.body.block.args, printer.print_ssa_value)
        printer.print_string(" in ")
        printer.print_operands(self.extents)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)

    def verify_(self) -> None:
        if not 1 <= len(self.extents) <= 3:
            raise VerifyException(f"a grid has 1 to 3 dimensions, got {len(self.extents)}")
        if len(self.body.block.args) != len(self.extents):
            raise VerifyException("a grid needs one block index per extent")


@irdl_op_definition
class YieldOp(IRDLOperation):
    """The value of the body of a `tile.map`."""

    name = "tile.yield"

    value = operand_def()
    traits = traits_def(IsTerminator())
    assembly_format = "$value attr-dict `:` type($value)"

    def __init__(self, value: SSAValue) -> None:
        super().__init__(operands=[value])


@irdl_op_definition
class AllocOp(IRDLOperation):
    """A buffer of the user's: shared, fragment or local. A producer may run `depth` versions ahead."""

    name = "tile.alloc"

    buffer_name = prop_def(StringAttr)
    depth = opt_prop_def(IntegerAttr[I64])
    buffer = result_def(BufferType)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$buffer_name attr-dict `:` type($buffer)"

    def __init__(self, name: str, kind: BufferType) -> None:
        super().__init__(properties={"buffer_name": StringAttr(name)}, result_types=[kind])
        self.buffer.name_hint = name


@irdl_op_definition
class ViewOp(IRDLOperation):
    """The same memory as another tensor, with another shape of as many elements."""

    name = "tile.view"

    source = operand_def(TensorType)
    tensor = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($tensor)"

    def __init__(self, source: SSAValue, kind: TensorType) -> None:
        super().__init__(operands=[source], result_types=[kind])


@irdl_op_definition
class VarOp(IRDLOperation):
    """A scalar variable with its first value."""

    name = "tile.var_of"

    initial = operand_def()
    var = result_def(VarType)
    assembly_format = "$initial attr-dict `:` type($initial) `->` type($var)"

    def __init__(self, initial: SSAValue, name: str) -> None:
        super().__init__(operands=[initial], result_types=[VarType(initial.type)])
        self.var.name_hint = name


@irdl_op_definition
class GetOp(IRDLOperation):
    """What a variable holds now."""

    name = "tile.get"

    var = operand_def(VarType)
    value = result_def()
    assembly_format = "$var attr-dict `:` type($var) `->` type($value)"

    def __init__(self, var: SSAValue) -> None:
        assert isinstance(var.type, VarType)
        super().__init__(operands=[var], result_types=[var.type.element_type])


@irdl_op_definition
class SetOp(IRDLOperation):
    """Give a variable a value."""

    name = "tile.set"

    var = operand_def(VarType)
    value = operand_def()
    assembly_format = "$var `,` $value attr-dict `:` type($var) `,` type($value)"

    def __init__(self, var: SSAValue, value: SSAValue) -> None:
        super().__init__(operands=[var, value])


def _check_region(
    what: str, tensor: TensorType, sizes: Sequence[int], dims: Sequence[int], buffer: BufferType
) -> None:
    rank = len(tensor.dims)
    if len(sizes) != rank or len(dims) != rank:
        raise VerifyException(f"{what} needs {rank} sizes and dims for a tensor of rank {rank}")
    for size, dim in zip(sizes, dims, strict=True):
        expected = 1 if dim < 0 else buffer.dims[dim]
        if size != expected:
            raise VerifyException(f"{what} of {tuple(sizes)} does not fit the buffer of shape {buffer.dims}")


@irdl_op_definition
class LoadOp(IRDLOperation):
    """Global region -> whole buffer. Elements beyond the tensor, or beyond `limits`, become zero.

    `sizes` has one entry per tensor dimension; `dims` says which buffer dimension each becomes, -1 if it is
    dropped (its size is then 1). Buffer dimensions that no tensor dimension maps to have size 1. `limits`,
    when given, has one entry per tensor dimension: how many elements from the offset on are wanted.
    """

    name = "tile.load"

    tensor = operand_def()
    offsets = var_operand_def(IndexType())
    limits = var_operand_def(IndexType())
    buffer = operand_def()
    sizes = prop_def(DenseArrayBase)
    dims = prop_def(DenseArrayBase)
    multicast = opt_prop_def(StringAttr)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (Ints,)
    assembly_format = (
        "$tensor `[` $offsets `]` (`limits` `[` $limits^ `]`)? `->` $buffer `sizes` custom<Ints>($sizes)"
        " `dims` custom<Ints>($dims) (`multicast` $multicast^)? attr-dict"
        " `:` type($tensor) `->` type($buffer)"
    )

    def __init__(
        self,
        tensor: SSAValue,
        offsets: Sequence[SSAValue],
        buffer: SSAValue,
        sizes: Sequence[int],
        dims: Sequence[int],
        limits: Sequence[SSAValue] = (),
    ) -> None:
        super().__init__(
            operands=[tensor, list(offsets), list(limits), buffer],
            properties={"sizes": ints(sizes), "dims": ints(dims)},
        )

    def verify_(self) -> None:
        _verify_transfer(self, self.tensor, self.buffer, self.sizes, self.dims)


@irdl_op_definition
class StoreOp(IRDLOperation):
    """Whole buffer -> global region; elements beyond the tensor or `limits` are dropped. See `LoadOp`.

    `accumulate` ("add", "max", "min") combines with what is there, atomically with regard to other blocks.
    """

    name = "tile.store"

    buffer = operand_def()
    tensor = operand_def()
    offsets = var_operand_def(IndexType())
    limits = var_operand_def(IndexType())
    sizes = prop_def(DenseArrayBase)
    dims = prop_def(DenseArrayBase)
    accumulate = prop_def(StringAttr)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (Ints,)
    assembly_format = (
        "$buffer `->` $tensor `[` $offsets `]` (`limits` `[` $limits^ `]`)? `sizes` custom<Ints>($sizes)"
        " `dims` custom<Ints>($dims) `accumulate` $accumulate attr-dict"
        " `:` type($buffer) `->` type($tensor)"
    )

    def __init__(
        self,
        buffer: SSAValue,
        tensor: SSAValue,
        offsets: Sequence[SSAValue],
        sizes: Sequence[int],
        dims: Sequence[int],
        limits: Sequence[SSAValue] = (),
        accumulate: str = "",
    ) -> None:
        super().__init__(
            operands=[buffer, tensor, list(offsets), list(limits)],
            properties={"sizes": ints(sizes), "dims": ints(dims), "accumulate": StringAttr(accumulate)},
        )

    def verify_(self) -> None:
        if self.accumulate.data not in ACCUMULATIONS:
            raise VerifyException(
                f"expected accumulate to be one of {ACCUMULATIONS}, got {self.accumulate.data!r}"
            )
        _verify_transfer(self, self.tensor, self.buffer, self.sizes, self.dims)


def _verify_transfer(
    op: LoadOp | StoreOp, tensor: SSAValue, buffer: SSAValue, sizes: DenseArrayBase, dims: DenseArrayBase
) -> None:
    source, target = place_of(tensor), place_of(buffer)
    if not isinstance(source, TensorType) or not isinstance(target, BufferType):
        raise VerifyException(f"{op.name} moves between a tensor and a buffer")
    rank = len(source.dims)
    if len(op.offsets) != rank or len(op.limits) not in (0, rank):
        raise VerifyException(f"{op.name} needs {rank} offsets, and {rank} limits or none")
    _check_region(op.name, source, numbers(sizes), numbers(dims), target)


@irdl_op_definition
class CopyOp(IRDLOperation):
    """Part of one buffer -> part of another, with a change of element type where they differ.

    `sizes` is the shape of the part in the source; `dims` says which destination dimension each source
    dimension becomes (-1: dropped). No offsets means from the origin. The rest of the destination keeps what
    it has.
    """

    name = "tile.copy"

    source = operand_def()
    source_offsets = var_operand_def(IndexType())
    dest = operand_def()
    dest_offsets = var_operand_def(IndexType())
    sizes = prop_def(DenseArrayBase)
    dims = prop_def(DenseArrayBase)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (Ints,)
    assembly_format = (
        "$source `[` $source_offsets `]` `->` $dest `[` $dest_offsets `]` `sizes` custom<Ints>($sizes)"
        " `dims` custom<Ints>($dims) attr-dict `:` type($source) `->` type($dest)"
    )

    def __init__(
        self,
        source: SSAValue,
        dest: SSAValue,
        source_offsets: Sequence[SSAValue] = (),
        dest_offsets: Sequence[SSAValue] = (),
        sizes: Sequence[int] | None = None,
        dims: Sequence[int] | None = None,
    ) -> None:
        kind = place_of(source)
        assert isinstance(kind, BufferType)
        super().__init__(
            operands=[source, list(source_offsets), dest, list(dest_offsets)],
            properties={
                "sizes": ints(kind.dims if sizes is None else sizes),
                "dims": ints(range(len(kind.dims)) if dims is None else dims),
            },
        )

    @property
    def is_whole(self) -> bool:
        """The whole destination is overwritten by the whole source, dimension by dimension."""
        source, dest = place_of(self.source), place_of(self.dest)
        assert isinstance(source, BufferType)
        assert isinstance(dest, BufferType)
        return (
            not self.source_offsets
            and not self.dest_offsets
            and source.dims == dest.dims == numbers(self.sizes)
            and numbers(self.dims) == tuple(range(len(source.dims)))
        )


@irdl_op_definition
class FillOp(IRDLOperation):
    """Every element of the buffer becomes the value (f32 or i32)."""

    name = "tile.fill"

    buffer = operand_def()
    value = operand_def()
    assembly_format = "$buffer `,` $value attr-dict `:` type($buffer) `,` type($value)"

    def __init__(self, buffer: SSAValue, value: SSAValue) -> None:
        super().__init__(operands=[buffer, value])


@irdl_op_definition
class GemmOp(IRDLOperation):
    """c += a @ b, over the last two dimensions, with a or b transposed on request."""

    name = "tile.gemm"

    a = operand_def()
    b = operand_def()
    c = operand_def()
    transpose_a = prop_def(BoolAttr)
    transpose_b = prop_def(BoolAttr)
    assembly_format = (
        "$a `,` $b `,` $c `transposed` `[` $transpose_a `,` $transpose_b `]` attr-dict"
        " `:` type($a) `,` type($b) `,` type($c)"
    )

    def __init__(
        self, a: SSAValue, b: SSAValue, c: SSAValue, transpose_a: bool = False, transpose_b: bool = False
    ) -> None:
        super().__init__(
            operands=[a, b, c],
            properties={
                "transpose_a": BoolAttr.from_bool(transpose_a),
                "transpose_b": BoolAttr.from_bool(transpose_b),
            },
        )

    def verify_(self) -> None:
        shapes = [_buffer(value, self.name).dims[-2:] for value in (self.a, self.b, self.c)]
        if any(len(shape) < 2 for shape in shapes):
            raise VerifyException("tile.gemm needs buffers of at least two dimensions")
        (m, ka), (kb, n), c = shapes
        if self.transpose_a:
            m, ka = ka, m
        if self.transpose_b:
            kb, n = n, kb
        if ka != kb or c != (m, n):
            raise VerifyException(f"tile.gemm of {m}x{ka} and {kb}x{n} does not give {c[0]}x{c[1]}")


@irdl_op_definition
class MapOp(IRDLOperation):
    """out[i, j, ..] = body(ins[..], i, j, ..), element by element.

    `dims[n]` says which iteration dimension each dimension of input n follows, -1 for a dimension of size 1
    that stays at 0: [[0, 1], [0], [1], [1, 0]] reads a block, a row-wise vector, a column-wise vector and a
    transposed block. The body's arguments are one scalar per input (f32 or i32, by element type), then one
    index per dimension of `out`; it ends with `tile.yield`. An input may be the output itself only with dims
    [0, 1, ..].
    """

    name = "tile.map"

    ins = var_operand_def()
    out = operand_def()
    dims = prop_def(ArrayAttr[DenseArrayBase])
    body = region_def("single_block")
    custom_directives = (IntLists,)
    assembly_format = (
        "`(` $ins `)` `->` $out `dims` custom<IntLists>($dims) attr-dict"
        " `:` `(` type($ins) `)` `->` type($out) $body"
    )

    def __init__(
        self, ins: Sequence[SSAValue], out: SSAValue, dims: Sequence[Sequence[int]], body: Region
    ) -> None:
        super().__init__(
            operands=[list(ins), out],
            properties={"dims": ArrayAttr([ints(entry) for entry in dims])},
            regions=[body],
        )

    def verify_(self) -> None:
        out = _buffer(self.out, self.name)
        if len(self.dims) != len(self.ins):
            raise VerifyException(f"tile.map has {len(self.ins)} inputs but dims for {len(self.dims)}")
        for value, entry in zip(self.ins, self.dims, strict=True):
            shape = _buffer(value, self.name).dims
            follows = numbers(entry)
            if len(follows) != len(shape):
                raise VerifyException(f"tile.map input of shape {shape} has dims {follows}")
            for size, dim in zip(shape, follows, strict=True):
                if dim >= 0 and size < out.dims[dim]:
                    raise VerifyException(f"tile.map input of shape {shape} is too small for {out.dims}")
        if len(self.body.block.args) != len(self.ins) + len(out.dims):
            raise VerifyException("tile.map needs one body argument per input and per dimension")


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """dest = combination of source along one dimension; without `clear`, combined with what dest holds."""

    name = "tile.reduce"

    source = operand_def()
    dest = operand_def()
    kind = prop_def(StringAttr)
    dim = prop_def(IntegerAttr[I64])
    clear = prop_def(BoolAttr)
    assembly_format = (
        "$kind $source `,` $dest `along` $dim `clear` $clear attr-dict `:` type($source) `,` type($dest)"
    )

    def __init__(self, source: SSAValue, dest: SSAValue, kind: str, dim: int, clear: bool = True) -> None:
        super().__init__(
            operands=[source, dest],
            properties={
                "kind": StringAttr(kind),
                "dim": IntegerAttr(dim, i64),
                "clear": BoolAttr.from_bool(clear),
            },
        )

    def verify_(self) -> None:
        if self.kind.data not in REDUCTIONS:
            raise VerifyException(f"expected a reduction of {REDUCTIONS}, got {self.kind.data!r}")
        source, dest = _buffer(self.source, self.name).dims, _buffer(self.dest, self.name).dims
        dim = self.dim.value.data
        kept = (*source[:dim], *source[dim + 1 :])
        if dest not in (kept, (*source[:dim], 1, *source[dim + 1 :])) and not (kept == () and dest == (1,)):
            raise VerifyException(f"tile.reduce of {source} along {dim} gives {kept}, not {dest}")


@irdl_op_definition
class ScalarOp(IRDLOperation):
    """Element by element on a data-movement core: any scalar code, with `tile.read` and `tile.write`.

    The way out for what is no tile operation: gathers, scatters, bit unpacking, scans, integer code. `reads`
    and `writes` list every buffer and tensor the body touches; one that is only partly written is in both.
    """

    name = "tile.scalar"

    reads = var_operand_def()
    writes = var_operand_def()
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "`reads` `(` $reads `)` `writes` `(` $writes `)` attr-dict"
        " `:` `(` type($reads) `)` `->` `(` type($writes) `)` $body"
    )

    def __init__(self, reads: Sequence[SSAValue], writes: Sequence[SSAValue], body: Region) -> None:
        super().__init__(operands=[list(reads), list(writes)], regions=[body])

    def verify_(self) -> None:
        for op in self.body.walk():
            if isinstance(op, ReadOp) and op.source not in self.reads:
                raise VerifyException("tile.scalar reads something that is not in its list of reads")
            if isinstance(op, WriteOp) and op.dest not in self.writes:
                raise VerifyException("tile.scalar writes something that is not in its list of writes")


@irdl_op_definition
class ReadOp(IRDLOperation):
    """One element, as f32 or i32. In a `tile.scalar` of buffers and tensors, elsewhere of tensors only."""

    name = "tile.read"

    source = operand_def()
    indices = var_operand_def(IndexType())
    value = result_def()
    assembly_format = "$source `[` $indices `]` attr-dict `:` type($source) `->` type($value)"

    def __init__(self, source: SSAValue, indices: Sequence[SSAValue], kind: Attribute) -> None:
        super().__init__(operands=[source, list(indices)], result_types=[kind])

    def verify_(self) -> None:
        place = place_of(self.source)
        if place is None or len(self.indices) != len(place.dims):
            raise VerifyException("tile.read needs one index per dimension of a buffer or tensor")


@irdl_op_definition
class WriteOp(IRDLOperation):
    """Write one element, inside a `tile.scalar`; `accumulate` as in `StoreOp`."""

    name = "tile.write"

    dest = operand_def()
    indices = var_operand_def(IndexType())
    value = operand_def()
    accumulate = prop_def(StringAttr)
    assembly_format = (
        "$dest `[` $indices `]` `,` $value `accumulate` $accumulate attr-dict"
        " `:` type($dest) `,` type($value)"
    )

    def __init__(
        self, dest: SSAValue, indices: Sequence[SSAValue], value: SSAValue, accumulate: str = ""
    ) -> None:
        super().__init__(
            operands=[dest, list(indices), value], properties={"accumulate": StringAttr(accumulate)}
        )


@irdl_op_definition
class FnOp(IRDLOperation):
    """A function of `FUNCTIONS`, in a body of scalars."""

    name = "tile.fn"

    fn = prop_def(StringAttr)
    args = var_operand_def()
    value = result_def()
    traits = traits_def(Pure())
    assembly_format = "$fn `(` $args `)` attr-dict `:` `(` type($args) `)` `->` type($value)"

    def __init__(self, fn: str, args: Sequence[SSAValue], kind: Attribute) -> None:
        super().__init__(operands=[list(args)], properties={"fn": StringAttr(fn)}, result_types=[kind])

    def verify_(self) -> None:
        if FUNCTIONS.get(self.fn.data) != len(self.args):
            raise VerifyException(f"tile.fn does not know {self.fn.data!r} with {len(self.args)} arguments")


@irdl_op_definition
class CleanOp(IRDLOperation):
    """Set the padding of the buffer's tiles (what lies beyond its shape) to the value; elements stay."""

    name = "tile.clean"

    buffer = operand_def()
    value = operand_def()
    assembly_format = "$buffer `,` $value attr-dict `:` type($buffer) `,` type($value)"

    def __init__(self, buffer: SSAValue, value: SSAValue) -> None:
        super().__init__(operands=[buffer, value])


def _buffer(value: SSAValue, name: str) -> BufferType:
    kind = place_of(value)
    if not isinstance(kind, BufferType):
        raise VerifyException(f"{name} works on buffers, got {value.type}")
    return kind


TileDialect = Dialect(
    "tile",
    [
        *(FuncOp, GridOp, YieldOp, AllocOp, ViewOp, VarOp, GetOp, SetOp, LoadOp, StoreOp, CopyOp, FillOp),
        *(GemmOp, MapOp, ReduceOp, ScalarOp, ReadOp, WriteOp, FnOp, CleanOp),
    ],
    [TensorType, BufferType, VarType],
)
