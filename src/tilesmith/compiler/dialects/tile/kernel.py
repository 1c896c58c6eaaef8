"""A kernel and the grid of its blocks."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IndexType, StringAttr
from xdsl.ir import Block, Region, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, region_def, traits_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, NoTerminator
from xdsl.utils.exceptions import VerifyException

from tilesmith.compiler.dialects.syntax import parse_function, print_function
from tilesmith.compiler.dialects.types import TensorType


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
