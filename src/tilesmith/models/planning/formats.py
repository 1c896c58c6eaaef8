"""In which data format the tensors of a plan lie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tilesmith.kernels.grouped_linear import GroupedLinear
from tilesmith.kernels.halo import HaloConvolution, HaloWindowed
from tilesmith.kernels.linear import Linear
from tilesmith.models.planning.steps import FORMATS, Download, Launch, Plan, Upload
from tilesmith.models.planning.views import FORMATS as STORED
from tilesmith.models.planning.views import Storage, View
from tilesmith.runtime import Layout


def stored_as(plan: Plan, weights: str, activations: str, cache: str = "") -> Plan:
    """The plan with block floats in place of bfloat16 wherever kernels only read and write whole tiles.

    Weights are the constants of products; other constants stay as they are. What stays on the device from
    call to call is the cache.
    """
    if not {weights, activations, cache} & FORMATS.keys():
        return plan
    accesses: dict[Storage, set[str]] = {}
    for step in (*plan.steps, *plan.commits):
        if isinstance(step, Launch):
            for operand in step.template.tensors:
                held = operand.name == "x" and isinstance(step.template, HaloConvolution | HaloWindowed)
                access = "block" if held else operand.access
                accesses.setdefault(step.storages[operand.name], set()).add(access)
    constants = {upload.view.storage for upload in plan.constants}
    residents = {view.storage for view in plan.residents.values()}
    narrow: dict[Storage, str] = {}
    for storage in accesses:
        if storage in residents:
            wanted = cache
        elif storage in constants:
            wanted = weights if _weighs(plan, storage) else ""
        else:
            wanted = activations
        in_tiles = accesses[storage] <= {"block", "turned"} and storage.layout is Layout.TILE
        if in_tiles and storage.dtype == "bfloat16" and wanted in FORMATS:
            narrow[storage] = wanted
    return with_formats(plan, narrow)


def with_formats(plan: Plan, formats: Mapping[Storage, str]) -> Plan:
    """The plan with some storages in other formats."""
    narrow = {storage: replace(storage, format=STORED[wanted]) for storage, wanted in formats.items()}
    return replace(
        plan,
        residents={name: _view(view, narrow) for name, view in plan.residents.items()},
        constants=tuple(_moved(one, narrow) for one in plan.constants),
        steps=tuple(_moved(step, narrow) for step in plan.steps),
        commits=tuple(_moved(step, narrow) for step in plan.commits),
    )


def _weighs(plan: Plan, storage: Storage) -> bool:
    """Whether a storage is the weight of every kernel that reads it."""
    readers = [step for step in plan.steps if isinstance(step, Launch) and storage in step.storages.values()]
    return all(
        isinstance(step.template, Linear | GroupedLinear | HaloConvolution)
        and all(name.startswith("w") for name, one in step.storages.items() if one == storage)
        for step in readers
    )


def _moved(step: Any, narrow: Mapping[Storage, Storage]) -> Any:
    if isinstance(step, Launch):
        storages = {name: narrow.get(one, one) for name, one in step.storages.items()}
        outputs = tuple(narrow.get(one, one) for one in step.outputs)
        return replace(step, storages=storages, outputs=outputs)
    if isinstance(step, Upload | Download):
        return replace(step, view=_view(step.view, narrow))
    return step


def _view(view: View, narrow: Mapping[Storage, Storage]) -> View:
    return replace(view, storage=narrow.get(view.storage, view.storage))
