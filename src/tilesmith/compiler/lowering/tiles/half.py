"""Values of float16 buffers, which are kept as Float32: rounded to nearest even where they are written.

Half of the last bit that float16 keeps is added, a little less if that bit is zero, and what lies below it is
cleared. Times 2^112 and back makes infinity of what is too large. Numbers below 2^-14 keep eleven bits.

A NaN may have no bits but those that are cleared (Wormhole's arithmetic makes such), or so many that the sum
overflows, so each is replaced first. `isnan` gives 1.0; the bits of 1.75, shifted left, are those of a NaN.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import Float16Type

from tilesmith.compiler.dialects.conversions import fits_half
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.lowering.tiles.access import Access
from tilesmith.compiler.lowering.tiles.expression import Apply, Fill, Load, Node, Spread
from tilesmith.compiler.lowering.tiles.stage import Stage, buffer_of
from tilesmith.compiler.lowering.transfers.build import Index

_NAN = ("isnan", "one_to_nan_halved", "double_bits")
_AFTER = ("add_below_half", "clear_13_bits", "to_half_range", "from_half_range")
_KEEPS = ("transpose", "negative", "abs", "max", "min")
_TRUTHS = ("eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite")


def is_rounded(kind: BufferType) -> bool:
    """Whether what is written to a buffer must be rounded to float16 first."""
    return isinstance(kind.element_type, Float16Type) and kind.format.data == "Float32"


def round_slot(stage: Stage, slot: Index, spare: Index) -> None:
    """Round a slot; another is needed on the way."""
    stage.vector("copy_slot", [slot, spare])
    for fn in _NAN:
        stage.vector(fn, [spare])
    stage.vector("where", [spare, spare, slot, slot])
    stage.vector("copy_slot", [slot, spare])
    stage.vector("shift_to_last_bit", [spare])
    stage.vector("last_bit", [spare])
    stage.vector("add_int", [slot, spare, slot])
    for fn in _AFTER:
        stage.vector(fn, [slot])


def rounded_to_half(node: Node) -> Node:
    """The same as a graph."""
    nan: Node = node
    for fn in _NAN:
        nan = Apply(fn, (nan,))
    node = Apply("where", (nan, nan, node))
    odd = Apply("last_bit", (Apply("shift_to_last_bit", (node,)),))
    result: Node = Apply("add_int", (node, odd))
    for fn in _AFTER:
        result = Apply(fn, (result,))
    return result


def is_half(node: Node, accesses: list[Access]) -> bool:
    """Whether a tile holds numbers of float16 only, as far as the last steps to it show."""
    match node:
        case Load(number):
            return fits_half(buffer_of(accesses[number].cb).element_type)
        case Fill(value):
            return isinstance(value, float) and as_half(value) == value
        case Spread(source):
            return is_half(source, accesses)
        case Apply("where", inputs):
            return all(is_half(one, accesses) for one in inputs[1:])
        case Apply(fn, inputs, params) if fn in (*_KEEPS, "max_number", "min_number"):
            constants = all(isinstance(value, float) and as_half(value) == value for value in params)
            return constants and all(is_half(one, accesses) for one in inputs)
        case Apply(fn):
            return fn == "from_half_range" or fn.removesuffix("_number") in _TRUTHS
    return False


def as_half(value: float) -> float:
    """A number known now, as float16 has it."""
    with np.errstate(over="ignore"):
        return float(np.float16(np.float32(value)))
