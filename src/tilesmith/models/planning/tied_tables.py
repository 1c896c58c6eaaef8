"""Tables of embeddings that are also the weight of a product, as in models with tied embeddings: kept once.

A product reads tiles. The row of a table is in them too, 16 elements at a time, so that tokens can be looked
up where the product's weight lies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch

from tilesmith.kernels.embedding import Embedding
from tilesmith.models.planning.steps import Launch, Plan, Upload
from tilesmith.models.planning.views import TILE, Storage, View, padded, rows_of_tiles
from tilesmith.runtime import Layout


def tied_tables(plan: Plan, values: Mapping[str, torch.Tensor]) -> Plan:
    """The plan with embeddings that read the weight of a product; `values` are those of its constants.

    Both must have it in the same format: a weight in block floats would round the table.
    """
    weights = [upload for upload in plan.constants if _is_plain(upload, Layout.TILE)]
    found: dict[Storage, Storage] = {}
    for table in _tables(plan):
        value = values.get(table.node)
        same = (one for one in weights if _is_same(value, values.get(one.node)))
        fitting = (one.view.storage for one in same if one.view.storage.format is table.view.storage.format)
        weight = next(fitting, None)
        if weight is not None:
            found[table.view.storage] = rows_of_tiles(weight)
    return replace(
        plan,
        constants=tuple(one for one in plan.constants if one.view.storage not in found),
        steps=tuple(_reading_tiles(step, found) for step in plan.steps),
    )


def _tables(plan: Plan) -> Iterator[Upload]:
    """Constants in rows that embeddings alone read."""
    for upload in plan.constants:
        readers = [step for step in plan.steps if isinstance(step, Launch) and _reads(step, upload.view)]
        if _is_plain(upload, Layout.ROW_MAJOR) and all(
            isinstance(step.template, Embedding) and step.storages["table"] == upload.view.storage
            for step in readers
        ):
            yield upload


def _reads(step: Launch, view: View) -> bool:
    return view.storage in step.storages.values()


def _is_plain(upload: Upload, layout: Layout) -> bool:
    """Whether a matrix lies in its storage as it is, from the first element on."""
    view, storage = upload.view, upload.view.storage
    if upload.additive or storage.layout is not layout or len(view.axes) < 2 or view.row or view.col:
        return False
    rows, cols = view.shape[-2:]
    fit = padded if layout is Layout.TILE else int
    steps = [(axis.row, axis.col) for axis in view.axes[-2:]]
    return steps == [(1, 0), (0, 1)] and (storage.rows, storage.cols) == (fit(rows), fit(cols))


def _is_same(table: torch.Tensor | None, weight: torch.Tensor | None) -> bool:
    """Whether two names stand for the same matrix."""
    if table is None or weight is None or table.shape != weight.shape:
        return False
    return table.data_ptr() == weight.data_ptr() and table.stride() == weight.stride()


def _reading_tiles(step: Any, tables: Mapping[Storage, Storage]) -> Any:
    if not isinstance(step, Launch) or step.storages.get("table") not in tables:
        return step
    table = tables[step.storages["table"]]
    assert isinstance(step.template, Embedding)
    assert table.tiles is not None
    template = replace(step.template, across=table.tiles.cols // TILE)
    return replace(step, template=template, storages={**step.storages, "table": table})
