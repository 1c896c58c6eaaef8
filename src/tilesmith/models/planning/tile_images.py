"""Images in tiles: where every kernel that touches one can read it so, it lies in tiles instead of rows.

A window of one pixel is then a product of whole tiles, as any other, and larger windows fetch their pixels
tile by tile. An image that some kernel reads in rows stays in rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from tilesmith.arch import Arch
from tilesmith.kernels.convolution import Convolution, Windowed
from tilesmith.kernels.elementwise import Elementwise
from tilesmith.kernels.epilogue import Epilogue
from tilesmith.kernels.linear import Linear
from tilesmith.kernels.movement import Untilize
from tilesmith.kernels.operands import Access, Operand
from tilesmith.kernels.shared_group_norm import GroupSums, SharedGroupNorm
from tilesmith.models.planning.halos import halo_template
from tilesmith.models.planning.steps import Download, Launch, Plan, Step, Upload
from tilesmith.models.planning.views import TILE, Storage, padded
from tilesmith.runtime import Layout

_STORED = ("bfloat16", "float32")
_IN_TILES: dict[Access, Access] = {"rows": "block", "turned_rows": "turned"}
"""How an operand in rows is read when it lies in tiles."""


def tile_images(plan: Plan, arch: Arch, fidelity: str, weights: str = "") -> Plan:
    """The plan with images in tiles. `weights` is the dtype they will lie in, if it is known."""
    halos = {
        id(step): halo_template(step, arch, fidelity, weights)
        for step in plan.steps
        if isinstance(step, Launch) and isinstance(step.template, Convolution | Windowed)
    }
    fixed = {upload.view.storage for upload in plan.constants} | _of_residents(plan)
    copies = {one.storages["y"]: one for one in _copies_to_rows(plan, fixed)}
    moved: dict[Storage, Storage] = {}
    for storage, uses in _uses(plan).items():
        in_rows = storage.layout is Layout.ROW_MAJOR and storage.dtype in _STORED and storage not in fixed
        readers = [use for use in uses if use[0] is not copies.get(storage)]
        if in_rows and all(_may_tile(step, name, halos) for step, name in readers):
            in_tiles = replace(
                storage, layout=Layout.TILE, rows=padded(storage.rows), cols=padded(storage.cols)
            )
            moved[storage] = copies[storage].storages["x"] if storage in copies else in_tiles
    dropped = {id(copy) for storage, copy in copies.items() if storage in moved}
    kept = (step for step in plan.steps if id(step) not in dropped)
    return replace(plan, steps=tuple(_moved(step, moved, halos) for step in kept))


def _copies_to_rows(plan: Plan, fixed: Collection[Storage]) -> Iterator[Launch]:
    """What copies whole tensors from tiles to rows for windows to read, where nothing changes them later."""
    for step in plan.steps:
        if isinstance(step, Launch) and isinstance(step.template, Untilize):
            source, target = step.storages["x"], step.storages["y"]
            same = (source.rows, source.cols, source.dtype) == (target.rows, target.cols, target.dtype)
            if same and source.tiles is None and not {source, target} & set(fixed):
                yield step


def _of_residents(plan: Plan) -> set[Storage]:
    """What stays on the device from call to call, and what it is filled from: others read it too."""
    found = {view.storage for view in plan.residents.values()}
    for step in plan.commits:
        found |= set(step.storages.values()) if isinstance(step, Launch) else set()
        found |= {step.view.storage} if isinstance(step, Upload | Download) else set()
    return found


def _uses(plan: Plan) -> dict[Storage, list[tuple[Launch, str]]]:
    """The launches that touch each storage, and as which operand."""
    found: dict[Storage, list[tuple[Launch, str]]] = {}
    for step in plan.steps:
        if isinstance(step, Launch):
            for name, storage in step.storages.items():
                found.setdefault(storage, []).append((step, name))
    return found


def _may_tile(step: Launch, name: str, halos: Mapping[int, Any]) -> bool:
    """Whether a kernel can read or write this operand in tiles."""
    template, numbers = step.template, step.numbers
    if not isinstance(template, Linear | Convolution | Windowed | Elementwise | GroupSums | SharedGroupNorm):
        return False
    accesses = {one.name: one.access for one in template.tensors}
    access = accesses.get(name)
    if access not in _IN_TILES or numbers[f"{name}_row"] % TILE or not _walks_tiles(step, name):
        return False
    if access == "turned_rows":
        return True
    if name == "x" and isinstance(template, Convolution | Windowed):
        return halos[id(step)] is not None
    if name == "x" and isinstance(template, Linear):
        return not template.x_transposed and template.dtype in _STORED
    return _is_covered(step, name)


def _walks_tiles(step: Launch, name: str) -> bool:
    """Whether the images of a batch are one matrix, or begin at tiles where a kernel walks them."""
    numbers = step.numbers
    if isinstance(step.template, Elementwise) and numbers["nb1"] * numbers["nb2"] != 1:
        # What a turned operand has beyond its columns is cleared in the result.
        turned = any(one.name == name and one.access == "turned_rows" for one in step.template.tensors)
        starts = (numbers[f"{name}_row1"], numbers[f"{name}_row2"], 0 if turned else numbers["m"])
        return all(start % TILE == 0 for start in starts)
    return numbers.get("nb1", 1) * numbers.get("nb2", 1) == 1


def _is_covered(step: Launch, name: str) -> bool:
    """Whether whole blocks of the result touch nothing that lies beside it."""
    storage, numbers = step.storages[name], step.numbers
    if numbers[f"{name}_col"] == 0 and padded(storage.cols) == padded(numbers["n"]):
        return True
    block: Any = getattr(step.template, "block", (TILE, TILE))
    is_last = numbers[f"{name}_col"] * TILE + numbers["n"] == storage.cols
    if is_last and padded(numbers["n"]) % block[1] == 0:
        return True
    return numbers["n"] % (TILE if isinstance(step.template, Linear) else block[1]) == 0


# ---- rewriting ----


def _moved(step: Step, moved: Mapping[Storage, Storage], halos: Mapping[int, Any]) -> Step:
    if isinstance(step, Upload | Download):
        storage = moved.get(step.view.storage, step.view.storage)
        return replace(step, view=replace(step.view, storage=storage))
    if not isinstance(step, Launch):
        return step
    names = [name for name, storage in step.storages.items() if storage in moved]
    if not names:
        return step
    return replace(
        step,
        template=_template(step, names, halos),
        storages={name: moved.get(one, one) for name, one in step.storages.items()},
        outputs=tuple(moved.get(one, one) for one in step.outputs),
        numbers={**step.numbers, **dict(_row_numbers(step, names))},
    )


def _row_numbers(step: Launch, names: list[str]) -> Iterator[tuple[str, int]]:
    """Rows of blocks count in tiles; those of a window's image do not."""
    for name in names:
        if not (name == "x" and isinstance(step.template, Convolution | Windowed)):
            for key in ("row", "row1", "row2"):
                yield f"{name}_{key}", step.numbers[f"{name}_{key}"] // TILE


def _template(step: Launch, names: list[str], halos: Mapping[int, Any]) -> Any:
    template: Any = step.template
    if isinstance(template, Convolution | Windowed) and "x" in names:
        template = halos[id(step)]
    if isinstance(template, Linear | GroupSums | SharedGroupNorm) and "x" in names:
        template = replace(template, x_access="block")
    if isinstance(template, GroupSums):
        return template
    return replace(template, epilogue=_epilogue(template.epilogue, names, step.numbers["n"]))


def _epilogue(epilogue: Epilogue, names: list[str], columns: int) -> Epilogue:
    """What lies beyond the last channel is read as zeros by products."""

    def kept(operand: Operand) -> Operand:
        return replace(operand, access=_IN_TILES[operand.access]) if operand.name in names else operand

    results = tuple(replace(one, out=kept(one.out)) for one in epilogue.results)
    ends_inside = columns % TILE != 0 and any(one.out.name in names for one in epilogue.results)
    return replace(
        epilogue,
        results=results,
        reads=tuple(map(kept, epilogue.reads)),
        mask_columns=epilogue.mask_columns or ends_inside,
    )
