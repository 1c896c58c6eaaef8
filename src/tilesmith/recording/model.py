"""Recording: the tensors of a workload, and for each launch the program, what was uploaded, what came out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tilesmith.ops.framework.binding import Bindings
from tilesmith.program import Program
from tilesmith.runtime.buffer import Bytes
from tilesmith.runtime.tensor_spec import TensorSpec


@dataclass(frozen=True)
class LaunchRecord:
    """One run of a program.

    `bindings` says which arguments are addresses of which tensors. `uploads` are the pages the host wrote
    since the launch before; `results` the pages of the tensors that the program changed.
    """

    program: Program
    bindings: Bindings
    uploads: Mapping[int, Bytes]
    results: Mapping[int, Bytes]

    @property
    def tensors(self) -> tuple[int, ...]:
        """The tensors it works on, those it changes last."""
        bound = {place.number for place in self.bindings.places} | {one for _, one in self.bindings.buffers}
        used = bound | set(self.results)
        return tuple(sorted(used, key=lambda number: (number in self.results, number)))


@dataclass(frozen=True)
class Recording:
    """`product` is the chip the programs were made for; kernels hold their whole text."""

    title: str
    product: str
    tensors: tuple[TensorSpec, ...]
    launches: tuple[LaunchRecord, ...]

    @property
    def final_results(self) -> dict[int, Bytes]:
        """What the changed tensors hold in the end."""
        return {number: pages for launch in self.launches for number, pages in launch.results.items()}
