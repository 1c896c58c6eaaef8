"""Pass 4: which core does which blocks, and which loads a row or column of cores can share."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr

from tilesmith.arch import Arch, load_arch
from tilesmith.compiler.analysis.accumulation import separate_dims
from tilesmith.compiler.analysis.index_expressions import constant_of, text_of
from tilesmith.compiler.analysis.multicast_candidates import Sharing, shared_loads
from tilesmith.compiler.analysis.work_partition import Partition
from tilesmith.compiler.dialects.tile import GridOp
from tilesmith.compiler.dialects.walk import operations_of
from tilesmith.compiler.pass_group import Pass


@dataclass(frozen=True)
class LayoutAwareWorkPartitionTT(Pass):
    """Give every `tile.grid` its `partition`, and every load that cores can share its `multicast`.

    Blocks that accumulate into the same place go to one core. Otherwise a mesh of cores is chosen if it lets
    loads be shared and keeps as many cores busy as a plain split of the blocks would.
    """

    name = "layout-aware-work-partition-tt"

    arch: str = "wormhole"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for grid in operations_of(op, GridOp):
            _partition(grid, load_arch(self.arch))


def _partition(grid: GridOp, arch: Arch) -> None:
    extents = tuple(text_of(extent) for extent in grid.extents)
    separate = separate_dims(grid)
    together = [dim for dim in range(len(extents)) if dim not in separate and extents[dim] != "1"]
    mesh = None if together else _mesh(grid, arch)
    if together:
        partition = Partition("grouped", extents, separate=separate)
    elif mesh is not None:
        (columns, rows), sharing = mesh
        partition = Partition("mesh", extents, columns, rows)
        for load, along in sharing.items():
            load.multicast = StringAttr(along)
    else:
        partition = Partition("linear", extents)
    grid.attributes["partition"] = partition.to_attribute()


def _mesh(grid: GridOp, arch: Arch) -> tuple[tuple[int, int], Sharing] | None:
    """The mesh of cores to use, with the loads it shares; None if there is none as good as a plain split."""
    extents = [constant_of(extent) for extent in grid.extents]
    if len(extents) < 2:
        return None
    sizes = [size for size in extents if size is not None]
    if len(sizes) < len(extents) or min(sizes) < 1:
        return None
    columns, rows = _largest_divisor(sizes[0], arch.grid.x), _largest_divisor(sizes[1], arch.grid.y)
    blocks = prod(sizes)
    if blocks // (columns * rows) > -(-blocks // arch.num_cores):
        return None
    sharing = shared_loads(grid, columns, rows)
    return ((columns, rows), sharing) if sharing else None


def _largest_divisor(number: int, limit: int) -> int:
    return max(divisor for divisor in range(1, min(number, limit) + 1) if number % divisor == 0)
