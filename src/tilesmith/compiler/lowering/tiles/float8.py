"""Values of float8 buffers that were computed, kept as Float32: rounded where they are written.

A float so large that its last bit is the last one float8 keeps is added and taken away again; it follows the
exponent of each value, down to that of the smallest normal number. Values are clamped to the largest number
first. The unit takes 448 for the smaller of 448 and NaN, so NaN is added afterwards where it was.
"""

from __future__ import annotations

from tilesmith.compiler.dialects.float8 import Float8
from tilesmith.compiler.lowering.tiles.expression import Apply, Node
from tilesmith.compiler.lowering.tiles.stage import Stage
from tilesmith.compiler.lowering.transfers.build import Index

_NAN = ("isnan", "one_to_nan_halved", "double_bits")
_FLOAT_BITS = 23


def _offset(format: Float8) -> float:
    """What a power of two is multiplied with: the middle of a range that neither sign leaves."""
    return 1.5 * 2.0 ** (_FLOAT_BITS - format.mantissa)


def round_slot_to_float8(stage: Stage, slot: Index, spare: Index, format: Float8) -> None:
    """Round a slot; another is needed on the way."""
    stage.vector("copy_slot", [slot, spare])
    for fn in _NAN:
        stage.vector(fn, [spare])
    stage.vector("min_number", [slot], [stage.number(format.largest)])
    stage.vector("max_number", [slot], [stage.number(-format.largest)])
    stage.vector("add", [slot, spare, slot])
    stage.vector("copy_slot", [slot, spare])
    stage.vector("exponent_bits", [spare])
    stage.vector("max_number", [spare], [stage.number(2.0**format.lowest)])
    stage.vector("multiply_number", [spare], [stage.number(_offset(format))])
    stage.vector("add", [slot, spare, slot])
    stage.vector("sub", [slot, spare, slot])


def rounded_to_float8(node: Node, format: Float8) -> Node:
    """The same as a graph."""
    nan = node
    for fn in _NAN:
        nan = Apply(fn, (nan,))
    within = Apply("max_number", (Apply("min_number", (node,), (format.largest,)),), (-format.largest,))
    value = Apply("add", (within, nan))
    power = Apply("max_number", (Apply("exponent_bits", (value,)),), (2.0**format.lowest,))
    offset = Apply("multiply_number", (power,), (_offset(format),))
    return Apply("sub", (Apply("add", (value, offset)), offset))
