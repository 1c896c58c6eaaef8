"""Inputs that stay on the device from call to call, such as a cache: how they lie and are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from torch.fx import Graph, Node

from tilesmith.kernels.elementwise import Elementwise
from tilesmith.kernels.epilogue import Epilogue, Result
from tilesmith.kernels.expression import Input, apply, narrowed
from tilesmith.kernels.operands import Operand
from tilesmith.models.passes.fuse_cache_updates import RESIDENT
from tilesmith.models.planning.fusion import Group, args_of, shape_of
from tilesmith.models.planning.iteration_space import Placed
from tilesmith.models.planning.lower_moves import copy_block
from tilesmith.models.planning.lowering import Lowering, NoKernel, size_numbers
from tilesmith.models.planning.steps import Launch, Step, Upload
from tilesmith.models.planning.views import TILE, View, fresh, fresh_vector, padded


def resident_views(graph: Graph, dtype: str) -> dict[Node, View]:
    """Where inputs lie that stay on the device: in tiles, in the same way for every graph."""
    nodes = (node for node in graph.nodes if node.op == "placeholder" and RESIDENT in node.meta)
    return {node: fresh(shape_of(node), dtype) for node in nodes}


def lower_cache_update(lowering: Lowering, group: Group) -> View:
    """Rows are written where they belong; the tiles around them stay as they are."""
    cache, positions, rows = args_of(group.anchors[0])
    whole = lowering.device.get(cache)
    if whole is None or RESIDENT not in cache.meta:
        raise NoKernel("a cache that does not stay on the device")
    lowering.to_host(positions)
    count = shape_of(rows)[-2]
    if count == 1:
        moving = _write_row(lowering, positions, rows, whole.slice(2, 0, TILE))
    else:
        source = lowering.placed(rows, shape_of(rows), "block")
        copy_block(lowering, source, whole.slice(2, 0, count))
        moving = ("y_row",)
    last = lowering.steps[-1]
    assert isinstance(last, Launch)
    lowering.steps[-1] = replace(last, ops=("cache_update",), cursor=positions.name, moving=moving)
    return whole


def _write_row(lowering: Lowering, positions: Node, row: Node, tiles: View) -> tuple[str, ...]:
    """One row of a tile is the new one, the others are those that were there."""
    shape = tiles.shape
    chosen = lowering.uploaded(
        positions, "row of a tile", lambda: fresh_vector((TILE, 1), "float32"), one_hot=TILE
    )
    operands = {
        "old": Placed("block", tiles),
        "new": lowering.placed(row, shape, "row"),
        "chosen": Placed("column", chosen.expand(shape)),
    }
    dtype = tiles.storage.dtype
    value = apply("where", Input("chosen"), Input("new"), Input("old"))
    epilogue = Epilogue(
        (Result(narrowed(value) if dtype == "bfloat16" else value, Operand("y", "block", dtype)),),
        tuple(Operand(name, placed.access, placed.view.storage.dtype) for name, placed in operands.items()),
    )
    operands["y"] = Placed("block", tiles)
    room = lowering.space(shape, operands, join_rows=False)
    columns = next(size for size in (128, 64, TILE) if padded(room.cols) % size == 0)
    storages = {name: placed.view.storage for name, placed in operands.items()}
    numbers = {**size_numbers(room), **room.numbers}
    lowering.launch(Elementwise(epilogue, (TILE, columns)), storages, numbers, ("cache_update",), tiles)
    return "old_row", "y_row"


def commits_of(lowering: Lowering, views: Mapping[Node, View], results: Sequence[Any]) -> list[Step]:
    """What brings new values into residents that were not written in place. It runs after all else."""
    after = lowering.draft()
    for node, view in views.items():
        result = results[node.meta[RESIDENT]] if node.meta[RESIDENT] >= 0 else node
        if result is node or (result in after.device and after.device[result].storage == view.storage):
            continue
        if result in after.device:
            shape = (1,) * (2 - len(view.shape)) + view.shape
            copy_block(after, after.placed(result, shape_of(result), "block"), view.expand(shape))
        else:
            after.steps.append(Upload(result.name, view))
    return after.steps
