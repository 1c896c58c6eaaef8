"""Pools, upsample and rotate, on images with their channels last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.framework import registered
from tilesmith.ops.host_operation import on_host
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout, TensorMemoryLayout

Padding = Sequence[int] | int


def _around(padding: Padding) -> tuple[int, int, int, int]:
    """Left, right, top, bottom."""
    if isinstance(padding, int):
        return (padding,) * 4
    if len(padding) == 2:
        return padding[1], padding[1], padding[0], padding[0]
    top, bottom, left, right = padding
    return left, right, top, bottom


def _memory(asked: MemoryConfig | None) -> MemoryConfig | None:
    return asked if asked is not None and not asked.lacks_shards else None


def _flat(image: Any) -> Any:
    """(batch, channels, height, width) as (1, 1, batch x height x width, channels)."""
    return image.permute(0, 2, 3, 1).reshape(1, 1, -1, image.shape[1])


def _checked_layout(dtype: DataType, layout: Layout) -> Layout:
    fatal(
        layout is Layout.TILE or not dtype.is_block_float,
        "Row major layout does not exist for block floats: use TILE_LAYOUT with BFLOAT8_B",
    )
    return layout


def _image(x: Any, batch_size: int, input_h: int, input_w: int, channels: int) -> Any:
    return x.reshape(batch_size, input_h, input_w, -1)[..., :channels].permute(0, 3, 1, 2)


def _largest(
    input_tensor: Any,
    batch_size: int,
    input_h: int,
    input_w: int,
    channels: int,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Padding,
    dilation: Sequence[int] = (1, 1),
    ceil_mode: bool = False,
    return_indices: bool = False,
    **_: Any,
) -> Any:
    import torch

    around = _around(padding)
    image = _image(input_tensor, batch_size, input_h, input_w, channels)
    symmetric = around[0] == around[1] and around[2] == around[3]
    if not symmetric:
        image = torch.nn.functional.pad(image, around, value=float("-inf"))
    values, places = torch.nn.functional.max_pool2d(
        image,
        tuple(kernel_size),
        tuple(stride),
        (around[2], around[0]) if symmetric else 0,
        tuple(dilation),
        ceil_mode,
        return_indices=True,
    )
    return (_flat(values), _flat(places)) if return_indices else _flat(values)


def _mean(
    input_tensor: Any,
    batch_size: int,
    input_h: int,
    input_w: int,
    channels: int,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Padding,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    **_: Any,
) -> Any:
    import torch

    left, right, top, bottom = _around(padding)
    image = _image(input_tensor, batch_size, input_h, input_w, channels)
    pool, window = torch.nn.functional.avg_pool2d, (tuple(kernel_size), tuple(stride))
    if left == right and top == bottom:
        return _flat(pool(image, *window, (top, left), ceil_mode, count_include_pad, divisor_override))
    sides = (left, right, top, bottom)
    counted = torch.nn.functional.pad(torch.ones_like(image), sides, value=float(count_include_pad))
    sums = pool(torch.nn.functional.pad(image, sides), *window, 0, ceil_mode, True, 1)
    return _flat(sums / (divisor_override or pool(counted, *window, 0, ceil_mode, True, 1)))


@registered("ttnn.max_pool2d", golden=_largest)
def max_pool2d(
    input_tensor: Tensor,
    batch_size: int,
    input_h: int,
    input_w: int,
    channels: int,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Padding,
    dilation: Sequence[int] = (1, 1),
    ceil_mode: bool = False,
    *,
    memory_config: MemoryConfig | None = None,
    dram_slice_config: object = None,
    applied_shard_scheme: TensorMemoryLayout | None = None,
    deallocate_input: bool = False,
    reallocate_halo_output: bool = True,
    return_indices: bool = False,
    dtype: DataType = DataType.BFLOAT16,
    output_layout: Layout = Layout.ROW_MAJOR,
    config_tensor_in_dram: bool = False,
) -> Any:
    """The largest of each window."""
    size = (batch_size, input_h, input_w, channels)

    def compute(x: Any) -> Any:
        return _largest(
            x, *size, kernel_size, stride, padding, dilation, ceil_mode, return_indices=return_indices
        )

    index = DataType.UINT16 if input_h * input_w <= 2**16 else DataType.UINT32
    found = on_host(
        "ttnn.max_pool2d",
        compute,
        [input_tensor],
        dtype=[dtype, index],
        layout=_checked_layout(dtype, output_layout),
        memory_config=_memory(memory_config),
    )
    if deallocate_input:
        input_tensor.deallocate()
    return tuple(found) if return_indices else found[0]


@registered("ttnn.avg_pool2d", golden=_mean)
def avg_pool2d(
    input_tensor: Tensor,
    batch_size: int,
    input_h: int,
    input_w: int,
    channels: int,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Padding,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    *,
    memory_config: MemoryConfig | None = None,
    dram_slice_config: object = None,
    applied_shard_scheme: TensorMemoryLayout | None = None,
    compute_kernel_config: object = None,
    deallocate_input: bool = False,
    reallocate_halo_output: bool = True,
    dtype: DataType = DataType.BFLOAT16,
    output_layout: Layout = Layout.ROW_MAJOR,
    config_tensor_in_dram: bool = False,
) -> Tensor:
    """The mean of each window."""
    size = (batch_size, input_h, input_w, channels)

    def compute(x: Any) -> Any:
        window = (kernel_size, stride, padding)
        return _mean(x, *size, *window, ceil_mode, count_include_pad, divisor_override)

    found = on_host(
        "ttnn.avg_pool2d",
        compute,
        [input_tensor],
        dtype=dtype,
        layout=_checked_layout(dtype, output_layout),
        memory_config=_memory(memory_config),
    )
    if deallocate_input:
        input_tensor.deallocate()
    return found[0]


@registered("ttnn.global_avg_pool2d", golden=lambda x, **_: x.mean((1, 2), keepdim=True))
def global_avg_pool2d(
    input_tensor: Tensor,
    *,
    memory_config: MemoryConfig | None = None,
    dtype: DataType | None = None,
    compute_kernel_config: object = None,
) -> Tensor:
    """The mean of each channel of (batch, height, width, channels)."""
    return on_host(
        "ttnn.global_avg_pool2d",
        lambda x: x.mean((1, 2), keepdim=True),
        [input_tensor],
        dtype=dtype,
        memory_config=_memory(memory_config),
    )[0]


def _adaptive(name: str) -> Any:
    def golden(
        input_tensor: Any,
        batch_size: int,
        input_h: int,
        input_w: int,
        channels: int,
        output_size: Any,
        **_: Any,
    ) -> Any:
        import torch

        image = _image(input_tensor, batch_size, input_h, input_w, channels)
        return _flat(getattr(torch.nn.functional, name)(image, tuple(output_size)))

    def function(
        input_tensor: Tensor,
        batch_size: int,
        input_h: int,
        input_w: int,
        channels: int,
        output_size: Sequence[int],
        *,
        memory_config: MemoryConfig | None = None,
        dram_slice_config: object = None,
        applied_shard_scheme: TensorMemoryLayout | None = None,
        compute_kernel_config: object = None,
        deallocate_input: bool = False,
        reallocate_output: bool = True,
    ) -> Tensor:
        (found,) = on_host(
            f"ttnn.{name}",
            lambda x: golden(x, batch_size, input_h, input_w, channels, output_size),
            [input_tensor],
            dtype=DataType.BFLOAT16,
            layout=Layout.ROW_MAJOR,
            memory_config=_memory(memory_config),
        )
        if deallocate_input:
            input_tensor.deallocate()
        return found

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}: windows such that the result has a given size."
    registered(f"ttnn.{name}", golden=golden)(function)
    return function


adaptive_avg_pool2d = _adaptive("adaptive_avg_pool2d")
adaptive_max_pool2d = _adaptive("adaptive_max_pool2d")


def _upsampled(input_tensor: Any, scale_factor: Any, mode: str = "nearest", **_: Any) -> Any:
    import torch

    factor = (scale_factor,) * 2 if isinstance(scale_factor, (int, float)) else tuple(scale_factor)
    image = input_tensor.permute(0, 3, 1, 2)
    found = torch.nn.functional.interpolate(image, scale_factor=factor, mode=mode)
    return found.permute(0, 2, 3, 1)


@registered("ttnn.upsample", golden=_upsampled)
def upsample(
    input_tensor: Tensor,
    scale_factor: float | Sequence[float],
    *,
    mode: str = "nearest",
    memory_config: MemoryConfig | None = None,
    compute_kernel_config: object = None,
) -> Tensor:
    """(batch, height, width, channels) made larger."""
    fatal(mode in ("nearest", "bilinear"), f"Unsupported mode {mode}: nearest and bilinear are supported")
    return on_host(
        "ttnn.upsample",
        lambda x: _upsampled(x, scale_factor, mode),
        [input_tensor],
        memory_config=_memory(memory_config),
    )[0]


def _rotated(
    x: Any, angle: float, center: Any = None, fill: float = 0.0, interpolation_mode: str = "nearest", **_: Any
) -> Any:
    """Each pixel taken from where the rotation brings it from."""
    import math

    import torch

    _, height, width, _ = x.shape
    cx, cy = ((width - 1) / 2, (height - 1) / 2) if center is None else center
    turn = math.radians(angle)
    y, x_at = torch.meshgrid(torch.arange(height).double(), torch.arange(width).double(), indexing="ij")
    dx, dy = x_at - cx, y - cy
    column = math.cos(turn) * dx - math.sin(turn) * dy + cx
    row = math.sin(turn) * dx + math.cos(turn) * dy + cy
    if interpolation_mode == "nearest":
        return _taken(x, (row + 0.5).floor(), (column + 0.5).floor(), fill)
    top, left = row.floor(), column.floor()
    down, across = (row - top)[None, ..., None].float(), (column - left)[None, ..., None].float()
    corners = [_taken(x, top + i, left + j, fill) for i in (0, 1) for j in (0, 1)]
    upper = corners[0] * (1 - across) + corners[1] * across
    lower = corners[2] * (1 - across) + corners[3] * across
    return (upper * (1 - down) + lower * down).to(x.dtype)


def _taken(image: Any, row: Any, column: Any, fill: float) -> Any:
    height, width = image.shape[1:3]
    inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
    found = image[:, row.long().clamp(0, height - 1), column.long().clamp(0, width - 1)]
    return found.masked_fill(~inside[None, ..., None], fill)


@registered("ttnn.rotate", golden=_rotated)
def rotate(
    input_tensor: Tensor,
    angle: float,
    *,
    center: Sequence[float] | None = None,
    fill: float = 0.0,
    expand: bool = False,
    interpolation_mode: str = "nearest",
    memory_config: MemoryConfig | None = None,
) -> Tensor:
    """(batch, height, width, channels) turned by an angle in degrees, against the clock."""
    fatal(not expand, "expand parameter must be False")
    fatal(
        interpolation_mode in ("nearest", "bilinear"),
        f"interpolation_mode must be 'nearest' or 'bilinear', got {interpolation_mode!r}",
    )
    return on_host(
        "ttnn.rotate",
        lambda x: _rotated(x, angle, center, fill, interpolation_mode),
        [input_tensor],
        memory_config=_memory(memory_config),
    )[0]
