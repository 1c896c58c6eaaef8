"""The metal examples with arguments: work that divides evenly or not, and that leaves cores idle."""

from __future__ import annotations

from typing import Any

from examples.metal.broadcast import host as broadcast
from examples.metal.elementwise import host as elementwise
from examples.metal.int32_add import host as int32_add
from examples.metal.layernorm import host as layernorm
from examples.metal.matmul_bfp8 import host as matmul_bfp8
from examples.metal.matmul_multi import host as matmul_multi
from examples.metal.matmul_multicast import host as matmul_multicast
from examples.metal.matmul_single import host as matmul_single
from examples.metal.multicast import host as multicast
from examples.metal.ping_pong import host as ping_pong
from examples.metal.reduce import host as reduce
from examples.metal.sharded_add import host as sharded_add
from examples.metal.softmax import host as softmax
from examples.metal.tilize import host as tilize
from examples.metal.transpose import host as transpose
from examples.metal.untilize import host as untilize

# One tile; fewer tiles than cores; a few more tiles than cores, so that shares differ.
ELEMENTWISE_SHAPES = [(32, 32), (3, 64, 96), (5, 96, 320)]
IMAGE_SHAPES = [(1, 32, 32), (2, 96, 64), (3, 160, 288)]
MATMUL_SHAPES = [(32, 32, 32), (96, 160, 64), (160, 96, 448)]
ROW_SHAPES = [(32, 64), (160, 64), (2304, 64)]

CASES: list[tuple[Any, dict[str, Any]]] = [
    *(
        (elementwise, {"shape": s, "operation": op})
        for op in ("add", "sub", "mul")
        for s in ELEMENTWISE_SHAPES
    ),
    *((elementwise, {"shape": shape, "operation": "sigmoid"}) for shape in ELEMENTWISE_SHAPES),
    (elementwise, {"shape": (50, 70)}),  # padded to whole tiles
    *((int32_add, {"shape": shape}) for shape in ELEMENTWISE_SHAPES),
    *(
        (matmul_single, dict(zip("mkn", shape, strict=True)))
        for shape in [(32, 32, 32), (64, 96, 32), (96, 64, 160)]
    ),
    *((matmul_multi, dict(zip("mkn", shape, strict=True))) for shape in MATMUL_SHAPES),
    *((matmul_bfp8, dict(zip("mkn", shape, strict=True))) for shape in MATMUL_SHAPES),
    (matmul_multicast, {"m": 32, "k": 64, "n": 32}),  # one core
    (matmul_multicast, {"m": 128, "k": 128, "n": 128}),  # one tile on each of sixteen cores
    (matmul_multicast, {"m": 160, "k": 96, "n": 224, "grid": (4, 3)}),  # padded blocks at the edges
    (matmul_multicast, {"m": 192, "k": 192, "n": 32, "grid": (4, 2)}),  # one column
    *(
        (reduce, {"shape": shape, "operation": operation, "over": over})
        for operation in ("sum", "max")
        for over in ("row", "column", "matrix")
        for shape in IMAGE_SHAPES
    ),
    *(
        (broadcast, {"shape": shape, "kind": kind})
        for kind in ("rows", "cols", "scalar")
        for shape in IMAGE_SHAPES
    ),
    *(
        (broadcast, {"shape": (2, 96, 64), "kind": kind, "operation": "mul"})
        for kind in ("rows", "cols", "scalar")
    ),
    *((transpose, {"height": h, "width": w}) for h, w in [(32, 32), (96, 160), (288, 320)]),
    *((softmax, {"height": h, "width": w}) for h, w in [*ROW_SHAPES, (96, 224)]),
    *((layernorm, {"height": h, "width": w}) for h, w in [*ROW_SHAPES, (96, 160)]),
    *((tilize, {"height": h, "width": w}) for h, w in [*ROW_SHAPES, (96, 224)]),
    *((untilize, {"height": h, "width": w}) for h, w in [*ROW_SHAPES, (96, 320)]),
    *((sharded_add, {"tile_rows": rows, "width": w}) for rows, w in [(1, 32), (8, 64), (13, 96)]),
    *((ping_pong, {"pairs": p, "words": w, "hits": h}) for p, w, h in [(1, 8, 0), (1, 16, 4), (5, 64, 7)]),
    *((multicast, {"grid": grid, "tiles": tiles}) for grid, tiles in [((2, 1), 1), ((3, 2), 5), ((5, 7), 3)]),
]
