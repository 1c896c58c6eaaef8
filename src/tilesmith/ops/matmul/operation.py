"""The device operation of products of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tilesmith.formats import DataFormat
from tilesmith.ops.checks import fatal
from tilesmith.ops.compute_config import ComputeKernelConfig
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.elementwise.operation import Chain
from tilesmith.ops.framework import Factory
from tilesmith.runtime import Layout, MemoryConfig, Tensor
from tilesmith.runtime.tensor_spec import TensorSpec


@dataclass(frozen=True)
class Attributes:
    """Inputs are a, b and, with `has_bias`, a row to add to every row of the product.

    `grid` is the corner of the chip, columns and rows, whose cores share the work; None is all of it.
    """

    dtype: DataFormat
    memory_config: MemoryConfig
    has_bias: bool = False
    after: Chain = ()
    compute: ComputeKernelConfig = ComputeKernelConfig()
    grid: tuple[int, int] | None = None


class Matmul:
    name = "ttnn.matmul"

    def validate(self, attrs: Attributes, inputs: Sequence[Tensor]) -> None:
        a, b = inputs[:2]
        fatal(all(one.layout is Layout.TILE for one in inputs), "Inputs to matmul must be tilized")
        for letter, operand in zip("AB", inputs, strict=False):
            fatal(
                not operand.dtype.is_integer,
                f"Unsupported data format for input {letter}: DataType::{DataType.of(operand.dtype).name}",
            )
        fatal(
            a.shape[-1] == b.shape[-2],
            "The width of the first tensor must be equal to the height of the second tensor."
            f" Mismatch: width={a.shape[-1]} height={b.shape[-2]}",
        )
        for axis, (x, y) in enumerate(zip(*batches(a.shape, b.shape), strict=True)):
            fatal(
                x == y or 1 in (x, y),
                "bmm (non-bcast matmul) expects input tensors of shapes BCMK*BCKN=BCMN or batch dimension"
                f" {axis} mismatch: a={x} vs b={y}",
            )

    def output_specs(self, attrs: Attributes, inputs: Sequence[Tensor]) -> tuple[TensorSpec, ...]:
        a, b = inputs[:2]
        batch = tuple(max(pair) for pair in zip(*batches(a.shape, b.shape), strict=True))
        shape = (*batch, a.shape[-2], b.shape[-1])
        return (TensorSpec(shape, attrs.dtype, Layout.TILE, attrs.memory_config),)

    def select_factory(self, attrs: Attributes, inputs: Sequence[Tensor]) -> Factory[Attributes]:
        from tilesmith.ops.matmul.factories import MultiCoreFactory

        return MultiCoreFactory()


def batches(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes before the last two, filled up with ones to the same number.

    >>> batches((2, 3, 4, 5), (5, 6))
    ((2, 3), (1, 1))
    """
    rank = max(len(a), len(b))
    return (1,) * (rank - len(a)) + a[:-2], (1,) * (rank - len(b)) + b[:-2]
