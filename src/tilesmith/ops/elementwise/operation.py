"""The device operation behind all elementwise operations."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from tilesmith.formats import DataFormat
from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.elementwise.binary_table import BINARY
from tilesmith.ops.elementwise.steps import Applied, scalar_word
from tilesmith.ops.elementwise.unary_table import UNARY
from tilesmith.ops.framework import Factory
from tilesmith.runtime import Layout, MemoryConfig, Tensor
from tilesmith.runtime.tensor_spec import TensorSpec

Chain = tuple[Applied, ...]
_COMPOSITES = ("addcmul", "addcdiv", "lerp", "mac")  # ttnn makes them otherwise: a refusal is ours


@dataclass(frozen=True)
class Attributes:
    """`combine` names what joins the operands ("": a single one, "where": three).

    An operand that is a number has no tensor: `scalars` gives it by position. `fast` lets the matrix engine
    round sums and products as it does.
    """

    combine: str
    dtype: DataFormat
    memory_config: MemoryConfig
    before: tuple[Chain, ...]
    after: Chain = ()
    scalars: tuple[tuple[int, float], ...] = ()
    fast: bool = False

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
            fatal(
                tensor.dtype is not DataFormat.Int8,
                "tilesmith: INT8 tensors are moved and not computed with: the chip reads a sign and a number",
                remedy="convert the tensor on the host",
            )
        _check_mixed(attrs, inputs)
        _check_steps(attrs, inputs[0].dtype)

    def output_specs(self, attrs: Attributes, inputs: Sequence[Tensor]) -> tuple[TensorSpec, ...]:
        shape = broadcast_shape([tensor.shape for tensor in inputs])
        return (TensorSpec(shape, attrs.dtype, Layout.TILE, attrs.memory_config),)

    def cache_key(self, attrs: Attributes, inputs: Sequence[Tensor]) -> Hashable:
        """As in ttnn, a number that takes an operand's place is no part of the key."""
        key = attrs
        if attrs.scalars:
            key = replace(attrs, scalars=tuple((index, 0.0) for index, _ in attrs.scalars))
        return (key, *[tensor.spec for tensor in inputs])

    def call_values(self, attrs: Attributes, inputs: Sequence[Tensor]) -> list[int]:
        return [scalar_word(attrs.combine, value, inputs[0].dtype) for _, value in attrs.scalars]

    def select_factory(self, attrs: Attributes, inputs: Sequence[Tensor]) -> Factory[Attributes]:
        from tilesmith.ops.elementwise.factories import MatrixFactory, VectorFactory

        return MatrixFactory() if MatrixFactory.takes(attrs, inputs) else VectorFactory()


def broadcast_shape(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape all of them can be repeated to.

    >>> broadcast_shape([(2, 1, 5), (3, 1)])
    (2, 3, 5)
    """
    return shapes[0] if len(set(shapes)) == 1 else _joined(shapes)


def _joined(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    rank = max(map(len, shapes))
    full = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    result: list[int] = []
    for sizes in zip(*full, strict=True):
        size = next((one for one in sizes if one != 1), 1)
        axis = len(result) - rank
        fatal(
            all(one in (1, size) for one in sizes),
            f"Broadcasting rule violation at dimension index {axis} (output rank {rank}),"
            f" dim a: {sizes[0]}, dim b: {next((one for one in sizes[1:] if one != sizes[0]), sizes[0])}",
        )
        result.append(size)
    return tuple(result)


def _check_mixed(attrs: Attributes, inputs: Sequence[Tensor]) -> None:
    formats = [tensor.dtype for tensor in inputs]
    a, b = DataType.of(formats[0]), DataType.of(formats[-1])
    fatal(
        len(set(formats)) == 1 or not any(one.is_integer for one in formats),
        f"Mixed dtype is not supported for binary operation {_binary_name(attrs)},"
        f" dtype A: DataType::{a.name}, dtype B: DataType::{b.name}",
    )


def _check_steps(attrs: Attributes, format: DataFormat) -> None:
    dtype, current = DataType.of(format).name, format
    for applied in (step for chain in (*attrs.before, attrs.after) for step in chain):
        if applied.name == "typecast":
            current = DataFormat(int(applied.parameters[1]))
            continue
        fatal(
            UNARY[applied.name].step(current) is not None,
            f"Unary: UnaryOpType::{applied.name.upper()} does not support"
            f" {'integer ' if current.is_integer else ''}input dtype DataType::{dtype}",
        )
    if not attrs.combine or attrs.combine == "where":
        return
    served = BINARY[attrs.combine].step(_entering(attrs, format)) is not None
    fatal(
        served or attrs.combine not in _COMPOSITES,
        f"tilesmith: {attrs.combine} of {dtype} is not there",
        remedy="convert the tensors with ttnn.typecast",
    )
    fatal(
        served,
        f"Input tensor A dtype DataType::{dtype} is not supported for binary operation {_binary_name(attrs)}",
    )


def has_steps(combine: str, chains: Sequence[Chain], format: DataFormat) -> bool:
    """Whether the vector unit has every step for operands of a format."""
    steps = [step for chain in chains for step in chain]
    if any(step.name != "typecast" and UNARY[step.name].step(format) is None for step in steps):
        return False
    return not combine or BINARY[combine].step(format) is not None


def _entering(attrs: Attributes, format: DataFormat) -> DataFormat:
    """The format operands are combined in: a chain before may change it."""
    casts = [one for chain in attrs.before for one in chain if one.name == "typecast"]
    return DataFormat(int(casts[-1].parameters[1])) if casts else format


def _binary_name(attrs: Attributes) -> str:
    return f"BinaryOpType::{attrs.combine.upper()}"
