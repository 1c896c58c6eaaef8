"""Where the result goes: ttnn's table, by mode, the grid's memory, and what was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from tilesmith.ops.checks import fatal
from tilesmith.ops.grid_sample.attributes import GridSampleAttributes, Problem
from tilesmith.program import split_work_to_cores
from tilesmith.runtime import BufferType, Layout, MemoryConfig, ShardSpec, Tensor, TensorMemoryLayout
from tilesmith.runtime.tensor_spec import TensorSpec


def output_spec(attrs: GridSampleAttributes, inputs: Sequence[Tensor]) -> TensorSpec:
    """Shape, type and memory of the output."""
    image, grid = inputs
    problem = Problem.of(attrs, inputs)
    memory = _memory(attrs, problem, grid)
    if attrs.mode == "nearest" and memory.shard_spec is not None:
        fatal(
            not memory.in_dram,
            "Nearest grid_sample output shards must be in L1: each core samples into its own shard",
        )
        fatal(
            memory.shard_spec.shape[0] % problem.output_rows_per_row == 0,
            "Nearest grid_sample output shard height must be divisible by the number of output rows per"
            f" grid row ({problem.output_rows_per_row})",
        )
    return TensorSpec(problem.output_shape, image.dtype, Layout.ROW_MAJOR, memory)


def _memory(attrs: GridSampleAttributes, problem: Problem, grid: Tensor) -> MemoryConfig:
    """A sharded grid decides; then a shard spec that was asked for; nearest fills shards of its own."""
    of_grid = grid.memory_config.shard_spec
    if of_grid is not None:
        rows = of_grid.shape[0] * problem.output_rows_per_row
        return _height_shards(ShardSpec(of_grid.grid, (rows, problem.output_shape[-1]), of_grid.orientation))
    wanted = attrs.memory_config
    if wanted is not None and wanted.shard_spec is not None:
        return wanted.placed()
    if attrs.mode == "nearest":
        split = split_work_to_cores(grid.device.arch.grid, problem.rows)
        rows = split.units_per_core_group_1 * problem.output_rows_per_row
        return _height_shards(ShardSpec(split.all_cores, (rows, problem.output_shape[-1])))
    return grid.memory_config if wanted is None else wanted.placed()


def _height_shards(spec: ShardSpec) -> MemoryConfig:
    return MemoryConfig(TensorMemoryLayout.HEIGHT_SHARDED, BufferType.L1, spec)
