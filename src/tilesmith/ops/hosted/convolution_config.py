"""Conv2dConfig and its relatives: what ttnn's convolutions are told beside sizes.

How work is cut into blocks and shards is the card's affair: a convolution here is computed on the host. What
changes values or the result's form (types, activation, padding mode, layout) counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tilesmith.ops.dtypes import DataType
from tilesmith.ops.program_configs import FusedActivation
from tilesmith.program import CoreRangeSet
from tilesmith.runtime import Layout, TensorMemoryLayout


class PaddingMode(Enum):
    Zeros = "constant"
    Replicate = "replicate"


@dataclass(kw_only=True)
class Conv2dConfig:
    weights_dtype: DataType | None = None
    activation: FusedActivation = None
    deallocate_activation: bool = False
    reallocate_halo_output: bool = True
    config_tensors_in_dram: bool = False
    act_block_h_override: int = 0
    act_block_w_div: int = 1
    reshard_if_not_optimal: bool = False
    override_sharding_config: bool = False
    shard_layout: TensorMemoryLayout | None = None
    core_grid: CoreRangeSet | None = None
    transpose_shards: bool = False
    output_layout: Layout = Layout.TILE
    enable_act_double_buffer: bool = False
    enable_weights_double_buffer: bool = False
    full_inner_dim: bool = False
    enable_kernel_stride_folding: bool | None = None
    enable_activation_reuse: bool = False
    force_split_reader: bool | None = None
    override_output_sharding_config: bool = False
    padding_mode: PaddingMode = PaddingMode.Zeros


Conv1dConfig = Conv2dConfig


class SliceType(Enum):
    """Along what a convolution in DRAM is cut."""

    L1Full = 0
    DRAMSliceHeight = 1
    DRAMSliceWidth = 2


@dataclass(frozen=True)
class Op2DSliceConfig:
    slice_type: SliceType = SliceType.L1Full
    num_slices: int = 0

    SliceTypeEnum = SliceType


Op2DDRAMSliceHeight = Conv2dDRAMSliceHeight = SliceType.DRAMSliceHeight
Op2DDRAMSliceWidth = Conv2dDRAMSliceWidth = SliceType.DRAMSliceWidth
Op2DL1Full = Conv2dL1Full = SliceType.L1Full
Conv2dSliceConfig = Op2DSliceConfig
Conv2dL1FullSliceConfig = Op2DL1FullSliceConfig = Op2DSliceConfig()


@dataclass(kw_only=True)
class Conv3dConfig:
    weights_dtype: DataType = DataType.BFLOAT16
    output_layout: Layout = Layout.ROW_MAJOR
    T_out_block: int = 1
    W_out_block: int = 1
    H_out_block: int = 1
    C_out_block: int = 0
    C_in_block: int = 0
    compute_with_storage_grid_size: object = None
    alignment: int = 32
    dtype: DataType | None = None
    dilation: tuple[int, int, int] = (1, 1, 1)


def get_conv_output_dim(input: int, window: int, stride: int = 1, pad: int = 0, dilation: int = 1) -> int:
    """
    >>> get_conv_output_dim(32, 3, 2, 1)
    16
    """
    return (input + 2 * pad - dilation * (window - 1) - 1) // stride + 1
