"""What a kernel keeps: buffers, views of tensors, scalar variables."""

from __future__ import annotations

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from tilesmith.compiler.dialects.types import BufferType, TensorType, VarType


@irdl_op_definition
class AllocOp(IRDLOperation):
    """A buffer of the user's: shared, fragment or local. A producer may run `depth` versions ahead.

    `stages` is what the user asked for with `num_stages`; L1 may have room for fewer.
    """

    name = "tile.alloc"

    buffer_name = prop_def(StringAttr)
    depth = opt_prop_def(IntegerAttr[I64])
    stages = opt_prop_def(IntegerAttr[I64])
    buffer = result_def(BufferType)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$buffer_name attr-dict `:` type($buffer)"

    def __init__(self, name: str, buffer_type: BufferType) -> None:
        super().__init__(properties={"buffer_name": StringAttr(name)}, result_types=[buffer_type])
        self.buffer.name_hint = name


@irdl_op_definition
class ViewOp(IRDLOperation):
    """The same memory as another tensor, with another shape of as many elements."""

    name = "tile.view"

    source = operand_def(TensorType)
    tensor = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($tensor)"

    def __init__(self, source: SSAValue, tensor_type: TensorType) -> None:
        super().__init__(operands=[source], result_types=[tensor_type])


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
