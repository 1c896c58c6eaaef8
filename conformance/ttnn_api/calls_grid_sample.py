"""Calls of grid_sample."""

from __future__ import annotations

from typing import Any

from conformance.ttnn_api.call import Call, Fact, Kit, calls_of


def _sampled(image: Any = (1, 8, 8, 32), grid: Any = (1, 6, 6, 2), **more: Any) -> Any:
    """A call with row-major tensors: each is a shape, or a shape and what is special about it."""

    def make(kit: Kit) -> Fact:
        tensors = [_tensor(kit, described) for described in (image, grid)]
        named = {name: value(kit) if callable(value) else value for name, value in more.items()}
        return kit.call(*tensors, **named)

    return make


def _tensor(kit: Kit, described: Any) -> Any:
    shape, more = described if isinstance(described[0], tuple) else (described, {})
    named = {name: value(kit) if callable(value) else value for name, value in more.items()}
    return kit.t(*shape, **{"layout": "ROW", **named})


_NEAREST = {"mode": "nearest", "use_precomputed_grid": True}
_BLOCKS = {"memory": lambda kit: kit.shards("BLOCK", (2, 2), (32, 16))}

GRID_SAMPLE: list[Call] = calls_of(
    "grid_sample",
    {
        "bilinear": _sampled(),
        "float32": _sampled(((1, 8, 8, 32), {"dtype": "float32"}), ((1, 6, 6, 2), {"dtype": "float32"})),
        "bilinear, grid in L1": _sampled(grid=((1, 6, 6, 2), {"memory": lambda kit: kit.l1})),
        "bilinear to L1": _sampled(memory_config=lambda kit: kit.l1),
        "bilinear to shards": _sampled(memory_config=lambda kit: kit.shards("HEIGHT", (4, 1), (9, 32))),
        "bilinear, sharded grid": _sampled(
            grid=((1, 6, 6, 2), {"memory": lambda kit: kit.shards("HEIGHT", (6, 1), (6, 2))})
        ),
        "bilinear, sharded grid, to DRAM": _sampled(
            grid=((1, 6, 6, 2), {"memory": lambda kit: kit.shards("HEIGHT", (6, 1), (6, 2))}),
            memory_config=lambda kit: kit.lib.DRAM_MEMORY_CONFIG,
        ),
        "bilinear, two sets in shards by column": _sampled(
            grid=((1, 6, 6, 4), {"memory": lambda kit: kit.shards("HEIGHT", (6, 1), (6, 4), True)})
        ),
        "bilinear, two sets joined": _sampled(grid=(1, 6, 6, 4), batch_output_channels=True),
        "nearest": _sampled(**_NEAREST),
        "nearest, 100 rows": _sampled(grid=(1, 10, 10, 2), **_NEAREST),
        "nearest, three sets": _sampled(grid=(1, 6, 6, 6), **_NEAREST),
        "nearest, three sets joined": _sampled(grid=(1, 6, 6, 6), batch_output_channels=True, **_NEAREST),
        "nearest to DRAM": _sampled(memory_config=lambda kit: kit.lib.DRAM_MEMORY_CONFIG, **_NEAREST),
        "nearest to shards": _sampled(
            memory_config=lambda kit: kit.shards("HEIGHT", (4, 1), (9, 32)), **_NEAREST
        ),
        "nearest to shards that cut a row": _sampled(
            grid=(1, 6, 6, 4), memory_config=lambda kit: kit.shards("HEIGHT", (8, 1), (9, 32)), **_NEAREST
        ),
        "nearest, raw grid": _sampled(mode="nearest"),
        "border": _sampled(padding_mode="border"),
        "an unknown padding": _sampled(padding_mode="wrap"),
        "an unknown mode": _sampled(mode="bicubic", use_precomputed_grid=True),
        "three dimensions": _sampled((8, 8, 32)),
        "grid of three dimensions": _sampled(grid=(6, 6, 2)),
        "prepared grid of four values": _sampled(grid=(1, 6, 6, 4), use_precomputed_grid=True),
        "prepared grid of three values": _sampled(grid=(1, 6, 6, 3), **_NEAREST),
        "grid of three values": _sampled(grid=(1, 6, 6, 3)),
        "another number of images": _sampled((2, 8, 8, 32)),
        "one set joined": _sampled(batch_output_channels=True),
        "integer image": _sampled(((1, 8, 8, 32), {"dtype": "uint16"})),
        "integer grid": _sampled(grid=((1, 6, 6, 2), {"dtype": "uint16"})),
        "prepared float32 grid": _sampled(
            grid=((1, 6, 6, 6), {"dtype": "float32"}), use_precomputed_grid=True
        ),
        "tiles": _sampled(((1, 8, 32, 32), {"layout": "TILE"})),
        "grid in tiles": _sampled(grid=((1, 6, 32, 32), {"layout": "TILE"})),
        "33 channels": _sampled((1, 8, 8, 33)),
        "image in blocks": _sampled(((1, 8, 8, 32), _BLOCKS)),
        "output in blocks": _sampled(memory_config=_BLOCKS["memory"]),
    },
)
