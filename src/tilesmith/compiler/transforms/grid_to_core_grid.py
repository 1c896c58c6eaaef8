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
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.index_expressions import constant_of
from tilesmith.compiler.analysis.work_partition import Partition
from tilesmith.compiler.dialects.tile import GridOp
from tilesmith.compiler.dialects.tt import ArgOp, number
from tilesmith.compiler.dialects.walk import operations_of
from tilesmith.compiler.pass_group import Pass


@dataclass(frozen=True)
class GridToCoreGrid(Pass):
    """Replace `tile.grid` by `tt.arg core` operations and loops; the module keeps the partition."""

    name = "grid-to-core-grid"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for grid in operations_of(op, GridOp):
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
        build[self.partition.strategy]()
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
        for dim in reversed(range(2, len(self.grid.extents))):
            self._whole(dim)
        self._share(1, self.partition.rows, "core_y")
        self._share(0, self.partition.columns, "core_x")

    def _run(self, first_name: str, count_name: str, name: str, dims: Sequence[int]) -> None:
        """One loop over the units of a core; a unit is a number with the indices of `dims` as its digits."""
        moving = [dim for dim in dims if constant_of(self.grid.extents[dim]) != 1]
        last_dim = moving[-1] if moving else None
        first, count = self._arg(first_name), self._arg(count_name)
        end = self._named(AddiOp(first, count), f"end_{name}")
        rest = self._loop(first, end, self.names[moving[0]] if len(moving) == 1 else name)
        for dim in dims:
            if dim not in moving:
                self.indices[dim] = self._number(0)
            elif dim == last_dim:
                self.indices[dim] = self._bounded(rest, dim)
            else:
                digit = self._named(RemSIOp(rest, self.grid.extents[dim]), self.names[dim])
                self.indices[dim] = self._bounded(digit, dim)
                following = moving[moving.index(dim) + 1]
                name = self.names[following] if following == last_dim else "rest"
                rest = self._named(DivSIOp(rest, self.grid.extents[dim]), name)

    def _whole(self, dim: int) -> None:
        """All of a dimension, on every core."""
        extent, zero = self.grid.extents[dim], self._number(0)
        alone = constant_of(extent) == 1
        self.indices[dim] = zero if alone else self._loop(zero, extent, self.names[dim])

    def _share(self, dim: int, cores: int, arg: str) -> None:
        """The blocks of a dimension that belong to one row or column of cores."""
        each = int(self.partition.extents[dim]) // cores
        core = self._arg(arg)
        self._bound(core, cores)
        if each == 1:
            self.indices[dim] = core
            return
        name = self.names[dim]
        first = self._named(MuliOp(core, self._number(each)), f"first_{name}")
        end = self._named(AddiOp(first, self._number(each)), f"end_{name}")
        self.indices[dim] = self._bounded(self._loop(first, end, name), dim)

    def _bounded(self, index: SSAValue, dim: int) -> SSAValue:
        extent = constant_of(self.grid.extents[dim])
        if extent is not None:
            self._bound(index, extent)
        return index

    def _bound(self, index: SSAValue, limit: int) -> None:
        """Say on the operation that makes an index (or on its loop) that the index is below the limit."""
        owner = index.owner
        op = owner if isinstance(owner, Operation) else owner.parent_op()
        assert op is not None
        op.attributes["below"] = number(limit)

    def _loop(self, first: SSAValue, end: SSAValue, name: str) -> SSAValue:
        body = Block([scf.YieldOp()], arg_types=[IndexType()])
        body.args[0].name_hint = name
        self.at.insert(scf.ForOp(first, end, self._number(1), [], body))
        last = body.last_op
        assert last is not None
        self.at = Builder(InsertPoint.before(last))
        return body.args[0]

    def _arg(self, name: str) -> SSAValue:
        return self.at.insert(ArgOp(name, "core")).value

    def _number(self, value: int) -> SSAValue:
        return self.at.insert(ConstantOp.from_int_and_width(value, IndexType())).result

    def _named(self, op: Operation, name: str) -> SSAValue:
        self.at.insert(op)
        op.results[0].name_hint = name
        return op.results[0]
