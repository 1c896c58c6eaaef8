"""How operations with regions or lists of numbers are written as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IndexType, StringAttr, i64
from xdsl.ir import Attribute, BlockArgument, Region
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

_HEADER = ("sym_name", "arg_names", "symbols")


@irdl_custom_directive
class Ints(CustomDirective):
    """A dense array as `[1, 2]`."""

    numbers: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.numbers.set(state, _parse_ints(parser))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_string(_ints_text(self.numbers.get(op)))


@irdl_custom_directive
class IntLists(CustomDirective):
    """An array of dense arrays as `[[0, 1], [0]]`."""

    lists: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        entries = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse_ints(parser))
        self.lists.set(state, ArrayAttr(entries))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        entries: Any = self.lists.get(op)
        printer.print_string("[" + ", ".join(_ints_text(entry) for entry in entries) + "]")


def _parse_ints(parser: Parser) -> DenseArrayBase[Any]:
    values = parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
    )
    return DenseArrayBase.from_list(i64, values)


def _ints_text(numbers: Any) -> str:
    return "[" + ", ".join(str(number) for number in numbers.get_values()) + "]"


def print_function(printer: Printer, op: Any, skipped: Sequence[str] = ()) -> None:
    """`@name(%A : type, ..) symbols(%m, ..) attributes {..} {body}` for tile.func and tt.kernel."""
    printer.print_string(" ")
    printer.print_symbol_name(op.sym_name.data)
    args = op.body.block.args
    tensors, symbols = args[: len(op.arg_names)], args[len(op.arg_names) :]
    with printer.in_parens():
        names = _print_list(printer, tensors, with_type=True)
    if symbols:
        printer.print_string(" symbols")
        with printer.in_parens():
            names += _print_list(printer, symbols, with_type=False)
    attributes = dict(op.attributes)
    if names != [name.data for name in (*op.arg_names, *op.symbols)]:
        attributes |= {"arg_names": op.arg_names, "symbols": op.symbols}
    attributes |= {name: value for name, value in op.properties.items() if name not in (*_HEADER, *skipped)}
    printer.print_op_attributes(attributes, print_keyword=True)
    printer.print_string(" ")
    printer.print_region(op.body, print_entry_block_args=False, print_empty_block=False)


def _print_list(printer: Printer, values: Sequence[BlockArgument], with_type: bool) -> list[str]:
    names: list[str] = []
    for index, value in enumerate(values):
        printer.print_string(", " if index else "")
        names.append(printer.print_ssa_value(value))
        if with_type:
            printer.print_string(": ")
            printer.print_attribute(value.type)
    return names


def parse_function(parser: Parser) -> tuple[dict[str, Attribute], Region]:
    """The other way round: properties and attributes together, and the body."""
    name = parser.parse_symbol_name()
    args = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
    symbols = []
    if parser.parse_optional_keyword("symbols") is not None:
        symbols = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False).resolve(IndexType())
        )
    found: dict[str, Attribute] = {
        "sym_name": name,
        "arg_names": ArrayAttr([StringAttr(arg.name.text[1:]) for arg in args]),
        "symbols": ArrayAttr([StringAttr(symbol.name.text[1:]) for symbol in symbols]),
    }
    given = parser.parse_optional_attr_dict_with_keyword()
    if given is not None:
        found |= given.data
    return found, parser.parse_region([*args, *symbols])
