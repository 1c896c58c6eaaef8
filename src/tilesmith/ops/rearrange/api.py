"""Launching a rearrangement: the one place where ttnn's data-movement functions meet the device operation."""

from __future__ import annotations

from collections.abc import Sequence

from tilesmith.formats import DataFormat
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.elementwise.steps import word_of
from tilesmith.ops.framework import launch
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, MemoryConfig
from tilesmith.ops.rearrange.mapping import Segment
from tilesmith.ops.rearrange.move_tiles import MoveTilesFactory
from tilesmith.ops.rearrange.operation import Attributes, Rearrange
from tilesmith.ops.shards import fitting_memory
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
    chosen = layout or first.layout
    memory = memory_config or first.memory_config()
    attrs = Attributes(
        tuple(shape),
        chosen,
        fitting_memory(memory, tuple(shape), first, chosen).placed(),
        tuple(segments),
        fill_bits(fill, first.spec.dtype),
        tuple(view),
        label,
    )
    if first.dtype.is_block_float and not _moves_tiles(attrs, inputs):
        return _as_bfloat16(inputs, shape, segments, label, chosen, memory, fill, view)
    return launch(REARRANGE, attrs, _alike(inputs), output=() if output is None else [output])[0]


def fill_bits(value: float, format: DataFormat) -> int:
    """A value as an element's bits.

    >>> hex(fill_bits(1.0, DataFormat.Float16_b))
    '0x3f80'
    """
    word = word_of(value, format)
    if format.is_integer or format is DataFormat.Float32:
        return word
    if word & 0x7F800000 == 0x7F800000:
        return word >> 16
    return (word + 0x7FFF + (word >> 16 & 1)) >> 16


def _moves_tiles(attrs: Attributes, inputs: Sequence[Tensor]) -> bool:
    on_device = [tensor.on_device for tensor in inputs if tensor.on_device is not None]
    return len(on_device) == len(inputs) and MoveTilesFactory.takes(attrs, on_device)


def _as_bfloat16(
    inputs: Sequence[Tensor],
    shape: Sequence[int],
    segments: Sequence[Segment],
    label: str,
    layout: Layout,
    memory: MemoryConfig,
    fill: float,
    view: Sequence[int],
) -> Tensor:
    """Block floats cannot be moved one by one: they travel as bfloat16, and in rows they stay that."""
    from tilesmith.ops.elementwise.unary import typecast

    wide = [typecast(tensor, DataType.BFLOAT16) for tensor in inputs]
    moved = rearrange(
        wide, shape, segments, label=label, layout=layout, memory_config=memory, fill=fill, view=view
    )
    return moved if layout is Layout.ROW_MAJOR else typecast(moved, inputs[0].dtype)


def _alike(inputs: Sequence[Tensor]) -> Sequence[Tensor]:
    """In one kind of memory, as the kernel describes all its sources alike."""
    placements = {_placement(tensor) for tensor in inputs}
    if len(placements) == 1:
        return inputs
    from tilesmith.ops.rearrange.memory import to_memory_config

    return [to_memory_config(tensor, DRAM_MEMORY_CONFIG) for tensor in inputs]


def _placement(tensor: Tensor) -> tuple[object, ...]:
    memory = tensor.spec.memory_config
    if memory.is_sharded:
        # Shards are described with one or two axes, depending on their shape.
        return (memory.buffer_type, tensor.spec)
    return (memory.buffer_type,)
