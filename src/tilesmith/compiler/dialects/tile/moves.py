"""What moves data: between tensors and buffers, and from buffer to buffer."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IndexType, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from tilesmith.compiler.dialects.syntax import Ints
from tilesmith.compiler.dialects.tile.common import ints, numbers, place_of
from tilesmith.compiler.dialects.types import BufferType, TensorType

ACCUMULATIONS = ("", "add", "max", "min")


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
        buffer_type = place_of(source)
        assert isinstance(buffer_type, BufferType)
        super().__init__(
            operands=[source, list(source_offsets), dest, list(dest_offsets)],
            properties={
                "sizes": ints(buffer_type.dims if sizes is None else sizes),
                "dims": ints(range(len(buffer_type.dims)) if dims is None else dims),
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
