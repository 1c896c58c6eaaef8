"""Copies between regions of tensors and buffers, in every direction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue

from tilesmith.compiler.dialects import tile
from tilesmith.compiler.importer.context import Context
from tilesmith.compiler.importer.source import Expr, Memory, Number, Region
from tilesmith.compiler.importer.unsupported import refuse

_LEVELS = {"global": 0, "shared": 1, "fragment": 2, "local": 2, "var": 2}


def whole(memory: Memory) -> Region:
    return Region(memory, (Number(0),) * len(memory.shape), memory.shape)


Limits = Mapping[int, Expr]
"""How many elements of a dimension of the tensor are wanted, where not all are."""


def copy(
    ctx: Context, source: Region, dest: Region, accumulate: str = "", limits: Limits | None = None
) -> None:
    """source -> dest, dimension by dimension; dimensions of size 1 may come and go."""
    pairs = matched_dims(ctx, source, dest)
    if source.memory.scope == "global" and dest.memory.scope == "global":
        stage = ctx.temporary(
            source.memory.name, [size for _, _, size in pairs] or [1], source.memory.dtype, "shared"
        )
        copy(ctx, source, whole(stage))
        copy(ctx, whole(stage), dest, accumulate, limits)
    elif source.memory.scope == "global":
        _load(ctx, source, dest, pairs, limits)
    elif dest.memory.scope == "global":
        _store(ctx, source, dest, pairs, accumulate, limits)
    else:
        _copy_buffers(ctx, source, dest, pairs)


Pairs = Sequence[tuple[int, int, int]]


def matched_dims(ctx: Context, source: Region, dest: Region) -> list[tuple[int, int, int]]:
    """(dimension of the source, dimension of the destination, size), for all that are not of size 1."""
    for region in (source, dest):
        if region.memory.is_buffer:
            ctx.value(region.memory)
    use_source = _LEVELS[source.memory.scope] >= _LEVELS[dest.memory.scope]
    wide = [n for n, size in enumerate(source.sizes) if size != Number(1, size.dtype)]
    high = [n for n, size in enumerate(dest.sizes) if size != Number(1, size.dtype)]
    if len(wide) != len(high) or _crosses(source, dest, wide, high):
        refuse(
            f"a copy from {_shape(source.sizes)} of {source.memory.name} to {_shape(dest.sizes)} of"
            f" {dest.memory.name}",
            ctx.e.line,
            "copy between regions of the same shape",
        )
    pairs = []
    for a, b in zip(wide, high, strict=True):
        first, second = (source.sizes[a], dest.sizes[b]) if use_source else (dest.sizes[b], source.sizes[a])
        size = first if isinstance(first, Number) else second
        pairs.append((a, b, static_size(ctx, size)))
    return pairs


def _crosses(source: Region, dest: Region, wide: Sequence[int], high: Sequence[int]) -> bool:
    """Whether each side is larger than the other somewhere: then neither says what is copied."""
    pairs = [(source.sizes[a], dest.sizes[b]) for a, b in zip(wide, high, strict=True)]
    known = [(a.value, b.value) for a, b in pairs if isinstance(a, Number) and isinstance(b, Number)]
    return any(a > b for a, b in known) and any(a < b for a, b in known)


def static_size(ctx: Context, size: Expr) -> int:
    if not isinstance(size, Number):
        refuse(
            "the size of a region is not known when the kernel is compiled",
            ctx.e.line,
            "copy a block of fixed size: what lies beyond a tensor reads as zero and is not written",
        )
    return int(size.value)


def _shape(sizes: Sequence[Expr]) -> str:
    return "[" + ", ".join(str(s.value) if isinstance(s, Number) else "?" for s in sizes) + "]"


def _covers(region: Region, sizes: dict[int, int]) -> bool:
    """Whether these sizes, from the region's offsets on, are the whole buffer."""
    shape = region.memory.sizes
    return shape is not None and all(
        sizes.get(n, 1) == size and region.offsets[n] == Number(0, region.offsets[n].dtype)
        for n, size in enumerate(shape)
    )


def _load(ctx: Context, source: Region, dest: Region, pairs: Pairs, limits: Limits | None) -> None:
    if not _covers(dest, {b: size for _, b, size in pairs}):
        stage = ctx.temporary(
            dest.memory.name, [size for _, _, size in pairs] or [1], dest.memory.dtype, "shared"
        )
        copy(ctx, source, whole(stage), limits=limits)
        copy(ctx, whole(stage), dest)
        return
    sizes, dims = region_of_tensor(len(source.sizes), len(dest.sizes), pairs)
    offsets = ctx.indices(source.offsets)
    tensor, buffer = ctx.value(source.memory), ctx.value(dest.memory)
    ctx.e.emit(tile.LoadOp(tensor, offsets, buffer, sizes, dims, _limit_values(ctx, sizes, limits)))


def _store(
    ctx: Context, source: Region, dest: Region, pairs: Pairs, accumulate: str, limits: Limits | None
) -> None:
    if not _covers(source, {a: size for a, _, size in pairs}):
        stage = ctx.temporary(source.memory.name, [size for _, _, size in pairs] or [1], source.memory.dtype)
        copy(ctx, source, whole(stage))
        copy(ctx, whole(stage), dest, accumulate, limits)
        return
    sizes, dims = region_of_tensor(len(dest.sizes), len(source.sizes), [(b, a, size) for a, b, size in pairs])
    offsets = ctx.indices(dest.offsets)
    buffer, tensor = ctx.value(source.memory), ctx.value(dest.memory)
    wanted = _limit_values(ctx, sizes, limits)
    ctx.e.emit(tile.StoreOp(buffer, tensor, offsets, sizes, dims, wanted, accumulate))


def _limit_values(ctx: Context, sizes: Sequence[int], limits: Limits | None) -> list[SSAValue]:
    if not limits:
        return []
    wanted = [limits.get(n, Number(size)) for n, size in enumerate(sizes)]
    return [ctx.control.index(limit) for limit in wanted]


def region_of_tensor(rank: int, other_rank: int, pairs: Pairs) -> tuple[list[int], list[int]]:
    """`sizes` and `dims` of a load or store from (tensor dimension, buffer dimension, size)."""
    sizes, dims = [1] * rank, [-1] * rank
    if all(a == b for a, b, _ in pairs) and rank == other_rank:
        dims = list(range(rank))
    for tensor_dim, buffer_dim, size in pairs:
        sizes[tensor_dim], dims[tensor_dim] = size, buffer_dim
    return sizes, dims


def _copy_buffers(ctx: Context, source: Region, dest: Region, pairs: Pairs) -> None:
    a, b = ctx.value(source.memory), ctx.value(dest.memory)
    sizes, dims = region_of_tensor(len(source.sizes), len(dest.sizes), pairs)
    if _covers(source, {n: size for n, _, size in pairs}) and _covers(
        dest, {n: size for _, n, size in pairs}
    ):
        ctx.e.emit(tile.CopyOp(a, b, sizes=sizes, dims=dims))
        return
    from_, to = ctx.indices(source.offsets), ctx.indices(dest.offsets)
    ctx.e.emit(tile.CopyOp(a, b, from_, to, sizes, dims))


def gathered(ctx: Context, region: Region, rank: int = 0) -> Memory:
    """A buffer with what the region holds: the memory itself when the region is all of it, else a copy.

    `rank` keeps only the last dimensions; those before must be of size 1.
    """
    rank = rank or len(region.sizes)
    if region.is_whole and region.memory.is_buffer and rank == len(region.sizes):
        return region.memory
    stage = ctx.temporary(region.memory.name, region_shape(ctx, region)[-rank:], region.memory.dtype)
    copy(ctx, region, whole(stage))
    return stage


def scattered(ctx: Context, source: Memory, region: Region) -> None:
    """Put back what `gathered` took out and an operation has changed."""
    if source is not region.memory:
        copy(ctx, whole(source), region)


def region_shape(ctx: Context, region: Region) -> list[int]:
    return [static_size(ctx, size) for size in region.sizes]
