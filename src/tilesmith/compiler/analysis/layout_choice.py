"""One layout per buffer, out of what the operations ask for."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import prod

from xdsl.ir import SSAValue

from tilesmith.compiler.analysis.layout_constraints import (
    RequiredLayout,
    SameLayout,
    dims_of,
    elements_of,
    is_vector,
)
from tilesmith.compiler.analysis.storage_formats import is_integer_buffer, is_used_by_compute
from tilesmith.compiler.analysis.tile_geometry import TILE, TILE_ELEMENTS


def choose_layouts(
    buffers: Sequence[SSAValue], required: Iterable[RequiredLayout], same_layouts: Iterable[SameLayout]
) -> dict[SSAValue, str]:
    """A layout for every buffer. Tied buffers get the same; a requirement not met needs a copy later."""
    same_layouts = tuple(same_layouts)
    groups = _Groups(buffers)
    for same_layout in same_layouts:
        groups.join([buffer for buffer in same_layout.buffers if elements_of(buffer) > 1])
    votes: dict[SSAValue, Counter[str]] = defaultdict(Counter)
    for requirement in required:
        # What writes a buffer counts twice: one copy less on the way to every reader.
        weight = 2 if requirement.operand == len(requirement.op.operands) - 1 else 1
        votes[groups.of(requirement.buffer)][requirement.layout] += weight
    no_flat = {groups.of(buffer) for same in same_layouts if not same.flat for buffer in same.buffers}
    layouts: dict[SSAValue, str] = {}
    for head, members in groups.all():
        layout = _layout_of_group(members, votes[head], head not in no_flat)
        layouts |= dict.fromkeys(members, layout)
    return layouts | {buffer: "scalar" for buffer in buffers if elements_of(buffer) == 1}


def _layout_of_group(members: Sequence[SSAValue], votes: Counter[str], may_be_flat: bool) -> str:
    shapes = {dims_of(buffer) for buffer in members}
    vectors = all(is_vector(shape) for shape in shapes)
    if votes:
        best = votes.most_common(1)[0][0]
        # In tiles, vectors of shapes (n, 1) and (1, n) lie differently: they only match as vectors.
        return best if best != "tiled" or not vectors or len(shapes) == 1 else "row"
    if vectors:
        return "flat" if may_be_flat else "row"
    return "flat" if may_be_flat and all(_is_better_flat(buffer) for buffer in members) else "tiled"


def _is_better_flat(buffer: SSAValue) -> bool:
    """Blocks only transfers and scalar code touch: of integers, or mostly padding if they were tiles."""
    if is_used_by_compute(buffer):
        return False
    *batch, rows, cols = dims_of(buffer)
    in_tiles = prod(batch) * -(-rows // TILE) * -(-cols // TILE) * TILE_ELEMENTS
    return is_integer_buffer(buffer) or in_tiles > 2 * elements_of(buffer)


class _Groups:
    """Sets of values that grow together."""

    def __init__(self, values: Iterable[SSAValue]) -> None:
        self._parent = {value: value for value in values}

    def of(self, value: SSAValue) -> SSAValue:
        while self._parent[value] is not value:
            value = self._parent[value]
        return value

    def join(self, values: Sequence[SSAValue]) -> None:
        for value in values[1:]:
            self._parent[self.of(value)] = self.of(values[0])

    def all(self) -> Iterable[tuple[SSAValue, list[SSAValue]]]:
        members: dict[SSAValue, list[SSAValue]] = defaultdict(list)
        for value in self._parent:
            members[self.of(value)].append(value)
        return members.items()
