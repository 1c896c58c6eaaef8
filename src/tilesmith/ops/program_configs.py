"""ttnn's program configs: their grid says which cores share the work; activations count."""

from __future__ import annotations

from dataclasses import dataclass

from tilesmith.errors import OperationError
from tilesmith.ops.checks import fatal
from tilesmith.ops.core_grid import CoreGrid
from tilesmith.ops.elementwise.activation import Activation, UnaryOpType
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CoreCoord, CoreRangeSet

FusedActivation = Activation | UnaryOpType | str | None


@dataclass
class MatmulMultiCoreProgramConfig:
    """One core for one block of the product, without sharing."""

    allowed_worker_cores: CoreRangeSet | None = None


@dataclass(kw_only=True)
class MatmulMultiCoreReuseProgramConfig:
    compute_with_storage_grid_size: CoreCoord | tuple[int, int]
    in0_block_w: int
    out_subblock_h: int
    out_subblock_w: int
    per_core_M: int  # noqa: N815 - ttnn's name
    per_core_N: int  # noqa: N815 - ttnn's name
    allowed_worker_cores: CoreRangeSet | None = None


@dataclass(kw_only=True)
class MatmulMultiCoreReuseMultiCastProgramConfig(MatmulMultiCoreReuseProgramConfig):
    """Blocks handed on along rows and columns of cores."""

    out_block_h: int | None = None
    out_block_w: int | None = None
    transpose_mcast: bool = False
    fused_activation: FusedActivation = None
    fuse_batch: bool = True


@dataclass(kw_only=True)
class MatmulMultiCoreReuseMultiCast1DProgramConfig(MatmulMultiCoreReuseProgramConfig):
    """Blocks handed on to all cores."""

    out_block_h: int | None = None
    out_block_w: int | None = None
    fuse_batch: bool = True
    fused_activation: FusedActivation = None
    mcast_in0: bool = True
    gather_in0: bool = False
    hop_cores: CoreRangeSet | None = None
    num_global_cb_receivers: int = 1
    untilize_out: bool = False
    stream_in1: bool = False


@dataclass(kw_only=True)
class MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig:
    """Weights in shards of DRAM, each read by the cores beside its bank."""

    in0_block_w: int
    per_core_M: int  # noqa: N815 - ttnn's name
    per_core_N: int  # noqa: N815 - ttnn's name
    fused_activation: FusedActivation = None


@dataclass
class LayerNormDefaultProgramConfig:
    legacy_reduction: bool = False
    legacy_rsqrt: bool = False
    use_welford: bool = False


@dataclass(kw_only=True)
class LayerNormShardedMultiCoreProgramConfig:
    """Rows dealt out over the cores that hold the shards."""

    compute_with_storage_grid_size: CoreCoord | tuple[int, int]
    subblock_w: int
    block_h: int
    block_w: int
    inplace: bool
    legacy_reduction: bool = False
    legacy_rsqrt: bool = False
    use_welford: bool = False


@dataclass
class SoftmaxDefaultProgramConfig:
    pass


@dataclass(kw_only=True)
class SoftmaxShardedMultiCoreProgramConfig:
    """Rows dealt out over the cores that hold the shards."""

    compute_with_storage_grid_size: CoreCoord | tuple[int, int]
    subblock_w: int
    block_h: int
    block_w: int


@dataclass(kw_only=True)
class MatmulMultiCoreReuseMultiCastBatchedDRAMShardedProgramConfig:
    """Batches of weights in shards of DRAM."""

    in0_block_w: int
    per_core_M: int  # noqa: N815 - ttnn's name
    per_core_N: int  # noqa: N815 - ttnn's name
    fused_activation: FusedActivation = None


@dataclass(kw_only=True)
class SDPAProgramConfig:
    """Chunks of queries and keys, and the cores that share them."""

    compute_with_storage_grid_size: CoreCoord | tuple[int, int]
    sub_core_grids: CoreRangeSet | None = None
    q_chunk_size: int = 0
    k_chunk_size: int = 0
    exp_approx_mode: bool | None = None
    max_cores_per_head_batch: int = 16


@dataclass(kw_only=True)
class MinimalMatmulConfig:
    """Blocks of a product, counted in tiles."""

    M_block_size: int = 1
    K_block_size: int = 1
    N_block_size: int = 1
    subblock_h: int = 1
    subblock_w: int = 1
    compute_with_storage_grid_size: CoreCoord | tuple[int, int] = (1, 1)


_MATMUL = (
    MatmulMultiCoreProgramConfig,
    MatmulMultiCoreReuseProgramConfig,
    MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig,
    MatmulMultiCoreReuseMultiCastBatchedDRAMShardedProgramConfig,
)
_NORM = (LayerNormDefaultProgramConfig, LayerNormShardedMultiCoreProgramConfig)
_SOFTMAX = (SoftmaxDefaultProgramConfig, SoftmaxShardedMultiCoreProgramConfig)


def fused_activation(config: object, activation: FusedActivation) -> FusedActivation:
    """The activation after a product: the argument's, or the one its program config carries."""
    check_config(config, _MATMUL, "ttnn.matmul")
    untilized = getattr(config, "untilize_out", False)
    if untilized:
        raise OperationError(
            "tilesmith: untilize_out of a matmul program config is not supported here",
            remedy="leave it out and call ttnn.to_layout(result, ttnn.ROW_MAJOR_LAYOUT)",
        )
    fused: FusedActivation = getattr(config, "fused_activation", None)
    if fused is not None and activation is not None:
        raise OperationError(
            "Cannot use both program_config.fused_activation and activation", remedy="give one of the two"
        )
    return fused if activation is None else activation


def check_norm_config(config: object) -> None:
    check_config(config, _NORM, "ttnn.layer_norm")


def check_softmax_config(config: object) -> None:
    check_config(config, _SOFTMAX, "ttnn.softmax")


def check_config(config: object, known: tuple[type, ...], name: str) -> None:
    """A config of another operation is a mistake."""
    if config is not None and not isinstance(config, known):
        raise TypeError(f"{name}(): program_config cannot be a {type(config).__name__}")


def grid_of(config: object, tensor: Tensor, core_grid: CoreGrid | None = None) -> tuple[int, int] | None:
    """The cores a program config, or `core_grid`, gives to an operation: columns and rows from the corner."""
    size = getattr(config, "compute_with_storage_grid_size", None)
    if size is None:
        size = None if core_grid is None else (core_grid.x, core_grid.y)
    if size is None or tensor.on_device is None:
        return None
    columns, rows = size
    own = tensor.on_device.device.arch.grid
    fatal(
        0 < columns <= own.x and 0 < rows <= own.y,
        f"tilesmith: a grid of {columns} x {rows} cores is larger than the chip's {own.x} x {own.y}",
        remedy="take device.compute_with_storage_grid_size(), or less",
    )
    return columns, rows
