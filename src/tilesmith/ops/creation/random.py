"""The device operation behind rand: tiles of the vector unit's random numbers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from tilesmith.formats import DataFormat
from tilesmith.ops.building import OUT, compute_kernel, deal_out, page_writer, tile_buffer
from tilesmith.ops.elementwise.steps import word_of
from tilesmith.ops.framework import BoundAddress, Factory, FunctionFactory
from tilesmith.program import ComputeConfig, Program
from tilesmith.runtime import Tensor
from tilesmith.runtime.tensor_spec import TensorSpec

KERNEL = Path(__file__).parent / "kernels" / "random.cpp"
_fresh = count(0x5EED0001)  # far from the seeds people choose


@dataclass(frozen=True)
class Attributes:
    """`seed` 0 asks for other numbers every time."""

    spec: TensorSpec
    low: float
    high: float
    seed: int


class Random:
    name = "ttnn.rand"

    def validate(self, attrs: Attributes, inputs: Sequence[Tensor]) -> None:
        """Checked where the arguments are."""

    def output_specs(self, attrs: Attributes, inputs: Sequence[Tensor]) -> tuple[TensorSpec, ...]:
        return (attrs.spec,)

    def select_factory(self, attrs: Attributes, inputs: Sequence[Tensor]) -> Factory[Attributes]:
        return FunctionFactory(_program)

    def cache_key(self, attrs: Attributes, inputs: Sequence[Tensor]) -> Hashable:
        return (attrs.spec, attrs.low, attrs.high)

    def call_values(self, attrs: Attributes, inputs: Sequence[Tensor]) -> list[int]:
        """The seed, as in ttnn; a call without one must not repeat another's numbers."""
        return [(attrs.seed or next(_fresh)) & 0xFFFFFFFF]


def _program(attrs: Attributes, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Program:
    output = outputs[0]
    work = deal_out(output.device, output.num_pages)
    words = [word_of(value, DataFormat.Float32) for value in (attrs.low, attrs.high - attrs.low)]
    config = ComputeConfig(fp32_dest_acc_en=True)
    seed = BoundAddress((attrs.seed or next(_fresh)) & 0xFFFFFFFF, len(outputs))
    compute = compute_kernel(KERNEL, work, config, common=[*words, seed])
    return Program([compute, page_writer(work, output)], [tile_buffer(OUT, output.dtype, 2, work.cores)])
