"""A product and the norm after it: where a library does the product, the norm's kernel does its epilogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tilesmith.kernels.epilogue import Result
from tilesmith.kernels.expression import Input, substitute
from tilesmith.kernels.linear import Linear
from tilesmith.kernels.operands import STRIDES
from tilesmith.kernels.rowwise import RowWise
from tilesmith.models.backends.cuda.library import Call, Known, library_ways
from tilesmith.models.planning.steps import Download, Launch, Step
from tilesmith.models.planning.views import Storage


def partners(steps: Sequence[Step]) -> dict[int, int]:
    """Which product may leave its epilogue to which norm, by their places among the steps."""
    readers: dict[Storage, list[int]] = {}
    for place, step in enumerate(steps):
        for storage in _reads(step):
            readers.setdefault(storage, []).append(place)
    found = {}
    for place, step in enumerate(steps):
        if isinstance(step, Launch) and isinstance(step.template, Linear):
            after = [one for one in readers.get(step.storages["y"], []) if one > place]
            norm = steps[after[0]] if after else None
            if isinstance(norm, Launch) and isinstance(norm.template, RowWise) and _meet(step, norm):
                found[place] = after[0]
    return found


def is_read_again(steps: Sequence[Step], storage: Storage, norm: int) -> bool:
    """Whether anything but the norm reads what the product makes."""
    return any(storage in _reads(step) for place, step in enumerate(steps) if place != norm)


def fused(product: Launch, norm: Launch, kept: bool) -> tuple[Call, Launch] | None:
    """The product by a library, and a norm that does the rest; `kept` says that the sum is needed, too."""
    ways = [way for way in library_ways(product, Known()) if len(way) == 2]
    if not ways:
        return None
    call, rest = ways[0]
    assert isinstance(call, Call)
    assert isinstance(rest, Launch)
    template: Any = norm.template
    whole: Any = rest.template
    names = {one.name: f"of_{one.name}" for one in whole.epilogue.reads}
    source = next(name for name, one in norm.storages.items() if one == product.storages["y"])
    value = substitute(whole.epilogue.results[0].value, {old: Input(new) for old, new in names.items()})
    moved = tuple(replace(one, name=names[one.name]) for one in whole.epilogue.reads)
    inputs = (*(one for one in template.inputs if one.name != source), *moved)
    epilogue = template.epilogue
    storages = {name: one for name, one in norm.storages.items() if name != source}
    storages |= {new: rest.storages[old] for old, new in names.items()}
    numbers = {**norm.numbers, **_moved(rest.numbers, names)}
    outputs = norm.outputs
    if kept:
        out = replace(whole.epilogue.results[0].out, name="sum")
        reads = (*epilogue.reads, *moved)
        epilogue = replace(epilogue, results=(*epilogue.results, Result(value, out)), reads=reads)
        storages["sum"] = rest.storages["y"]
        numbers |= _moved(rest.numbers, {"y": "sum"})
        outputs = (*outputs, rest.storages["y"])
    fused = replace(
        template, inputs=inputs, source=substitute(template.source, {source: value}), epilogue=epilogue
    )
    ops = (*product.ops[1:], *norm.ops)
    return call, replace(norm, template=fused, storages=storages, numbers=numbers, outputs=outputs, ops=ops)


def _moved(numbers: Mapping[str, int], names: Mapping[str, str]) -> dict[str, int]:
    return {f"{new}_{key}": numbers[f"{old}_{key}"] for old, new in names.items() for key in STRIDES}


def _meet(product: Launch, norm: Launch) -> bool:
    """Whether a norm works on just the rows that a product makes, and no epilogue of its own names them."""
    n, r = product.numbers, norm.numbers
    template: Any = norm.template
    rows = product.storages["y"]
    named = [one.name for one in template.inputs if norm.storages[one.name] == rows]
    again = any(norm.storages[one.name] == rows for one in template.epilogue.reads)
    if len(named) != 1 or again or (n["nb1"], n["nb2"], r["nb1"], r["nb2"]) != (1, 1, 1, 1):
        return False
    same = all(r[f"{named[0]}_{key}"] == n[f"y_{key}"] == 0 for key in STRIDES)
    return same and n["m"] == r["m"] and n["n"] == template.columns


def _reads(step: Step) -> set[Storage]:
    if isinstance(step, Launch):
        return {storage for name, storage in step.storages.items() if storage not in step.outputs}
    return {step.view.storage} if isinstance(step, Download) else set()
