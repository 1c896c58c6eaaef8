"""Single elements on a data-movement core: of tensors in DRAM, and of arrays in L1. Part of tt_dataflow."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, IntegerAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from tilesmith.compiler.dialects.tt import AccessorType, number


@irdl_attr_definition
class ElementsType(ParametrizedAttribute, TypeAttribute):
    """A tensor that is read or written element by element, through scratch memory."""

    name = "tt_dataflow.elements_of"


@irdl_op_definition
class ElementsOp(IRDLOperation):
    """Single elements of a tensor. `page_bytes` is the length of its pages; `scratch` has room for a line.

    `access` is "lines" (reads keep the last line read: right for tensors that nobody writes) or "exact"
    (reads and writes touch nothing but the elements named; writes that follow each other are collected).
    """

    name = "tt_dataflow.elements"

    accessor = operand_def(AccessorType)
    scratch = operand_def(IndexType())
    page_bytes = operand_def(IndexType())
    access = prop_def(StringAttr)
    format = prop_def(StringAttr)
    elements = result_def(ElementsType)
    assembly_format = "$access $format $accessor `,` $scratch `,` $page_bytes attr-dict `:` type($accessor)"

    def __init__(
        self, accessor: SSAValue, scratch: SSAValue, page_bytes: SSAValue, access: str, format: str
    ) -> None:
        super().__init__(
            operands=[accessor, scratch, page_bytes],
            properties={"access": StringAttr(access), "format": StringAttr(format)},
            result_types=[ElementsType()],
        )


@irdl_op_definition
class ReadElementOp(IRDLOperation):
    """One element of a tensor, as f32 or i32."""

    name = "tt_dataflow.read_element"

    elements = operand_def(ElementsType)
    page = operand_def(IndexType())
    index = operand_def(IndexType())
    value = result_def()
    assembly_format = "$elements `[` $page `,` $index `]` attr-dict `:` type($value)"

    def __init__(self, elements: SSAValue, page: SSAValue, index: SSAValue, result_type: Attribute) -> None:
        super().__init__(operands=[elements, page, index], result_types=[result_type])


@irdl_op_definition
class WriteElementOp(IRDLOperation):
    """Write one element of a tensor; it has arrived after the `flush` that follows."""

    name = "tt_dataflow.write_element"

    elements = operand_def(ElementsType)
    page = operand_def(IndexType())
    index = operand_def(IndexType())
    value = operand_def()
    assembly_format = "$elements `[` $page `,` $index `]` `,` $value attr-dict `:` type($value)"

    def __init__(self, elements: SSAValue, page: SSAValue, index: SSAValue, value: SSAValue) -> None:
        super().__init__(operands=[elements, page, index, value])


@irdl_op_definition
class FlushOp(IRDLOperation):
    """Every element written so far has arrived."""

    name = "tt_dataflow.flush"

    elements = operand_def(ElementsType)
    assembly_format = "$elements attr-dict"

    def __init__(self, elements: SSAValue) -> None:
        super().__init__(operands=[elements])


@irdl_op_definition
class LoadWordOp(IRDLOperation):
    """Element `index` of an array in L1, as f32 or i32; `format` is how it is stored."""

    name = "tt_dataflow.load_word"

    address = operand_def(IndexType())
    index = operand_def(IndexType())
    format = prop_def(StringAttr)
    value = result_def()
    assembly_format = "$format $address `[` $index `]` attr-dict `:` type($value)"

    def __init__(self, address: SSAValue, index: SSAValue, format: str, result_type: Attribute) -> None:
        super().__init__(
            operands=[address, index], properties={"format": StringAttr(format)}, result_types=[result_type]
        )


@irdl_op_definition
class StoreWordOp(IRDLOperation):
    """Write element `index` of an array in L1."""

    name = "tt_dataflow.store_word"

    address = operand_def(IndexType())
    index = operand_def(IndexType())
    value = operand_def()
    format = prop_def(StringAttr)
    assembly_format = "$format $address `[` $index `]` `,` $value attr-dict `:` type($value)"

    def __init__(self, address: SSAValue, index: SSAValue, value: SSAValue, format: str) -> None:
        super().__init__(operands=[address, index, value], properties={"format": StringAttr(format)})


@irdl_op_definition
class DatumOp(IRDLOperation):
    """Where an element lies in a grid of tiles that is `across` tiles wide: four faces of 16x16 to a tile."""

    name = "tt_dataflow.datum"

    row = operand_def(IndexType())
    col = operand_def(IndexType())
    across = prop_def(IntegerAttr)
    index = result_def(IndexType())
    traits = traits_def(Pure())
    assembly_format = "`[` $row `,` $col `]` `across` $across attr-dict"

    def __init__(self, row: SSAValue, col: SSAValue, across: int) -> None:
        super().__init__(
            operands=[row, col], properties={"across": number(across)}, result_types=[IndexType()]
        )
