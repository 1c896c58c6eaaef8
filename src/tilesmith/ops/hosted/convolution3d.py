"""3-D convolution, and its weights as a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.framework import registered
from tilesmith.ops.host_operation import on_host
from tilesmith.ops.hosted.convolution_config import Conv3dConfig
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout


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
    halo_buffer: Tensor | None = None,
    logical_h_mask: int = 0,
    logical_w_mask: int = 0,
    pad_offset_tensor: Tensor | None = None,
    output_pad_h: int = 0,
    output_pad_w: int = 0,
) -> Tensor:
    """A 3-D convolution of (batch, depth, height, width, channels); weights are a matrix.

    `logical_h_mask` and `logical_w_mask` are sizes of an image of which this is a part that begins at
    `pad_offset_tensor`: what lies beyond them counts as zero.
    """
    chosen = config or Conv3dConfig()
    fatal(
        halo_buffer is None and not output_pad_h and not output_pad_w,
        "tilesmith: conv3d takes no halo_buffer and pads no output; exchange halos and pad outside of it",
    )

    def compute(x: Any, w: Any, b: Any, offset: Any) -> Any:
        import torch

        origin = (0, 0) if offset is None else tuple(int(one) for one in offset.flatten()[:2])
        video = _masked(x.movedim(-1, 1), origin, (logical_h_mask, logical_w_mask))
        depth, height, width = padding
        mode = "constant" if padding_mode == "zeros" else padding_mode
        video = torch.nn.functional.pad(video, (width, width, height, height, depth, depth), mode)
        kernels = w if w.dim() == 5 else _kernels3d(w, output_channels, kernel_size, chosen.C_in_block)
        # Prepared weights of groups are one block-diagonal matrix over all channels.
        parts = groups if w.dim() == 5 else 1
        channels = min(video.shape[1], kernels.shape[1] * parts)
        video, kernels = video[:, :channels], kernels[:, : channels // parts]
        bias = None if b is None else b.flatten()[:output_channels]
        steps = (tuple(stride), 0, tuple(dilation), parts)
        return torch.nn.functional.conv3d(video, kernels, bias, *steps).movedim(1, -1)

    return on_host(
        "ttnn.experimental.conv3d",
        compute,
        [input_tensor, weight_tensor, bias_tensor, pad_offset_tensor],
        dtype=dtype,
        layout=chosen.output_layout,
        memory_config=memory_config or DRAM_MEMORY_CONFIG,
    )[0]


def _masked(video: Any, origin: Sequence[int], sizes: Sequence[int]) -> Any:
    """Zero beyond the height and the width of the whole image; a size of 0 masks nothing."""
    import torch

    for axis, start, size in zip((-2, -1), origin, sizes, strict=True):
        if size:
            inside = torch.arange(video.shape[axis]) + start < size
            video = torch.where(inside[:, None] if axis == -2 else inside, video, 0.0)
    return video


def _kernels3d(matrix: Any, outs: int, kernel: Sequence[int], block: int) -> Any:
    """From rows of (blocks of channels, depth, height, width, channels of a block)."""
    rows = matrix.reshape(-1, outs)
    room = rows.shape[0]
    for size in kernel:
        room //= size
    each = block or room
    parts = rows.reshape(room // each, *kernel, each, outs)
    return parts.permute(5, 0, 4, 1, 2, 3).reshape(outs, room, *kernel)


def _dense(weights: Any, groups: int) -> Any:
    """Weights over all channels: zero for the channels of other groups, as ttnn prepares them."""
    outs, ins, *kernel = weights.shape
    each = outs // groups
    dense = weights.new_zeros(outs, ins * groups, *kernel)
    for group in range(groups):
        rows = slice(group * each, (group + 1) * each)
        dense[rows, group * ins : (group + 1) * ins] = weights[rows]
    return dense


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

    raw = _dense(values_of(weight_tensor), groups)
    outs, ins, *kernel = raw.shape
    padded = torch.nn.functional.pad(raw, (0, 0, 0, 0, 0, 0, 0, -ins % alignment))
    room = padded.shape[1]
    each = C_in_block or room
    parts = padded.reshape(outs, room // each, each, *kernel).permute(1, 3, 4, 5, 2, 0)
    return from_torch(parts.reshape(-1, outs), weight_tensor.dtype, layout=Layout.TILE, device=device)
