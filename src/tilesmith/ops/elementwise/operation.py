"""The device operation behind all elementwise operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tilesmith.formats import DataFormat
from tilesmith.ops.checks import fatal
from tilesmith.ops.elementwise.binary_table import BINARY
from tilesmith.ops.elementwise.steps import Applied
from tilesmith.ops.elementwise.unary_table import UNARY
from tilesmith.ops.framework import Factory
from tilesmith.runtime import Layout, MemoryConfig, Tensor
from tilesmith.runtime.tensor_spec import TensorSpec

Chain = tuple[Applied, ...]


@dataclass(frozen=True)
class Attributes:
    """`combine` names what joins the operands ("": a single one, "where": three).

    An operand that is a number has no tensor: `scalars` gives it by position.
    """

    combine: str
    dtype: DataFormat
    memory_config: MemoryConfig
    before: tuple[Chain, ...]
    after: Chain = ()
    scalars: tuple[tuple[int, float], ...] = ()

    @property
    def operands(self) -> int:
        return len(self.before)


class Elementwise:
    """Unary, binary and ternary, with chains of unary steps before and after."""

    name = "ttnn.elementwise"

    def validate(self, attrs: Attributes, inputs: Sequence[Tensor]) -> None:
        for tensor in inputs:
            fatal(
                tensor.layout is Layout.TILE,
                f"Elementwise operations run on tiles, but got layout {tensor.layout}",
            )
            fatal(
                (tensor.spec.tile.rows, tensor.spec.tile.cols) == (32, 32), "Only 32x32 tiles are supported"
            )
        formats = {tensor.dtype for tensor in inputs}
        fatal(
            len(formats) == 1 or not any(one.is_integer for one in formats),
            f"Operands must all be floats or all of one integer type, got {_names(formats)}",
        )
        _check_steps(attrs, inputs[0].dtype)

    def output_specs(self, attrs: Attributes, inputs: Sequence[Tensor]) -> tuple[TensorSpec, ...]:
        shape = broadcast_shape([tensor.shape for tensor in inputs])
        return (TensorSpec(shape, attrs.dtype, Layout.TILE, attrs.memory_config),)

    def select_factory(self, attrs: Attributes, inputs: Sequence[Tensor]) -> Factory[Attributes]:
        from tilesmith.ops.elementwise.factories import MatrixFactory, VectorFactory

        return MatrixFactory() if MatrixFactory.takes(attrs, inputs) else VectorFactory()


def broadcast_shape(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape all of them can be repeated to.

    >>> broadcast_shape([(2, 1, 5), (3, 1)])
    (2, 3, 5)
    """
    rank = max(map(len, shapes))
    full = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    result = []
    for sizes in zip(*full, strict=True):
        size = next((one for one in sizes if one != 1), 1)
        fatal(
            all(one in (1, size) for one in sizes),
            f"Invalid shape for broadcasting: {' and '.join(str(list(one)) for one in shapes)}",
        )
        result.append(size)
    return tuple(result)


def _check_steps(attrs: Attributes, format: DataFormat) -> None:
    for one in (step for chain in (*attrs.before, attrs.after) for step in chain):
        if one.name == "typecast":
            continue
        fatal(one.name in UNARY, f"unary operation {one.name!r} is not known")
        fatal(UNARY[one.name].step(format) is not None, f"{one.name} does not support data of {format.name}")
    if attrs.combine and attrs.combine != "where":
        supported = BINARY[attrs.combine].step(format) is not None
        fatal(supported, f"{attrs.combine} does not support data of {format.name}")


def _names(formats: set[DataFormat]) -> str:
    return ", ".join(sorted(one.name for one in formats))
