"""Calls of operations that move elements: other layouts, orders, shapes, parts and memories."""

from __future__ import annotations

from conformance.ttnn_api.call import Call, calls_of

MOVEMENT: list[Call] = [
    *calls_of(
        "to_layout",
        {
            "to tiles": lambda k: k.call(k.rows(1, 1, 64, 64), k.lib.TILE_LAYOUT),
            "to tiles with padding": lambda k: k.call(k.rows(2, 31, 33), k.lib.TILE_LAYOUT),
            "to rows": lambda k: k.call(k.t(1, 1, 64, 64), k.lib.ROW_MAJOR_LAYOUT),
            "to rows from padding": lambda k: k.call(k.t(2, 31, 33), k.lib.ROW_MAJOR_LAYOUT),
            "as it is": lambda k: k.call(k.t(64, 64), k.lib.TILE_LAYOUT),
        },
    ),
    *calls_of(
        "tilize",
        {
            "whole tiles": lambda k: k.call(k.rows(1, 1, 64, 64)),
            "to L1": lambda k: k.call(k.rows(1, 1, 64, 64), memory_config=k.l1),
            "a width of 33": lambda k: k.call(k.rows(1, 1, 32, 33)),
            "tiles already": lambda k: k.call(k.t(1, 1, 32, 32)),
        },
    ),
    *calls_of(
        "untilize",
        {
            "whole tiles": lambda k: k.call(k.t(1, 1, 64, 64)),
            "rows already": lambda k: k.call(k.rows(1, 1, 32, 32)),
        },
    ),
    *calls_of(
        "tilize_with_val_padding",
        {"up to tiles": lambda k: k.call(k.rows(1, 1, 30, 40), [1, 1, 32, 64], 0.0)},
    ),
    *calls_of(
        "untilize_with_unpadding",
        {"down to 30 x 40": lambda k: k.call(k.t(1, 1, 32, 64), [0, 0, 29, 39])},
    ),
    *calls_of(
        "permute",
        {
            "row major": lambda k: k.call(k.rows(2, 3, 4, 32), (0, 2, 3, 1)),
            "tiles": lambda k: k.call(k.t(2, 3, 32, 64), (0, 2, 1, 3)),
            "last two in tiles": lambda k: k.call(k.t(2, 3, 32, 64), (0, 1, 3, 2)),
            "nothing": lambda k: k.call(k.t(2, 3, 32, 64), (0, 1, 2, 3)),
            "too few": lambda k: k.call(k.t(2, 3, 32, 64), (0, 1)),
            "twice the same": lambda k: k.call(k.t(2, 3, 32, 64), (0, 0, 1, 2)),
            "out of range": lambda k: k.call(k.t(2, 3, 32, 64), (0, 1, 2, 7)),
        },
    ),
    *calls_of(
        "transpose",
        {
            "last two": lambda k: k.call(k.t(1, 2, 32, 64), -2, -1),
            "middle": lambda k: k.call(k.t(1, 2, 32, 64), 1, 2),
            "out of range": lambda k: k.call(k.t(1, 2, 32, 64), 0, 5),
        },
    ),
    *calls_of(
        "concat",
        {
            "last": lambda k: k.call([k.t(1, 1, 32, 32), k.t(1, 1, 32, 64)], -1),
            "first": lambda k: k.call([k.t(1, 2, 32, 32), k.t(3, 2, 32, 32)], 0),
            "row major": lambda k: k.call([k.rows(2, 5), k.rows(2, 7)], 1),
            "nothing": lambda k: k.call([], 0),
            "other sizes": lambda k: k.call([k.t(1, 1, 32, 32), k.t(1, 1, 64, 64)], -1),
            "out of range": lambda k: k.call([k.t(1, 1, 32, 32), k.t(1, 1, 32, 32)], 4),
            "other ranks": lambda k: k.call([k.t(1, 1, 32, 32), k.t(1, 32, 32)], -1),
        },
    ),
    *calls_of(
        "slice",
        {
            "tiles": lambda k: k.call(k.t(2, 3, 64, 64), [0, 0, 0, 0], [1, 3, 32, 64]),
            "row major": lambda k: k.call(k.rows(2, 3, 64, 64), [0, 1, 3, 8], [2, 3, 60, 64]),
            "steps": lambda k: k.call(k.rows(2, 3, 64, 64), [0, 0, 0, 0], [2, 3, 64, 64], [1, 1, 2, 1]),
            "past the end": lambda k: k.call(k.rows(2, 3, 64, 64), [0, 0, 0, 0], [2, 3, 64, 65]),
            "too few": lambda k: k.call(k.rows(2, 3, 64, 64), [0, 0], [2, 3]),
        },
    ),
    *calls_of(
        "pad",
        {
            "row major": lambda k: k.call(k.rows(1, 2, 30, 32), [(0, 0), (0, 1), (0, 2), (0, 0)], 0.0),
            "tiles": lambda k: k.call(k.t(1, 1, 32, 32), [(0, 0), (0, 0), (0, 32), (0, 32)], 0.0),
            "in front": lambda k: k.call(k.rows(1, 2, 30, 32), [(0, 0), (1, 0), (2, 0), (0, 0)], 0.0),
            "nothing": lambda k: k.call(k.rows(1, 2, 30, 32), [(0, 0), (0, 0), (0, 0), (0, 0)], 0.0),
            "too many": lambda k: k.call(k.rows(2, 32), [(0, 0), (0, 0), (0, 0)], 0.0),
        },
    ),
    *calls_of(
        "reshape",
        {
            "row major": lambda k: k.call(k.rows(2, 3, 64), (6, 64)),
            "tiles": lambda k: k.call(k.t(2, 32, 64), (64, 64)),
            "one left open": lambda k: k.call(k.t(2, 32, 64), (-1, 32)),
            "another volume": lambda k: k.call(k.t(2, 32, 64), (64, 63)),
        },
    ),
    *calls_of(
        "unsqueeze",
        {
            "in front": lambda k: k.call(k.t(32, 64), 0),
            "out of range": lambda k: k.call(k.t(32, 64), 5),
        },
    ),
    *calls_of(
        "squeeze",
        {
            "the first": lambda k: k.call(k.t(1, 32, 64), 0),
            "one that is not 1": lambda k: k.call(k.t(2, 32, 64), 0),
        },
    ),
    *calls_of(
        "repeat",
        {
            "tiles": lambda k: k.call(k.t(1, 1, 32, 32), (1, 2, 1, 1)),
            "row major": lambda k: k.call(k.rows(2, 3, 4, 32), (1, 1, 2, 1)),
        },
    ),
    *calls_of(
        "stack",
        {
            "row major": lambda k: k.call([k.rows(4, 32), k.rows(4, 32)], 0),
            "other shapes": lambda k: k.call([k.rows(4, 32), k.rows(5, 32)], 0),
        },
    ),
    *calls_of("split", {"two halves": lambda k: k.call(k.t(1, 1, 64, 64), 32, 3)}),
    *calls_of(
        "to_memory_config",
        {
            "to L1": lambda k: k.call(k.t(64, 64), k.l1),
            "to height shards": lambda k: k.call(k.t(1, 1, 128, 64), k.shards("HEIGHT", (4, 1), (32, 64))),
            "to block shards": lambda k: k.call(k.t(1, 1, 128, 128), k.shards("BLOCK", (2, 2), (64, 64))),
            "from height shards": lambda k: k.call(
                k.t(1, 1, 128, 64, memory=k.shards("HEIGHT", (4, 1), (32, 64))), k.lib.DRAM_MEMORY_CONFIG
            ),
            "as it is": lambda k: k.call(k.t(64, 64), k.lib.DRAM_MEMORY_CONFIG),
        },
    ),
]
