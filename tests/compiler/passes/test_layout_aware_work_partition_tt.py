"""Which core does which blocks."""

from __future__ import annotations

import pytest
from tests.compiler.passes import layout_kernels, samples
from tests.compiler.passes.conftest import Golden
from tests.compiler.passes.layouts import after, inferred, of_type
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp

from tilesmith.arch import load_arch
from tilesmith.compiler.analysis.work_partition import Partition, core_args, extents_of
from tilesmith.compiler.dialects.context import parse
from tilesmith.compiler.dialects.tile import GridOp, LoadOp
from tilesmith.compiler.transforms.infer_tt_layout import InferTTLayout
from tilesmith.compiler.transforms.layout_aware_work_partition_tt import LayoutAwareWorkPartitionTT
from tilesmith.program import CoreCoord


def partition_of(module: ModuleOp) -> Partition:
    (grid,) = of_type(module, GridOp)
    attribute = grid.attributes["partition"]
    assert isinstance(attribute, DictionaryAttr)
    return Partition.of(attribute)


def shared(module: ModuleOp) -> dict[str | None, str]:
    return {op.tensor.name_hint: op.multicast.data for op in of_type(module, LoadOp) if op.multicast}


def partitioned(module: ModuleOp, arch: str = "wormhole") -> ModuleOp:
    return after(module, LayoutAwareWorkPartitionTT(arch=arch))


@pytest.mark.parametrize("name", ["add", "gemm", "softmax"])
def test_sample(name: str, golden: Golden) -> None:
    golden(str(partitioned(after(samples.module(name), InferTTLayout()))))


@pytest.mark.parametrize(
    ("size", "block", "columns", "rows"),
    [(2048, 256, 8, 8), (1024, 64, 8, 8), (256, 64, 4, 4), (96, 32, 3, 3)],
)
def test_a_product_shares_both_operands_in_a_mesh(size: int, block: int, columns: int, rows: int) -> None:
    module = partitioned(inferred(layout_kernels.gemm(size, size, size, (block, block, 32))))
    assert partition_of(module) == Partition("mesh", (str(size // block),) * 2, columns, rows)
    assert shared(module) == {"A": "row", "B": "column"}


def test_a_mesh_that_leaves_cores_idle_is_not_worth_it() -> None:
    # 11 x 11 blocks: a mesh of divisors would be a single core.
    module = partitioned(inferred(layout_kernels.gemm(352, 352, 32, (32, 32, 32))))
    assert partition_of(module).strategy == "linear"
    assert not shared(module)


def test_without_anything_to_share_blocks_are_counted_off() -> None:
    assert partition_of(partitioned(after(samples.module("add"), InferTTLayout()))).strategy == "linear"


def test_a_load_that_not_all_cores_of_a_row_run_is_not_shared() -> None:
    module = partitioned(inferred(layout_kernels.rows_when_needed(128, 128, 32)))
    assert partition_of(module).strategy == "mesh"
    assert shared(module) == {"w": "row"}


def test_a_grid_of_unknown_size_is_an_expression_of_symbols() -> None:
    part = partition_of(partitioned(inferred(layout_kernels.dynamic_rows(64, 32))))
    assert part.strategy == "linear"
    assert [extents_of(part, {"m": m}) for m in (0, 1, 32, 33)] == [(0,), (1,), (1,), (2,)]


def test_blocks_that_add_to_the_same_rows_stay_together() -> None:
    part = partition_of(partitioned(inferred(layout_kernels.split_sum(256, 64, 32, 4))))
    assert part == Partition("grouped", ("8", "4"), separate=(0,))
    assert part.inner == (1,)


ACCUMULATE = """
builtin.module {{
  tile.func @add_up(%C: !tile.tensor<[256, 256], f32>) {{
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %four = arith.constant 4 : index
    %size = arith.constant 32 : index
    %wide = arith.constant 64 : index
    tile.grid (%bx, %by) in (%four, %four) {{
      %a = tile.alloc "a" : !tile.buffer<[32, 32], f32, shared>
      %x = arith.muli %bx, {x} : index
      %half = arith.divsi %by, %two : index
      scf.for %k = %zero to %two step %one {{
        %within = arith.muli %k, %size : index
        %y = arith.addi {y}, %within : index
        tile.store %a -> %C[%x, %y] sizes [32, 32] dims [0, 1] accumulate "add"
          : !tile.buffer<[32, 32], f32, shared> -> !tile.tensor<[256, 256], f32>
      }}
    }}
  }}
}}
"""


@pytest.mark.parametrize(
    ("x", "y", "separate"),
    [
        ("%size", "%zero", (0,)),  # all of by add to the same columns
        ("%one", "%zero", ()),  # blocks overlap in x
        ("%size", "%half", (0,)),  # pairs of blocks share their columns
        ("%size", "%by", (0,)),  # a loop reaches into the next block's columns
    ],
)
def test_what_keeps_blocks_apart(x: str, y: str, separate: tuple[int, ...]) -> None:
    module = partitioned(parse(ACCUMULATE.format(x=x, y=y)))
    assert partition_of(module) == Partition("grouped", ("4", "4"), separate=separate)


def test_blocks_that_never_meet_are_split_like_any_others() -> None:
    text = ACCUMULATE.format(x="%size", y="%by").replace("arith.addi %by", "arith.addi %column")
    text = text.replace("%half =", "%column = arith.muli %by, %wide : index\n      %half =")
    assert partition_of(partitioned(parse(text))).strategy == "linear"


def test_arguments_of_a_linear_split() -> None:
    cores, args = core_args(Partition("linear", ("10",)), (10,), load_arch("wormhole"))
    assert cores.num_cores == 10
    assert args[CoreCoord(1, 1)] == {"first_block": 9, "block_count": 1}
    assert sum(one["block_count"] for one in args.values()) == 10


def test_arguments_of_a_mesh_are_coordinates() -> None:
    cores, args = core_args(Partition("mesh", ("8", "4"), 4, 2), (8, 4), load_arch("wormhole"))
    assert cores.num_cores == 8
    assert args[CoreCoord(3, 1)] == {"core_x": 3, "core_y": 1}


def test_arguments_of_groups_count_groups() -> None:
    part = Partition("grouped", ("8", "4"), separate=(0,))
    cores, args = core_args(part, (8, 4), load_arch("wormhole"))
    assert cores.num_cores == 8
    assert args[CoreCoord(7, 0)] == {"first_group": 7, "group_count": 1}
    _, alone = core_args(Partition("grouped", ("8", "4")), (8, 4), load_arch("wormhole"))
    assert alone == {CoreCoord(0, 0): {"first_group": 0, "group_count": 1}}


@pytest.mark.parametrize("kind", ["linear", "grouped"])
def test_a_call_without_work_has_one_core_that_does_nothing(kind: str) -> None:
    cores, args = core_args(Partition(kind, ("m",), separate=(0,)), (0,), load_arch("wormhole"))
    assert cores.num_cores == 1
    assert 0 in args[CoreCoord(0, 0)].values()
