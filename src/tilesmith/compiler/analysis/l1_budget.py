"""Do the buffers of a kernel fit into L1? If not: which takes what, and the smallest change that fits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import ModuleOp

from tilesmith.arch import Arch
from tilesmith.compiler.analysis.tile_geometry import tiles_of
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.errors import L1BudgetError


def bytes_of(op: tt.CBOp) -> int:
    """The L1 a circular buffer takes."""
    return op.page_size.value.data * op.pages.value.data * op.depth.value.data


def fit(buffers: Sequence[tt.CBOp], arch: Arch) -> bool:
    """Whether the buffers fit into the L1 of a core together."""
    return _aligned_total((bytes_of(op) for op in buffers), arch) <= arch.l1_size - arch.l1_unreserved_base


def check_buffers_fit(buffers: Sequence[tt.CBOp], arch: Arch) -> None:
    """Refuse buffers that do not fit into the L1 of a core together."""
    if fit(buffers, arch):
        return
    free = arch.l1_size - arch.l1_unreserved_base
    wanted = _aligned_total((bytes_of(op) for op in buffers), arch)
    largest = max(buffers, key=bytes_of)
    raise L1BudgetError(
        f"the kernel's buffers take {wanted} bytes of L1, but a core of {arch.product} has {free}:"
        f" {wanted - free} too many",
        where=tile.location_of(largest),
        remedy=_remedy(buffers, wanted - free, arch),
        table=_table(buffers, free, wanted),
    )


def circular_buffer_bytes(module: ModuleOp, arch: Arch) -> int:
    """What the circular buffers of a lowered kernel take of L1; roles that share one name it alike."""
    sizes = {op.cb_name.data: bytes_of(op) for op in module.walk() if isinstance(op, tt.CBOp)}
    return _aligned_total(sizes.values(), arch)


def _aligned_total(sizes: Iterable[int], arch: Arch) -> int:
    return sum(-(-size // arch.dram_alignment) * arch.dram_alignment for size in sizes)


def _remedy(buffers: Sequence[tt.CBOp], over: int, arch: Arch) -> str:
    """Fewer stages if that is enough, since the result stays the same; else smaller blocks."""
    depths = sorted({op.depth.value.data for op in buffers if op.depth.value.data > 1}, reverse=True)
    for stages in depths[:1]:
        for fewer in range(stages - 1, 0, -1):
            saved = sum(
                bytes_of(op) // stages * (stages - fewer) for op in buffers if op.depth.value.data == stages
            )
            if saved >= over:
                return f"num_stages {stages} -> {fewer} saves {saved} bytes and fits"
    largest = max(buffers, key=bytes_of)
    name, shape = largest.cb_name.data, _shape(largest)
    return (
        f"use smaller blocks: {name} ({shape}) alone takes {bytes_of(largest)} bytes"
        f"{_smaller_block(buffers, arch)}; a smaller format helps too"
    )


def _smaller_block(buffers: Sequence[tt.CBOp], arch: Arch) -> str:
    """The least change of one size, wherever it stands, after which everything fits."""
    free = arch.l1_size - arch.l1_unreserved_base
    for size in sorted({dim for op in buffers for dim in op.cb.type.buffer.dims}, reverse=True):
        for smaller in range((size - 1) // 32 * 32, 0, -32):
            if _aligned_total((_bytes_with(op, size, smaller) for op in buffers), arch) <= free:
                return f", and with {smaller} in place of {size} in every buffer all of them fit"
    return ""


def _bytes_with(op: tt.CBOp, size: int, smaller: int) -> int:
    buffer_type = op.cb.type.buffer
    dims = [smaller if dim == size else dim for dim in buffer_type.dims]
    changed = BufferType.of(
        dims,
        buffer_type.element_type,
        buffer_type.scope.data,
        buffer_type.layout.data,
        buffer_type.format.data,
    )
    return bytes_of(op) * tiles_of(changed) // tiles_of(buffer_type)


def _shape(op: tt.CBOp) -> str:
    return " x ".join(map(str, op.cb.type.buffer.dims))


def _table(buffers: Sequence[tt.CBOp], free: int, wanted: int) -> str:
    rows = [("buffer", "shape", "format", "pages", "depth", "bytes", "declared at")]
    for op in sorted(buffers, key=bytes_of, reverse=True):
        pages = f"{op.pages.value.data} x {op.page_size.value.data}"
        depth = str(op.depth.value.data)
        stored = op.cb.type.buffer.format.data
        rows.append(
            (op.cb_name.data, _shape(op), stored, pages, depth, str(bytes_of(op)), tile.location_of(op))
        )
    rows.append(("wanted", "", "", "", "", str(wanted), ""))
    rows.append(("free", "", "", "", "", str(free), ""))
    widths = [max(len(row[column]) for row in rows) for column in range(7)]
    numbers = (4, 5)
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in numbers else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
