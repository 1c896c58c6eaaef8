"""Every operation there is: importing these modules registers them."""

from __future__ import annotations

from importlib import import_module

_MODULES = (
    "async_collectives",
    "collectives",
    "creation.api",
    "creation.host",
    "elementwise.binary",
    "elementwise.composites",
    "elementwise.unary",
    "embedding.api",
    "generic.api",
    "grid_sample.api",
    "heads",
    "hosted.attention",
    "hosted.attention_decode",
    "hosted.attention_softmax",
    "hosted.broadcasting",
    "hosted.caches",
    "hosted.convolution",
    "hosted.convolution3d",
    "hosted.elementwise",
    "hosted.experimental",
    "hosted.images",
    "hosted.indexing",
    "hosted.norms",
    "hosted.partial_sharding",
    "hosted.pooling",
    "hosted.products",
    "hosted.rotary",
    "hosted.selection",
    "hosted.sparse_matmul",
    "matmul.api",
    "normalization.api",
    "normalization.masked",
    "queries",
    "rearrange.joins",
    "rearrange.layout",
    "rearrange.memory",
    "rearrange.moves",
    "rearrange.slicing",
    "rearrange.permutation",
    "rearrange.shapes",
    "reduction.api",
    "reduction.ordering",
    "reduction.statistics",
    "transport",
)


def load_operations() -> None:
    """Register all operations, once."""
    for name in _MODULES:
        import_module(f"tilesmith.ops.{name}")
