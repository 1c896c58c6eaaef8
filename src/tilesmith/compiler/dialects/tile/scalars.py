"""Element by element: scalar code, the elements it reads and writes, and the functions it may call."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, StringAttr
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import NoTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from tilesmith.compiler.dialects.tile.common import place_of
from tilesmith.compiler.dialects.walk import walk

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
            "half",
            "bfloat16",
            "float8_e4m3",
            "float8_e5m2",
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
        for op in walk(self.body):
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

    def __init__(self, source: SSAValue, indices: Sequence[SSAValue], result_type: Attribute) -> None:
        super().__init__(operands=[source, list(indices)], result_types=[result_type])

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

    def __init__(self, fn: str, args: Sequence[SSAValue], result_type: Attribute) -> None:
        super().__init__(operands=[list(args)], properties={"fn": StringAttr(fn)}, result_types=[result_type])

    def verify_(self) -> None:
        if FUNCTIONS.get(self.fn.data) != len(self.args):
            raise VerifyException(f"tile.fn does not know {self.fn.data!r} with {len(self.args)} arguments")
