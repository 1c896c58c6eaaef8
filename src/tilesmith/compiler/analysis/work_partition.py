"""Which core does which blocks: the choice as an attribute, and what it means for each core of a chip."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from operator import add, floordiv, mod, mul, sub

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntAttr, StringAttr

from tilesmith.arch import Arch
from tilesmith.errors import InternalFault
from tilesmith.program import CoreCoord, CoreRange, CoreRangeSet
from tilesmith.program.work_split import num_cores_to_corerangeset

CoreArgs = dict[CoreCoord, dict[str, int]]

_OPERATORS = {ast.Add: add, ast.Sub: sub, ast.Mult: mul, ast.FloorDiv: floordiv, ast.Mod: mod}


@dataclass(frozen=True)
class Partition:
    """How the blocks of a grid go to cores. `extents` are the grid's sizes, as expressions of symbols.

    - "linear": each core takes a run of blocks, counted with dimension 0 fastest.
    - "mesh": `columns` x `rows` cores; a core's x picks a run of dimension 0, its y one of dimension 1.
    - "grouped": blocks that differ only in dimensions outside `separate` go to the same core, in order.
    """

    strategy: str
    extents: tuple[str, ...]
    columns: int = 0
    rows: int = 0
    separate: tuple[int, ...] = ()

    @property
    def inner(self) -> tuple[int, ...]:
        """The dimensions a core runs through for each of its groups, the slowest first."""
        return tuple(dim for dim in reversed(range(len(self.extents))) if dim not in self.separate)

    def to_attribute(self) -> DictionaryAttr:
        """The form the IR keeps it in.

        >>> part = Partition("mesh", ("8", "8"), columns=8, rows=4)
        >>> Partition.of(part.to_attribute()) == part
        True
        """
        return DictionaryAttr(
            {
                "strategy": StringAttr(self.strategy),
                "extents": ArrayAttr([StringAttr(extent) for extent in self.extents]),
                "columns": IntAttr(self.columns),
                "rows": IntAttr(self.rows),
                "separate": ArrayAttr([IntAttr(dim) for dim in self.separate]),
            }
        )

    @staticmethod
    def of(attribute: DictionaryAttr) -> Partition:
        """The partition an attribute stands for."""
        fields = attribute.data
        strategy, extents, separate = fields["strategy"], fields["extents"], fields["separate"]
        columns, rows = fields["columns"], fields["rows"]
        assert isinstance(strategy, StringAttr)
        assert isinstance(extents, ArrayAttr)
        assert isinstance(separate, ArrayAttr)
        assert isinstance(columns, IntAttr)
        assert isinstance(rows, IntAttr)
        return Partition(
            strategy.data,
            tuple(extent.data for extent in extents),
            columns.data,
            rows.data,
            tuple(dim.data for dim in separate),
        )


def extents_of(partition: Partition, symbols: Mapping[str, int]) -> tuple[int, ...]:
    """The sizes of the grid in a call with these symbols.

    >>> extents_of(Partition("linear", ("(m + 127) // 128", "4")), {"m": 300})
    (3, 4)
    """
    return tuple(_evaluate(ast.parse(extent, mode="eval").body, symbols) for extent in partition.extents)


def core_args(partition: Partition, extents: Sequence[int], arch: Arch) -> tuple[CoreRangeSet, CoreArgs]:
    """The cores that work, and each one's arguments: the values of its `tt.arg core` operations.

    >>> from tilesmith.arch import load_arch
    >>> cores, args = core_args(Partition("linear", ("100",)), (100,), load_arch("wormhole"))
    >>> cores.num_cores, args[CoreCoord(0, 0)], args[CoreCoord(7, 7)]
    (64, {'first_block': 0, 'block_count': 2}, {'first_block': 99, 'block_count': 1})
    """
    if partition.strategy == "mesh":
        cores = CoreRangeSet.of([_mesh_range(partition)])
        return cores, {core: {"core_x": core.x, "core_y": core.y} for core in cores.cores()}
    if partition.strategy == "grouped":
        groups = prod(extents[dim] for dim in partition.separate) if all(extents) else 0
        return _runs(groups, arch, "first_group", "group_count")
    return _runs(prod(extents), arch, "first_block", "block_count")


def _mesh_range(partition: Partition) -> CoreRange:
    return CoreRange((0, 0), (partition.columns - 1, partition.rows - 1))


def _runs(units: int, arch: Arch, first_name: str, count_name: str) -> tuple[CoreRangeSet, CoreArgs]:
    """Runs of units as even as they can be. A call without work still has one core, which does nothing."""
    cores = num_cores_to_corerangeset(min(max(units, 1), arch.num_cores), arch.grid, row_wise=True)
    each, more = divmod(units, cores.num_cores)
    args: CoreArgs = {}
    first = 0
    for place, core in enumerate(cores.cores()):
        count = each + (place < more)
        args[core] = {first_name: first, count_name: count}
        first += count
    return cores, args


def _evaluate(node: ast.expr, symbols: Mapping[str, int]) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name) and node.id in symbols:
        return symbols[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left, right = _evaluate(node.left, symbols), _evaluate(node.right, symbols)
        return int(_OPERATORS[type(node.op)](left, right))
    raise InternalFault(f"the size of a grid cannot be computed from {ast.unparse(node)!r}")
