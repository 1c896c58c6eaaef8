"""grid_sample as a device operation: its rules, its output, and which program does it."""

from __future__ import annotations

from collections.abc import Sequence

from tilesmith.ops.framework import Factory, FunctionFactory
from tilesmith.ops.grid_sample.attributes import GridSampleAttributes
from tilesmith.ops.grid_sample.bilinear import local_program, streaming_program
from tilesmith.ops.grid_sample.nearest import nearest_program
from tilesmith.ops.grid_sample.output_spec import output_spec
from tilesmith.ops.grid_sample.validation import validate
from tilesmith.runtime import Tensor
from tilesmith.runtime.tensor_spec import TensorSpec

NEAREST = FunctionFactory(nearest_program)
BILINEAR_STREAMING = FunctionFactory(streaming_program)
BILINEAR_LOCAL = FunctionFactory(local_program)


class GridSampleOperation:
    """Inputs: the image (N, H, W, C) and the grid (N, Hg, Wg, values)."""

    name = "ttnn.grid_sample"

    def validate(self, attrs: GridSampleAttributes, inputs: Sequence[Tensor]) -> None:
        validate(attrs, inputs)

    def output_specs(self, attrs: GridSampleAttributes, inputs: Sequence[Tensor]) -> tuple[TensorSpec, ...]:
        return (output_spec(attrs, inputs),)

    def select_factory(
        self, attrs: GridSampleAttributes, inputs: Sequence[Tensor]
    ) -> Factory[GridSampleAttributes]:
        if attrs.mode == "nearest":
            return NEAREST
        return BILINEAR_LOCAL if inputs[1].memory_config.is_sharded else BILINEAR_STREAMING


GRID_SAMPLE = GridSampleOperation()
