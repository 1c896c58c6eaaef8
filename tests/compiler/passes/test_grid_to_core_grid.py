"""Blocks as loops: every block runs exactly once, on one core."""

from __future__ import annotations

from itertools import product

import pytest
from tests.compiler.passes import layout_kernels, samples
from tests.compiler.passes.conftest import Golden
from tests.compiler.passes.layouts import after, inferred, of_type
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from tilesmith.arch import load_arch
from tilesmith.compiler.analysis.work_partition import Partition, core_args
from tilesmith.compiler.dialects.tile import FuncOp, GetOp, GridOp, VarOp
from tilesmith.compiler.dialects.tt import ArgOp
from tilesmith.compiler.transforms.grid_to_core_grid import GridToCoreGrid
from tilesmith.compiler.transforms.infer_tt_layout import InferTTLayout
from tilesmith.compiler.transforms.layout_aware_work_partition_tt import LayoutAwareWorkPartitionTT


@pytest.mark.parametrize("name", ["add", "gemm", "softmax"])
def test_sample(name: str, golden: Golden) -> None:
    golden(str(after(samples.module(name), InferTTLayout(), LayoutAwareWorkPartitionTT(), GridToCoreGrid())))


def test_blocks_that_add_up(golden: Golden) -> None:
    module = inferred(layout_kernels.split_sum(256, 64, 32, 4))
    golden(str(after(module, LayoutAwareWorkPartitionTT(), GridToCoreGrid())))


def test_an_unknown_number_of_blocks(golden: Golden) -> None:
    module = inferred(layout_kernels.dynamic_rows(64, 32))
    golden(str(after(module, LayoutAwareWorkPartitionTT(), GridToCoreGrid())))


def grid_of(partition: Partition) -> ModuleOp:
    """A grid whose body looks at every block index once."""
    func = FuncOp("grid", [])
    extents = [arith.ConstantOp.from_int_and_width(int(size), IndexType()) for size in partition.extents]
    grid = GridOp([op.result for op in extents])
    grid.attributes["partition"] = partition.to_attribute()
    func.body.block.add_ops([*extents, grid])
    for index in grid.body.block.args:
        seen = VarOp(index, "seen")
        grid.body.block.add_ops([seen, GetOp(seen.var)])
    return ModuleOp([func])


def blocks_of(module: ModuleOp, args: dict[str, int]) -> list[tuple[int, ...]]:
    """The blocks one core runs, in order."""
    (func,) = of_type(module, FuncOp)
    found: list[int] = []
    _run(func.body.block, {}, args, found)
    rank = len(of_type(module, VarOp))
    return [tuple(found[at : at + rank]) for at in range(0, len(found), rank)]


def _run(block: Block, values: dict[SSAValue, int], args: dict[str, int], found: list[int]) -> None:
    for op in block.ops:
        if isinstance(op, scf.ForOp):
            for value in range(values[op.lb], values[op.ub], values[op.step]):
                _run(op.body.block, values | {op.body.block.args[0]: value}, args, found)
        elif isinstance(op, VarOp):
            found.append(values[op.initial])
        elif op.results:
            values[op.results[0]] = _evaluate(op, values, args)


def _evaluate(op: Operation, values: dict[SSAValue, int], args: dict[str, int]) -> int:
    if isinstance(op, ArgOp):
        return args[op.arg_name.data]
    if isinstance(op, arith.ConstantOp):
        return int(op.value.value.data)  # type: ignore[union-attr]
    if isinstance(op, GetOp):
        return 0
    left, right = (values[operand] for operand in op.operands)
    kinds: dict[type[Operation], int] = {
        arith.AddiOp: left + right,
        arith.MuliOp: left * right,
        arith.DivSIOp: left // max(right, 1),
        arith.RemSIOp: left % max(right, 1),
    }
    return kinds[type(op)]


PARTITIONS = [
    Partition("linear", ("7",)),
    Partition("linear", ("1",)),
    Partition("linear", ("5", "3")),
    Partition("linear", ("1", "70")),
    Partition("linear", ("3", "4", "5")),
    Partition("linear", ("3", "1", "5")),
    Partition("mesh", ("8", "4"), 4, 4),
    Partition("mesh", ("16", "8", "3"), 8, 8),
    Partition("mesh", ("2", "1"), 2, 1),
    Partition("grouped", ("4", "3"), separate=(0,)),
    Partition("grouped", ("4", "3", "2"), separate=(0, 2)),
    Partition("grouped", ("4", "3"), separate=()),
]


@pytest.mark.parametrize("partition", PARTITIONS, ids=lambda one: f"{one.strategy}-{'x'.join(one.extents)}")
def test_every_block_runs_once(partition: Partition) -> None:
    module = after(grid_of(partition), GridToCoreGrid())
    extents = tuple(map(int, partition.extents))
    _, args = core_args(partition, extents, load_arch("wormhole"))
    ran = [block for core in args.values() for block in blocks_of(module, core)]
    assert sorted(ran) == sorted(product(*map(range, extents)))


def test_blocks_of_a_group_run_in_the_order_of_the_grid() -> None:
    partition = Partition("grouped", ("2", "3", "2"), separate=(1,))
    module = after(grid_of(partition), GridToCoreGrid())
    blocks = blocks_of(module, {"first_group": 1, "group_count": 1})
    assert blocks == [(0, 1, 0), (1, 1, 0), (0, 1, 1), (1, 1, 1)]


def test_the_module_keeps_the_partition_and_indices_keep_their_names() -> None:
    module = after(grid_of(Partition("linear", ("5", "3"))), GridToCoreGrid())
    assert "partition" in module.attributes
    assert not of_type(module, GridOp)
    assert [op.initial.name_hint for op in of_type(module, VarOp)] == ["bx", "by"]
