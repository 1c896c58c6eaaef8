"""The types of the tile dialect: global tensors, on-core buffers, scalar variables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

Dim = int | str
"""A size: a number, or the name of a symbol whose value the call brings."""


def _dims(shape: Iterable[Dim]) -> ArrayAttr[IntAttr | StringAttr]:
    return ArrayAttr([IntAttr(size) if isinstance(size, int) else StringAttr(size) for size in shape])


def _print_shape(printer: Printer, shape: ArrayAttr[IntAttr | StringAttr]) -> None:
    sizes = (str(d.data) if isinstance(d, IntAttr) else f'"{d.data}"' for d in shape)
    printer.print_string("[" + ", ".join(sizes) + "]")


def _parse_shape(parser: AttrParser) -> ArrayAttr[IntAttr | StringAttr]:
    def size() -> Dim:
        text = parser.parse_optional_str_literal()
        return parser.parse_integer(allow_boolean=False) if text is None else text

    return _dims(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, size))


@irdl_attr_definition
class TensorType(ParametrizedAttribute, TypeAttribute):
    """A tensor in DRAM: `!tile.tensor<[256, "m"], bf16>`.

    The last two parameters are empty until `infer-tt-layout` has chosen: layout is "tile" or "row_major",
    format a name of `DataFormat`.
    """

    name = "tile.tensor"

    shape: ArrayAttr[IntAttr | StringAttr]
    element_type: Attribute
    layout: StringAttr
    format: StringAttr

    @staticmethod
    def of(shape: Sequence[Dim], element_type: Attribute, layout: str = "", format: str = "") -> TensorType:
        return TensorType(_dims(shape), element_type, StringAttr(layout), StringAttr(format))

    @property
    def dims(self) -> tuple[Dim, ...]:
        return tuple(size.data for size in self.shape)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            shape = _parse_shape(parser)
            parser.parse_punctuation(",")
            return [shape, parser.parse_type(), *_parse_words(parser, 2)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            _print_shape(printer, self.shape)
            printer.print_string(", ")
            printer.print_attribute(self.element_type)
            _print_words(printer, self.layout, self.format)


@irdl_attr_definition
class BufferType(ParametrizedAttribute, TypeAttribute):
    """A buffer on a core: `!tile.buffer<[128, 32], bf16, shared>`, later `..., shared, tiled, Float16_b>`.

    scope is "shared", "fragment" or "local". layout, empty until `infer-tt-layout`, is one of

    - "tiled": the last two dimensions in 32x32 tiles, leading dimensions one after the other;
    - "column": a vector over rows; tile t holds elements 32t.. down its rows, the same in every column. The
      vector is the last dimension that is not 1; the others are batches of vectors;
    - "row": a vector over columns; tile t holds elements 32t.. along its columns, the same in every row. The
      vector is the last dimension that is not 1, as above;
    - "flat": elements in memory order, 1024 to a tile;
    - "scalar": each element has a tile of its own, the same all over it (most often there is one element).
    """

    name = "tile.buffer"

    shape: ArrayAttr[IntAttr | StringAttr]
    element_type: Attribute
    scope: StringAttr
    layout: StringAttr
    format: StringAttr

    @staticmethod
    def of(
        shape: Sequence[int], element_type: Attribute, scope: str, layout: str = "", format: str = ""
    ) -> BufferType:
        return BufferType(
            _dims(shape), element_type, StringAttr(scope), StringAttr(layout), StringAttr(format)
        )

    @property
    def dims(self) -> tuple[int, ...]:
        return tuple(int(size.data) for size in self.shape)

    @property
    def elements(self) -> int:
        return prod(self.dims)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            shape = _parse_shape(parser)
            parser.parse_punctuation(",")
            element_type = parser.parse_type()
            parser.parse_punctuation(",")
            scope = StringAttr(parser.parse_identifier())
            return [shape, element_type, scope, *_parse_words(parser, 2)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            _print_shape(printer, self.shape)
            printer.print_string(", ")
            printer.print_attribute(self.element_type)
            printer.print_string(f", {self.scope.data}")
            _print_words(printer, self.layout, self.format)


@irdl_attr_definition
class VarType(ParametrizedAttribute, TypeAttribute):
    """A scalar that is assigned to: `!tile.var<i32>`."""

    name = "tile.var"

    element_type: Attribute


def _parse_words(parser: AttrParser, count: int) -> list[StringAttr]:
    if parser.parse_optional_punctuation(",") is None:
        return [StringAttr("")] * count
    words = [StringAttr(parser.parse_identifier())]
    while len(words) < count:
        parser.parse_punctuation(",")
        words.append(StringAttr(parser.parse_identifier()))
    return words


def _print_words(printer: Printer, *words: StringAttr) -> None:
    if words[0].data:
        printer.print_string("".join(f", {word.data}" for word in words))
