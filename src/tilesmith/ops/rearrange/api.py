"""Launching a rearrangement: the one place where ttnn's data-movement functions meet the device operation."""

from __future__ import annotations

from collections.abc import Sequence

from tilesmith.formats import DataFormat
from tilesmith.ops.elementwise.steps import word_of
from tilesmith.ops.framework import launch
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.rearrange.mapping import Segment
from tilesmith.ops.rearrange.operation import Attributes, Rearrange
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout

REARRANGE = Rearrange()


def rearrange(
    inputs: Sequence[Tensor],
    shape: Sequence[int],
    segments: Sequence[Segment],
    *,
    label: str,
    layout: Layout | None = None,
    memory_config: MemoryConfig | None = None,
    fill: float = 0,
    view: Sequence[int] = (),
    output: Tensor | None = None,
) -> Tensor:
    """A tensor of this shape put together from elements of others.

    Layout and memory are those of the first input unless told. `label` is the operation's name in the program
    cache.
    """
    first = inputs[0]
    attrs = Attributes(
        tuple(shape),
        layout or first.layout,
        (memory_config or first.memory_config()).placed(),
        tuple(segments),
        fill_bits(fill, first.spec.dtype),
        tuple(view),
        label,
    )
    return launch(REARRANGE, attrs, inputs, output=() if output is None else [output])[0]


def fill_bits(value: float, format: DataFormat) -> int:
    """A value as an element's bits.

    >>> hex(fill_bits(1.0, DataFormat.Float16_b))
    '0x3f80'
    """
    word = word_of(value, format)
    if format.is_integer or format is DataFormat.Float32:
        return word
    # To the nearest, ties to even; what has more than bfloat16's digits is rare in a fill value.
    return (
        (word + 0x7FFF + (word >> 16 & 1)) >> 16 & 0xFFFF if word & 0x7F800000 != 0x7F800000 else word >> 16
    )
