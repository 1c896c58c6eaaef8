"""The device operation behind every operation that only moves elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tilesmith.formats import DataFormat
from tilesmith.ops.checks import fatal
from tilesmith.ops.framework import Factory
from tilesmith.ops.rearrange.mapping import Segment
from tilesmith.runtime import Layout, MemoryConfig, Tensor
from tilesmith.runtime.tensor_spec import TensorSpec


@dataclass(frozen=True)
class Attributes:
    """`shape` is the output's. What no segment covers becomes `fill`, given by its bits.

    `view` is a shape of as many elements in which the segments are given, where that is not the output's.
    """

    shape: tuple[int, ...]
    layout: Layout
    memory_config: MemoryConfig
    segments: tuple[Segment, ...]
    fill: int = 0
    view: tuple[int, ...] = ()
    label: str = ""

    @property
    def axes(self) -> tuple[int, ...]:
        """The shape the segments speak of."""
        return self.view or self.shape or (1,)


class Rearrange:
    """One or more inputs of one format, put together in another order, layout or memory."""

    name = "ttnn.rearrange"

    def validate(self, attrs: Attributes, inputs: Sequence[Tensor]) -> None:
        first = inputs[0]
        fatal(
            all(one.dtype is first.dtype and one.layout is first.layout for one in inputs),
            "All tensors must have the same dtype and layout",
        )
        fatal(len(attrs.axes) <= 8, f"at most 8 dimensions can be rearranged, not {len(attrs.axes)}")

    def output_specs(self, attrs: Attributes, inputs: Sequence[Tensor]) -> tuple[TensorSpec, ...]:
        return (TensorSpec(attrs.shape, inputs[0].dtype, attrs.layout, attrs.memory_config),)

    def select_factory(self, attrs: Attributes, inputs: Sequence[Tensor]) -> Factory[Attributes]:
        from tilesmith.ops.rearrange.gather import GatherFactory
        from tilesmith.ops.rearrange.move_tiles import MoveTilesFactory

        if MoveTilesFactory.takes(attrs, inputs):
            return MoveTilesFactory()
        _check_elements(inputs[0].dtype)
        return GatherFactory()


def _check_elements(format: DataFormat) -> None:
    fatal(
        not format.is_block_float,
        f"{format.name} can only be moved tile by tile: its elements share exponents",
        remedy="convert with ttnn.typecast first",
    )
