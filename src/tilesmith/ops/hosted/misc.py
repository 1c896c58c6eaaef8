"""Operations that stand alone: fold, slice_write, conversions of images, products by parts."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.elementwise.api import elementwise
from tilesmith.ops.framework import register, registered
from tilesmith.ops.framework.registry import call
from tilesmith.ops.host_operation import on_host
from tilesmith.ops.hosted.convolution_config import Conv3dConfig
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, MemoryConfig
from tilesmith.ops.rearrange.memory import clone, copy, to_memory_config
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout


class BcastOpMath(Enum):
    ADD = "add"
    SUB = "sub"
    MUL = "mul"


class BcastOpDim(Enum):
    H = "h"
    W = "w"
    HW = "hw"


@registered("ttnn.bcast")
def bcast(
    input_a: Tensor,
    input_b: Tensor,
    math_op: BcastOpMath,
    dim: BcastOpDim,
    *,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
) -> Tensor:
    """A tensor with a row (H), a column (W) or one number (HW); on the device."""
    height, width = (1, 1, *input_b.spec.shape)[-2:]
    fits = {BcastOpDim.H: height == 1, BcastOpDim.W: width == 1, BcastOpDim.HW: height == width == 1}[dim]
    if not fits:  # the first row, column or element of the second is meant
        ends = list(input_b.spec.shape)
        if dim is not BcastOpDim.W:
            ends[-2] = 1
        if dim is not BcastOpDim.H:
            ends[-1] = 1
        input_b = call("ttnn.slice", input_b, [0] * len(ends), ends)
    return elementwise(
        math_op.value, [input_a, input_b], memory_config=memory_config, output_tensor=output_tensor
    )


@registered("ttnn.composite_example", golden=lambda x, **_: x)
def composite_example(input_tensor: Tensor) -> Tensor:
    """A copy."""
    return clone(input_tensor)


@registered("ttnn.composite_example_multiple_return")
def composite_example_multiple_return(
    input_tensor: Tensor, return_output1: bool = True, return_output2: bool = True
) -> list[Tensor | None]:
    """Two copies, or those that are wanted."""
    return [clone(input_tensor) if wanted else None for wanted in (return_output1, return_output2)]


@registered("ttnn.fold")
def fold(
    input: Tensor,
    stride_h: int,
    stride_w: int,
    use_transpose_as_fold: bool = False,
    output_shape: Sequence[int] | None = None,
    padding: Sequence[int] = (0, 0, 0, 0, 0, 0),
    grid_size: object = None,
    override_memory_config: MemoryConfig | None = None,
    collapse_output: bool = False,
) -> Tensor:
    """Windows of an image (batch, height, width, channels) moved into its channels."""
    given = list(padding)
    top, bottom, left, right, *channels = given if len(given) > 2 else given[:1] * 2 + given[1:] * 2
    before, after = channels or (0, 0)

    def compute(x: Any) -> Any:
        import torch

        image = x.permute(0, 2, 3, 1) if use_transpose_as_fold else x
        image = torch.nn.functional.pad(image, (before, after, left, right, top, bottom))
        batch, height, width, depth = image.shape
        fatal(
            height % stride_h == 0 and width % stride_w == 0,
            f"Fold: {height} x {width} cannot be divided into windows of {stride_h} x {stride_w}",
        )
        down, across = height // stride_h, width // stride_w
        windows = image.reshape(batch, down, stride_h, across, stride_w, depth).permute(0, 1, 3, 2, 4, 5)
        folded = windows.reshape(batch, down, across, -1)
        if output_shape is not None:
            folded = folded[..., : output_shape[-1]]
        return folded.reshape(1, 1, -1, folded.shape[-1]) if collapse_output else folded

    memory = override_memory_config or (DRAM_MEMORY_CONFIG if input.is_sharded() else None)
    return on_host("ttnn.fold", compute, [input], memory_config=memory, layout=Layout.ROW_MAJOR)[0]


@registered("ttnn.experimental.slice_write")
def slice_write(
    input_tensor: Tensor, output_tensor: Tensor, start: Sequence[int], end: Sequence[int], step: Sequence[int]
) -> Tensor:
    """A tensor written into a box of another."""

    def compute(whole: Any, part: Any) -> Any:
        box = tuple(slice(a, b, s) for a, b, s in zip(start, end, step, strict=True))
        whole[box] = part.reshape(whole[box].shape)
        return whole

    inputs = [output_tensor, input_tensor]
    return on_host("ttnn.experimental.slice_write", compute, inputs, output=output_tensor)[0]


@registered("ttnn.experimental.broadcast_to")
def broadcast_to(
    input: Tensor,
    output_shape: Sequence[int],
    *,
    memory_config: MemoryConfig | None = None,
    output: Tensor | None = None,
) -> Tensor:
    """Axes of size 1 repeated; on the device."""
    spread: Tensor = call("ttnn.expand", input, list(output_shape), memory_config=memory_config)
    return spread if output is None else copy(spread, output)


@registered("ttnn.experimental.typecast")
def experimental_typecast(
    input_tensor: Tensor,
    dtype: DataType,
    memory_config: MemoryConfig | None = None,
    optional_output_tensor: Tensor | None = None,
) -> Tensor:
    """`ttnn.typecast`."""
    result: Tensor = call(
        "ttnn.typecast",
        input_tensor,
        dtype,
        memory_config=memory_config,
        output_tensor=optional_output_tensor,
    )
    return result


@registered("ttnn.experimental.view")
def experimental_view(input_tensor: Tensor, *shape: Any) -> Tensor:
    """`ttnn.view`."""
    result: Tensor = call("ttnn.view", input_tensor, *shape)
    return result


@registered("ttnn.experimental.convert_to_chw")
def convert_to_chw(input: Tensor, *, dtype: DataType | None = None) -> Tensor:
    """(1, 1, positions, channels) as (1, 1, channels, positions), in rows."""
    return on_host(
        "ttnn.experimental.convert_to_chw",
        lambda x: x.transpose(-1, -2),
        [input],
        dtype=dtype,
        layout=Layout.ROW_MAJOR,
        memory_config=DRAM_MEMORY_CONFIG,
    )[0]


@registered("ttnn.experimental.convert_to_hwc")
def convert_to_hwc(
    input: Tensor, *, memory_config: MemoryConfig | None = None, dtype: DataType | None = None
) -> Tensor:
    """(1, batch, channels, positions) as (1, 1, batch x positions, channels), channels filled up to eight."""

    def compute(x: Any) -> Any:
        import torch

        last = x.transpose(-1, -2)
        return torch.nn.functional.pad(last, (0, -last.shape[-1] % 8)).reshape(
            1, 1, -1, -(-last.shape[-1] // 8) * 8
        )

    return on_host(
        "ttnn.experimental.convert_to_hwc",
        compute,
        [input],
        dtype=dtype,
        layout=Layout.ROW_MAJOR,
        memory_config=memory_config or DRAM_MEMORY_CONFIG,
    )[0]


@registered(
    "ttnn.experimental.fast_reduce_nc", golden=lambda x, *, dims, **_: x.sum(tuple(dims), keepdim=True)
)
def fast_reduce_nc(
    input: Tensor,
    *,
    dims: Sequence[int] = (),
    output: Tensor | None = None,
    memory_config: MemoryConfig | None = None,
    compute_kernel_config: object = None,
    sub_core_grids: object = None,
) -> Tensor:
    """Sums along axes other than the last two; on the device."""
    total: Tensor = call("ttnn.sum", input, list(dims), True, memory_config=memory_config)
    return total if output is None else copy(total, output)


@registered("ttnn.experimental.intimg")
def intimg(input_tensor: Tensor) -> Tensor:
    """Sums of all elements above and to the left, of (batch, height, width, channels)."""
    return on_host("ttnn.experimental.intimg", lambda x: x.cumsum(1).cumsum(2), [input_tensor])[0]


@registered("ttnn.experimental.dropout")
def dropout(
    input_tensor: Tensor,
    probability: float,
    scale: float,
    seed: int,
    *,
    use_per_device_seed: bool = True,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
) -> Tensor:
    """Elements dropped with a probability, the others scaled."""

    def compute(x: Any) -> Any:
        import torch

        kept = torch.rand(x.shape, generator=torch.Generator().manual_seed(seed)) >= probability
        return x * scale * kept

    return on_host(
        "ttnn.experimental.dropout",
        compute,
        [input_tensor],
        memory_config=memory_config,
        output=output_tensor,
    )[0]


@registered("ttnn.experimental.conv3d")
def conv3d(
    *,
    input_tensor: Tensor,
    weight_tensor: Tensor,
    device: object = None,
    bias_tensor: Tensor | None = None,
    config: Conv3dConfig | None = None,
    dtype: DataType = DataType.BFLOAT16,
    output_channels: int,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (1, 1, 1),
    padding: Sequence[int] = (0, 0, 0),
    dilation: Sequence[int] = (1, 1, 1),
    padding_mode: str = "zeros",
    groups: int = 1,
    memory_config: MemoryConfig | None = None,
    compute_kernel_config: object = None,
) -> Tensor:
    """A 3-D convolution of (batch, depth, height, width, channels); weights are a matrix."""
    chosen = config or Conv3dConfig()

    def compute(x: Any, w: Any, b: Any) -> Any:
        import torch

        video = x.movedim(-1, 1)
        depth, height, width = padding
        mode = "constant" if padding_mode == "zeros" else padding_mode
        video = torch.nn.functional.pad(video, (width, width, height, height, depth, depth), mode)
        kernels = w if w.dim() == 5 else _kernels3d(w, output_channels, kernel_size, chosen.C_in_block)
        video = video[:, : kernels.shape[1] * groups]
        bias = None if b is None else b.flatten()[:output_channels]
        steps = (tuple(stride), 0, tuple(dilation), groups)
        return torch.nn.functional.conv3d(video, kernels, bias, *steps).movedim(1, -1)

    return on_host(
        "ttnn.experimental.conv3d",
        compute,
        [input_tensor, weight_tensor, bias_tensor],
        dtype=dtype,
        layout=chosen.output_layout,
        memory_config=memory_config or DRAM_MEMORY_CONFIG,
    )[0]


def _kernels3d(matrix: Any, outs: int, kernel: Sequence[int], block: int) -> Any:
    """From rows of (blocks of channels, depth, height, width, channels of a block)."""
    rows = matrix.reshape(-1, outs)
    room = rows.shape[0]
    for size in kernel:
        room //= size
    each = block or room
    parts = rows.reshape(room // each, *kernel, each, outs)
    return parts.permute(5, 0, 4, 1, 2, 3).reshape(outs, room, *kernel)


@registered("ttnn.experimental.prepare_conv3d_weights")
def prepare_conv3d_weights(
    *,
    weight_tensor: Tensor,
    groups: int = 1,
    C_in_block: int = 0,  # noqa: N803 - ttnn's name
    alignment: int = 32,
    device: Any = None,
) -> Tensor:
    """(out, in, depth, height, width) as the matrix conv3d takes."""
    import torch

    from tilesmith.ops.creation.host import from_torch
    from tilesmith.ops.host_operation import values_of

    raw = values_of(weight_tensor)
    outs, ins, *kernel = raw.shape
    padded = torch.nn.functional.pad(raw, (0, 0, 0, 0, 0, 0, 0, -ins % alignment))
    room = padded.shape[1]
    each = C_in_block or room
    parts = padded.reshape(outs, room // each, each, *kernel).permute(1, 3, 4, 5, 2, 0)
    return from_torch(parts.reshape(-1, outs), weight_tensor.dtype, layout=Layout.TILE, device=device)


# ---- products ----


@registered("ttnn.experimental.minimal_matmul")
def minimal_matmul(
    input_tensor: Tensor,
    weight_tensor: Tensor,
    *,
    bias_tensor: Tensor | None = None,
    fused_activation: Any = None,
    config: object = None,
    memory_config: MemoryConfig | None = None,
    dtype: DataType | None = None,
    compute_kernel_config: Any = None,
    fuse_swiglu: bool = False,
) -> Tensor:
    """`ttnn.linear`; on the device."""
    fatal(
        not fuse_swiglu, "tilesmith: minimal_matmul(fuse_swiglu=True) is not there; call ttnn.swiglu after it"
    )
    result: Tensor = call(
        "ttnn.linear",
        input_tensor,
        weight_tensor,
        bias=bias_tensor,
        activation=fused_activation,
        memory_config=memory_config,
        dtype=dtype,
        compute_kernel_config=compute_kernel_config,
    )
    return result


@registered("ttnn.experimental.attn_matmul")
def attn_matmul(
    input_tensor_a: Tensor,
    input_tensor_b: Tensor,
    *,
    compute_with_storage_grid_size: object = None,
    dtype: DataType | None = None,
    compute_kernel_config: object = None,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
) -> Tensor:
    """(1, heads, batch, k) by (batch, 1 or kv heads, k, n): each of the batch has its own matrix."""

    def compute(a: Any, b: Any) -> Any:
        times = a.shape[1] // b.shape[1]
        return (a.permute(2, 1, 0, 3) @ b.repeat_interleave(times, 1)).permute(2, 1, 0, 3)

    return on_host(
        "ttnn.experimental.attn_matmul",
        compute,
        [input_tensor_a, input_tensor_b],
        dtype=dtype,
        memory_config=memory_config or DRAM_MEMORY_CONFIG,
        output=output_tensor,
    )[0]


def _group_attn_matmul(
    input_tensor_a: Tensor,
    input_tensor_b: Tensor,
    *,
    compute_with_storage_grid_size: object = None,
    memory_config: MemoryConfig | None = None,
    dtype: DataType | None = None,
    compute_kernel_config: object = None,
    optional_output_tensor: Tensor | None = None,
) -> Tensor:
    """The same for heads in groups."""
    return attn_matmul(
        input_tensor_a,
        input_tensor_b,
        dtype=dtype,
        memory_config=memory_config,
        output_tensor=optional_output_tensor,
    )


register("ttnn.experimental.group_attn_matmul", _group_attn_matmul)


# ---- parts of shards ----


@registered("ttnn.interleaved_to_sharded_partial")
def interleaved_to_sharded_partial(
    input_tensor: Tensor,
    grid: Any,
    shard_shape: Sequence[int],
    num_slices: int,
    slice_index: int,
    shard_scheme: Any,
    shard_orientation: Any,
    *,
    output_dtype: DataType | None = None,
) -> Tensor:
    """One of several equal parts of the rows, in shards; on the device."""
    *outer, height, width = input_tensor.spec.shape
    rows = height
    for size in outer:
        rows *= size
    each = rows // num_slices
    flat = call("ttnn.reshape", input_tensor, (1, 1, rows, width))
    part = call("ttnn.slice", flat, [0, 0, slice_index * each, 0], [1, 1, (slice_index + 1) * each, width])
    result: Tensor = call(
        "ttnn.interleaved_to_sharded", part, grid, shard_shape, shard_scheme, shard_orientation, output_dtype
    )
    return result


@registered("ttnn.sharded_to_interleaved_partial")
def sharded_to_interleaved_partial(
    input_tensor: Tensor,
    cache_tensor: Tensor,
    num_slices: int,
    slice_index: int,
    *,
    memory_config: MemoryConfig | None = None,
    output_dtype: DataType | None = None,
) -> Tensor:
    """Back into its place of the whole."""
    part = to_memory_config(input_tensor, DRAM_MEMORY_CONFIG)

    def compute(whole: Any, rows: Any) -> Any:
        flat = whole.reshape(-1, whole.shape[-1])
        each = flat.shape[0] // num_slices
        flat[slice_index * each : (slice_index + 1) * each] = rows.reshape(each, -1)
        return flat.reshape(whole.shape)

    inputs = [cache_tensor, part]
    return on_host("ttnn.sharded_to_interleaved_partial", compute, inputs, output=cache_tensor)[0]
