"""The device operation of rows: softmax, layer norm and RMS norm, in passes over a row's tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tilesmith.formats import DataFormat
from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.framework import Factory
from tilesmith.runtime import Layout, MemoryConfig, Tensor
from tilesmith.runtime.tensor_spec import TensorSpec

RowOperation = Literal["softmax", "layer_norm", "rms_norm"]


@dataclass(frozen=True)
class Attributes:
    """Inputs are x and, where said, a row of weights and a row of biases."""

    operation: RowOperation
    dtype: DataFormat
    memory_config: MemoryConfig
    epsilon: float = 0.0
    has_weight: bool = False
    has_bias: bool = False
    grid: tuple[int, int] | None = None  # the corner of the chip whose cores share the rows


class Rows:
    name = "ttnn.rows"

    def validate(self, attrs: Attributes, inputs: Sequence[Tensor]) -> None:
        x, *rows = inputs
        what = "softmax" if attrs.operation == "softmax" else "layernorm"
        fatal(x.layout is Layout.TILE, f"Inputs to {what} must be tilized")
        allowed = (DataFormat.Float32, DataFormat.Float16_b, DataFormat.Bfp8_b)
        fatal(
            x.dtype in allowed,
            "Input tensor must be FLOAT32, BFLOAT16, or BFLOAT8_B, got:"
            f" DataType::{DataType.of(x.dtype).name}",
        )
        for name, row in zip(_names(attrs), rows, strict=True):
            fatal(
                row.shape[-1] == x.shape[-1],
                f"Input and {name} padded widths must match and {name} logical width must be >= input logical"
                f" width (otherwise valid input columns would be multiplied by {name} padding). Got input:"
                f" logical[-1]={x.shape[-1]} padded[-1]={x.padded_shape[-1]} vs {name}:"
                f" logical[-1]={row.shape[-1]} padded[-1]={row.padded_shape[-1]}",
            )

    def output_specs(self, attrs: Attributes, inputs: Sequence[Tensor]) -> tuple[TensorSpec, ...]:
        return (TensorSpec(inputs[0].shape, attrs.dtype, Layout.TILE, attrs.memory_config),)

    def select_factory(self, attrs: Attributes, inputs: Sequence[Tensor]) -> Factory[Attributes]:
        from tilesmith.ops.normalization.factories import RowsFactory

        return RowsFactory()


def _names(attrs: Attributes) -> list[str]:
    return [name for name, there in (("gamma", attrs.has_weight), ("beta", attrs.has_bias)) if there]
