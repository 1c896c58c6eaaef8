"""Attention of few queries to many keys -> a launch for parts of the keys, and one that joins them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tilesmith.kernels.attention import Attention
from tilesmith.kernels.epilogue import Epilogue
from tilesmith.kernels.split_attention import JoinedAttention, SplitAttention
from tilesmith.models.planning.epilogue import Finish
from tilesmith.models.planning.fusion import Group, describe, shape_of
from tilesmith.models.planning.iteration_space import Placed, unjoined
from tilesmith.models.planning.lowering import Lowering, size_numbers
from tilesmith.models.planning.views import BYTES, TILE, Storage, View, new_storage, padded
from tilesmith.runtime import Layout

# Fewer keys one core has read sooner than two kernels have begun.
_FEWEST_KEYS = 1024
_MOST_KEYS = 1024
# What joining a part takes, in tiles of keys.
_JOIN = 2
# Of L1, what keys, values and scores of a part may take.
_MOST_BYTES = 700_000


def parts_of_keys(attention: Attention, rows: int, heads: int, keys: int, cores: int) -> int:
    """How many cores share the keys of a head, if heads leave most cores without work.

    >>> attention = Attention(64, 64, 0.125, Epilogue(()))
    >>> [parts_of_keys(attention, 4, heads, 2048, 64) for heads in (8, 16, 32, 64)]
    [4, 4, 2, 1]
    """
    if attention.causal or padded(rows) > TILE or 2 * heads > cores or keys < _FEWEST_KEYS:
        return 1
    tiles = padded(keys) // TILE
    room = (attention.width + attention.value_width) * BYTES[attention.dtype] + 10 * TILE
    most = min(_MOST_KEYS, int(_MOST_BYTES / room))
    fitting = [part for part in range(2, tiles + 1) if tiles % part == 0 and tiles // part * TILE <= most]
    costs = {part: -(-heads * part // cores) * (tiles // part) + _JOIN * part for part in fitting}
    return min(costs, key=costs.__getitem__, default=1)


def lower_split(
    lowering: Lowering,
    group: Group,
    attention: Attention,
    operands: Mapping[str, Placed],
    done: Finish,
    parts: int,
) -> View:
    """`operands` are the queries, keys, values and mask; `done` is what follows."""
    batch, heads, rows, value_width = shape_of(group.anchors[0])
    keys = operands["k"].view.shape[-2]
    count = batch * heads * parts * TILE
    sums = new_storage(count, padded(value_width), Layout.TILE, "float32")
    peaks, totals = (new_storage(1, count, Layout.ROW_MAJOR, "float32") for _ in range(2))
    block = (TILE, padded(keys) // parts)
    split = replace(attention, epilogue=Epilogue(()), block=block, whole=keys % TILE == 0)
    room = unjoined((batch, heads, rows, value_width), operands)
    found = {"peaks": peaks, "totals": totals}
    vectors = {
        key: number for name in found for key, number in _steps(name, "col", heads, parts, TILE).items()
    }
    lowering.launch(
        SplitAttention(split, parts),
        {**_storages(operands), "y": sums, **found},
        {**size_numbers(room), "n": keys, **room.numbers, **_steps("y", "row", heads, parts), **vectors},
        describe(group),
        sums,
        peaks,
        totals,
    )
    last = unjoined((batch, heads, rows, value_width), done.operands)
    sizes = {key: number for key, number in size_numbers(last).items() if key != "n"}
    lowering.launch(
        JoinedAttention(padded(value_width), parts, done.epilogue),
        {"x": sums, **found, **_storages(done.operands)},
        {**sizes, **last.numbers, **_steps("x", "row", heads, parts), **vectors},
        describe(group),
        done.out,
    )
    return done.out


def _storages(operands: Mapping[str, Placed]) -> dict[str, Storage]:
    return {name: one.view.storage for name, one in operands.items()}


def _steps(name: str, along: str, heads: int, parts: int, unit: int = 1) -> dict[str, int]:
    """The numbers of a tensor that has a tile, or so many elements, for each part of each head."""
    steps = dict.fromkeys((f"{name}_{key}" for key in ("row", "row1", "row2", "col", "col1", "col2")), 0)
    return {**steps, f"{name}_{along}1": heads * parts * unit, f"{name}_{along}2": parts * unit}
