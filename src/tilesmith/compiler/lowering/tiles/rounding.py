"""Which results of compute must be rounded to the element type of their buffer, and the rounding."""

from __future__ import annotations

from xdsl.dialects.builtin import Float16Type
from xdsl.ir import Attribute

from tilesmith.compiler.dialects.conversions import fits, is_rounded_type
from tilesmith.compiler.dialects.elements import rounded as as_element
from tilesmith.compiler.dialects.float8 import float8_of
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.lowering.tiles.access import Access
from tilesmith.compiler.lowering.tiles.expression import Apply, Fill, Load, Node, Spread
from tilesmith.compiler.lowering.tiles.float8 import round_slot_to_float8, rounded_to_float8
from tilesmith.compiler.lowering.tiles.half import round_slot_to_half, rounded_to_half
from tilesmith.compiler.lowering.tiles.stage import Stage, buffer_of
from tilesmith.compiler.lowering.transfers.build import Index

_KEEPS = ("transpose", "negative", "abs", "max", "min", "max_number", "min_number")
_TRUTHS = ("eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite")


def is_rounded(buffer_type: BufferType) -> bool:
    """Whether what is written to a buffer must be rounded first: it is kept with more bits than it has."""
    return is_rounded_type(buffer_type.element_type) and buffer_type.format.data == "Float32"


def round_slot(stage: Stage, slot: Index, spare: Index, buffer_type: BufferType) -> None:
    """Round a slot to the elements of a buffer; another slot is needed on the way."""
    narrow = float8_of(buffer_type.element_type)
    if narrow is not None:
        round_slot_to_float8(stage, slot, spare, narrow)
    else:
        round_slot_to_half(stage, slot, spare)


def rounded(node: Node, buffer_type: BufferType) -> Node:
    """The same as a graph."""
    narrow = float8_of(buffer_type.element_type)
    return rounded_to_half(node) if narrow is None else rounded_to_float8(node, narrow)


def is_exact(node: Node, accesses: list[Access], element: Attribute) -> bool:
    """Whether a tile holds numbers of an element type only, as far as the last steps to it show."""
    match node:
        case Load(number):
            return fits(buffer_of(accesses[number].cb).element_type, element)
        case Fill(value):
            return isinstance(value, float) and number_of(value, element) == value
        case Spread(source):
            return is_exact(source, accesses, element)
        case Apply("where", inputs):
            return all(is_exact(one, accesses, element) for one in inputs[1:])
        case Apply(fn, inputs, params) if fn in _KEEPS:
            constants = all(isinstance(one, float) and number_of(one, element) == one for one in params)
            return constants and all(is_exact(one, accesses, element) for one in inputs)
        case Apply("from_half_range"):
            return isinstance(element, Float16Type)
        case Apply(fn):
            return fn.removesuffix("_number") in _TRUTHS
    return False


def number_of(value: float, element: Attribute) -> float:
    """A number known now, as a place of this type has it."""
    return float(as_element(value, element))
