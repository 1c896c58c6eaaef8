"""Pass 5: the grid of blocks becomes loops over the blocks of one core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.arith import AddiOp, ConstantOp, DivSIOp, MuliOp, RemSIOp
from xdsl.dialects.builtin import DictionaryAttr, IndexType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.dialects.tile import GridOp
from tilesmith.dialects.tt import ArgOp
from tilesmith.passes.expressions import constant_of
from tilesmith.passes.partition import Partition


@dataclass(frozen=True)
class GridToCoreGrid(ModulePass):
    """Replace `tile.grid` by `tt.arg core` operations and loops; the module keeps the partition."""

    name = "grid-to-core-grid"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for grid in [one for one in op.walk() if isinstance(one, GridOp)]:
            attribute = grid.attributes["partition"]
            assert isinstance(attribute, DictionaryAttr)
            op.attributes["partition"] = attribute
            _Loops(grid, Partition.of(attribute)).replace()


class _Loops:
    """The loops of one grid, built from the outside in. `at` is where the next operation goes."""

    def __init__(self, grid: GridOp, partition: Partition) -> None:
        self.grid = grid
        self.partition = partition
        self.at = Builder(InsertPoint.before(grid))
        self.names = [arg.name_hint or f"b{'xyz'[dim]}" for dim, arg in enumerate(grid.body.block.args)]
        self.indices: dict[int, SSAValue] = {}

    def replace(self) -> None:
        build = {"mesh": self._mesh, "grouped": self._grouped, "linear": self._linear}
        build[self.partition.kind]()
        body = self.grid.body.block
        for dim, arg in enumerate(list(body.args)):
            arg.replace_all_uses_with(self.indices[dim])
        for op in list(body.ops):
            body.detach_op(op)
            self.at.insert(op)
        Rewriter.erase_op(self.grid)

    def _linear(self) -> None:
        self._run("first_block", "block_count", "block", range(len(self.grid.extents)))

    def _grouped(self) -> None:
        self._run("first_group", "group_count", "group", self.partition.separate)
        for dim in self.partition.inner:
            self._whole(dim)

    def _mesh(self) -> None:
        for dim in range(2, len(self.grid.extents)):
            self._whole(dim)
        for dim, count, arg in ((1, self.partition.rows, "core_y"), (0, self.partition.columns, "core_x")):
            self._share(dim, int(self.partition.extents[dim]) // count, self._arg(arg))

    def _run(self, first_name: str, count_name: str, name: str, dims: Sequence[int]) -> None:
        """One loop over the units of a core; each unit is a number that all of `dims` are digits of."""
        moving = [dim for dim in dims if constant_of(self.grid.extents[dim]) != 1]
        first, count = self._arg(first_name), self._arg(count_name)
        last = self._named(AddiOp(first, count), f"last_{name}")
        unit = self._loop(first, last, self.names[moving[0]] if len(moving) == 1 else name)
        rest = unit
        for dim in dims:
            if dim not in moving:
                self.indices[dim] = self._number(0)
            elif dim == moving[-1]:
                self.indices[dim] = rest
            else:
                extent = self.grid.extents[dim]
                self.indices[dim] = self._named(RemSIOp(rest, extent), self.names[dim])
                following = moving[moving.index(dim) + 1]
                last_digit = following == moving[-1]
                rest = self._named(DivSIOp(rest, extent), self.names[following] if last_digit else "rest")

    def _whole(self, dim: int) -> None:
        """All of a dimension, on every core."""
        extent = self.grid.extents[dim]
        zero = self._number(0)
        self.indices[dim] = zero if constant_of(extent) == 1 else self._loop(zero, extent, self.names[dim])

    def _share(self, dim: int, each: int, core: SSAValue) -> None:
        """The `each` blocks of a dimension that belong to a row or column of cores."""
        if each == 1:
            self.indices[dim] = core
            return
        name = self.names[dim]
        first = self._named(MuliOp(core, self._number(each)), f"first_{name}")
        last = self._named(AddiOp(first, self._number(each)), f"last_{name}")
        self.indices[dim] = self._loop(first, last, name)

    def _loop(self, first: SSAValue, last: SSAValue, name: str) -> SSAValue:
        body = Block([scf.YieldOp()], arg_types=[IndexType()])
        body.args[0].name_hint = name
        self.at.insert(scf.ForOp(first, last, self._number(1), [], body))
        end = body.first_op
        assert end is not None
        self.at = Builder(InsertPoint.before(end))
        return body.args[0]

    def _arg(self, name: str) -> SSAValue:
        return self.at.insert(ArgOp(name, "core")).value

    def _number(self, value: int) -> SSAValue:
        return self.at.insert(ConstantOp.from_int_and_width(value, IndexType())).result

    def _named(self, op: Operation, name: str) -> SSAValue:
        self.at.insert(op)
        op.results[0].name_hint = name
        return op.results[0]
