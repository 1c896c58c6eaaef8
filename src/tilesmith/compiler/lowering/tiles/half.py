"""Values of float16 buffers, which are kept as Float32: rounded to nearest even where they are written.

Half of the last bit that float16 keeps is added, a little less if that bit is zero, and what lies below it is
cleared. Times 2^112 and back makes infinity of what is too large. Numbers below 2^-14 keep eleven bits.

A NaN may have no bits but those that are cleared (Wormhole's arithmetic makes such), or so many that the sum
overflows, so each is replaced first. `isnan` gives 1.0; the bits of 1.75, shifted left, are those of a NaN.
"""

from __future__ import annotations

from tilesmith.compiler.lowering.tiles.expression import Apply, Node
from tilesmith.compiler.lowering.tiles.stage import Stage
from tilesmith.compiler.lowering.transfers.build import Index

_NAN = ("isnan", "one_to_nan_halved", "double_bits")
_AFTER = ("add_below_half", "clear_13_bits", "to_half_range", "from_half_range")


def round_slot_to_half(stage: Stage, slot: Index, spare: Index) -> None:
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


def with_plain_nan(node: Node) -> Node:
    """The same values, every NaN the usual one."""
    nan = node
    for fn in _NAN:
        nan = Apply(fn, (nan,))
    return Apply("where", (nan, nan, node))


def rounded_to_half(node: Node) -> Node:
    """The same as a graph."""
    node = with_plain_nan(node)
    odd = Apply("last_bit", (Apply("shift_to_last_bit", (node,)),))
    result: Node = Apply("add_int", (node, odd))
    for fn in _AFTER:
        result = Apply(fn, (result,))
    return result
