"""Where L1 is too small for the versions asked for, circular buffers get fewer of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tilesmith.arch import Arch, load_arch
from tilesmith.compiler.analysis.kernel_signature import circular_buffers, kernels_of
from tilesmith.compiler.analysis.l1_budget import bytes_of, fit
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.walk import operations_of
from tilesmith.compiler.pass_group import Pass


@dataclass(frozen=True)
class FitCircularBuffers(Pass):
    """Take versions from the largest circular buffers until all fit, or each has one.

    `propagate-tt-layout` has done so for the buffers of the user; by now those that the lowering made, and
    the scratch memory of transfers, are known too. Kernels do not depend on how many versions there are.
    """

    name = "fit-circular-buffers"

    arch: str = "wormhole"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = kernels_of(op)
        buffers = circular_buffers(kernels)
        if not fit(buffers, arch := load_arch(self.arch)):
            _take_versions(buffers, arch)
            depths = {one.cb_name.data: one.depth for one in buffers}
            for inner in operations_of(op, tt.CBOp):
                inner.depth = depths[inner.cb_name.data]


def _take_versions(buffers: Sequence[tt.CBOp], arch: Arch) -> None:
    while not fit(buffers, arch) and (deep := [one for one in buffers if one.depth.value.data > 1]):
        largest = max(deep, key=bytes_of)
        largest.depth = tt.number(largest.depth.value.data - 1)


def shortened_pipelines(modules: Iterable[ModuleOp]) -> list[str]:
    """A sentence for every circular buffer with fewer versions than the user's `num_stages` asked for."""
    found = [one for module in modules for one in circular_buffers(kernels_of(module))]
    return [
        f"{tile.location_of(buffer)}: num_stages={buffer.stages.value.data} asks for"
        f" {buffer.stages.value.data} versions of {buffer.cb_name.data}, and L1 has room for"
        f" {buffer.depth.value.data}: smaller blocks leave room for more"
        for buffer in found
        if buffer.stages is not None and buffer.depth.value.data < buffer.stages.value.data
    ]
