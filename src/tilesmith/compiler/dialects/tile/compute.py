"""What computes on buffers: products, elementwise maps, reductions, fills."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import I64, ArrayAttr, BoolAttr, DenseArrayBase, IntegerAttr, StringAttr, i64
from xdsl.ir import Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

from tilesmith.compiler.dialects.syntax import IntLists
from tilesmith.compiler.dialects.tile.common import buffer_of, ints, numbers

REDUCTIONS = ("sum", "max", "min", "abssum", "absmax", "bitand", "bitor", "bitxor")


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
class CleanOp(IRDLOperation):
    """Set the padding of the buffer's tiles (what lies beyond its shape) to the value; elements stay."""

    name = "tile.clean"

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
        shapes = [buffer_of(value, self.name).dims[-2:] for value in (self.a, self.b, self.c)]
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
        out = buffer_of(self.out, self.name)
        if len(self.dims) != len(self.ins):
            raise VerifyException(f"tile.map has {len(self.ins)} inputs but dims for {len(self.dims)}")
        for number, (value, entry) in enumerate(zip(self.ins, self.dims, strict=True)):
            shape = buffer_of(value, self.name).dims
            follows = numbers(entry)
            if len(follows) != len(shape):
                raise VerifyException(f"tile.map input of shape {shape} has dims {follows}")
            for size, dim in zip(shape, follows, strict=True):
                if dim >= 0 and size < out.dims[dim]:
                    raise VerifyException(f"tile.map input of shape {shape} is too small for {out.dims}")
            if value is self.out and not self.reads_in_place(number):
                raise VerifyException(f"tile.map reads its output with dims {follows}, not in place")
        if len(self.body.block.args) != len(self.ins) + len(out.dims):
            raise VerifyException("tile.map needs one body argument per input and per dimension")

    def reads_in_place(self, number: int) -> bool:
        """Whether each element of an input goes to the same place of the output."""
        sizes = buffer_of(self.out, self.name).dims
        follows = numbers(self.dims.data[number])
        return len(follows) == len(sizes) and all(
            dim == place or (dim == -1 and size == 1)
            for place, (dim, size) in enumerate(zip(follows, sizes, strict=True))
        )


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
class ReduceOp(IRDLOperation):
    """dest = combination of source along one dimension; without `clear`, combined with what dest holds."""

    name = "tile.reduce"

    source = operand_def()
    dest = operand_def()
    reduction = prop_def(StringAttr)
    dim = prop_def(IntegerAttr[I64])
    clear = prop_def(BoolAttr)
    assembly_format = (
        "$reduction $source `,` $dest `along` $dim `clear` $clear attr-dict `:` type($source) `,` type($dest)"
    )

    def __init__(
        self, source: SSAValue, dest: SSAValue, reduction: str, dim: int, clear: bool = True
    ) -> None:
        super().__init__(
            operands=[source, dest],
            properties={
                "reduction": StringAttr(reduction),
                "dim": IntegerAttr(dim, i64),
                "clear": BoolAttr.from_bool(clear),
            },
        )

    def verify_(self) -> None:
        if self.reduction.data not in REDUCTIONS:
            raise VerifyException(f"expected a reduction of {REDUCTIONS}, got {self.reduction.data!r}")
        source, dest = buffer_of(self.source, self.name).dims, buffer_of(self.dest, self.name).dims
        dim = self.dim.value.data
        kept = (*source[:dim], *source[dim + 1 :])
        if dest not in (kept, (*source[:dim], 1, *source[dim + 1 :])) and not (kept == () and dest == (1,)):
            raise VerifyException(f"tile.reduce of {source} along {dim} gives {kept}, not {dest}")
