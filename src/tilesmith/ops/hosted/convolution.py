"""conv1d, conv2d, conv_transpose2d, and weights prepared for them.

Prepared weights here are a matrix, kernel by output channels, in the type the config asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilesmith.errors import OperationError
from tilesmith.ops.checks import fatal
from tilesmith.ops.creation.host import from_torch
from tilesmith.ops.device import MeshDevice
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.elementwise.activation import applied
from tilesmith.ops.elementwise.reference import UNARY
from tilesmith.ops.framework import registered
from tilesmith.ops.host_operation import on_host, values_of
from tilesmith.ops.hosted.convolution_config import Conv2dConfig, PaddingMode, SliceType
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout

Sizes = int | Sequence[int]


def _golden(input_tensor: Any, weight_tensor: Any, *, bias_tensor: Any = None, **options: Any) -> Any:
    import torch

    names = ("stride", "padding", "dilation", "groups")
    kept = {name: options[name] for name in names if name in options}
    size = (options["batch_size"], options["input_height"], options["input_width"], options["in_channels"])
    image = input_tensor.reshape(size).permute(0, 3, 1, 2).float()
    bias = None if bias_tensor is None else bias_tensor.reshape(-1).float()
    found = torch.nn.functional.conv2d(image, weight_tensor.float(), bias, **kept)
    return found.permute(0, 2, 3, 1).reshape(1, 1, -1, found.shape[1]).to(input_tensor.dtype)


@registered("ttnn.conv2d", golden=_golden)
def conv2d(
    *,
    input_tensor: Tensor,
    weight_tensor: Tensor,
    device: MeshDevice,
    in_channels: int,
    out_channels: int,
    batch_size: int,
    input_height: int,
    input_width: int,
    kernel_size: Sizes,
    stride: Sizes = (1, 1),
    padding: Sizes = (0, 0),
    dilation: Sizes = (1, 1),
    groups: int = 1,
    dtype: DataType | None = None,
    bias_tensor: Tensor | None = None,
    conv_config: Conv2dConfig | None = None,
    compute_config: object = None,
    memory_config: MemoryConfig | None = None,
    slice_config: object = None,
    return_output_dim: bool = False,
    return_weights_and_bias: bool = False,
) -> Any:
    """A 2-D convolution of (1, 1, batch x height x width, channels), or the same with four axes."""
    config = conv_config or Conv2dConfig()
    kernel, around = _pair(kernel_size), _around(padding)
    weight = _prepared_weight(weight_tensor, config, device, input_tensor, _weight_shape)
    bias = _prepared_bias(bias_tensor, config, device, input_tensor)

    def compute(x: Any, w: Any, b: Any) -> Any:
        import torch

        image = x.reshape(batch_size, input_height, input_width, -1)[..., :in_channels].permute(0, 3, 1, 2)
        mode = "constant" if config.padding_mode is PaddingMode.Zeros else "replicate"
        image = torch.nn.functional.pad(image, around, mode)
        kernels = _kernels(w, (out_channels, in_channels // groups, *kernel))
        found = torch.nn.functional.conv2d(
            image, kernels, None if b is None else b.flatten(), _pair(stride), 0, _pair(dilation), groups
        )
        return _activated(found, config)

    result, (height, width) = _result(
        compute, input_tensor, weight, bias, dtype, config, memory_config, device
    )
    return _answer(result, (height, width), weight, bias, return_output_dim, return_weights_and_bias)


@registered("ttnn.conv1d")
def conv1d(
    *,
    input_tensor: Tensor,
    weight_tensor: Tensor,
    device: MeshDevice,
    in_channels: int,
    out_channels: int,
    batch_size: int,
    input_length: int,
    kernel_size: int,
    stride: int = 1,
    padding: Sizes = 0,
    dilation: int = 1,
    groups: int = 1,
    dtype: DataType | None = None,
    bias_tensor: Tensor | None = None,
    conv_config: Conv2dConfig | None = None,
    compute_config: object = None,
    memory_config: MemoryConfig | None = None,
    slice_config: object = None,
    return_output_dim: bool = False,
    return_weights_and_bias: bool = False,
) -> Any:
    """A 1-D convolution: a 2-D one of width 1."""
    fatal(
        getattr(slice_config, "slice_type", None) is not SliceType.DRAMSliceHeight,
        "Conv1D does not support DRAM_HEIGHT slicing because the convolution height is always 1."
        " Use DRAM_WIDTH slicing (slices along input_length) or L1_FULL.",
    )
    config = conv_config or Conv2dConfig()
    weight = _prepared_weight(weight_tensor, config, device, input_tensor, _weight_shape)
    bias = _prepared_bias(bias_tensor, config, device, input_tensor)
    sides = (padding, padding) if isinstance(padding, int) else tuple(padding)

    def compute(x: Any, w: Any, b: Any) -> Any:
        import torch

        line = x.reshape(batch_size, input_length, -1)[..., :in_channels].permute(0, 2, 1)
        mode = "constant" if config.padding_mode is PaddingMode.Zeros else "replicate"
        line = torch.nn.functional.pad(line, sides if len(sides) == 2 else sides * 2, mode)
        kernels = _kernels(w, (out_channels, in_channels // groups, kernel_size))
        found = torch.nn.functional.conv1d(
            line, kernels, None if b is None else b.flatten(), stride, 0, dilation, groups
        )
        return _activated(found, config).unsqueeze(-1)

    result, (length, _) = _result(compute, input_tensor, weight, bias, dtype, config, memory_config, device)
    return _answer(result, length, weight, bias, return_output_dim, return_weights_and_bias)


@registered("ttnn.conv_transpose2d")
def conv_transpose2d(
    *,
    input_tensor: Tensor,
    weight_tensor: Tensor,
    device: MeshDevice,
    in_channels: int,
    out_channels: int,
    batch_size: int,
    input_height: int,
    input_width: int,
    kernel_size: Sizes,
    stride: Sizes = (1, 1),
    padding: Sizes = (0, 0),
    output_padding: Sizes = (0, 0),
    dilation: Sizes = (1, 1),
    groups: int = 1,
    dtype: DataType | None = None,
    bias_tensor: Tensor | None = None,
    conv_config: Conv2dConfig | None = None,
    compute_config: object = None,
    memory_config: MemoryConfig | None = None,
    dram_slice_config: object = None,
    mirror_kernel: bool = True,
    return_output_dim: bool = False,
    return_weights_and_bias: bool = False,
) -> Any:
    """A transposed 2-D convolution; without `mirror_kernel` the weights are mirrored already."""
    config = conv_config or Conv2dConfig()
    kernel, around = _pair(kernel_size), _around(padding)
    weight = _prepared_weight(weight_tensor, config, device, input_tensor, _transposed_weight_shape)
    bias = _prepared_bias(bias_tensor, config, device, input_tensor)

    def compute(x: Any, w: Any, b: Any) -> Any:
        import torch

        image = x.reshape(batch_size, input_height, input_width, -1)[..., :in_channels].permute(0, 3, 1, 2)
        kernels = _transposed_kernels(w, (in_channels, out_channels // groups, *kernel))
        if not mirror_kernel:
            kernels = kernels.flip(-1, -2)
        found = torch.nn.functional.conv_transpose2d(
            image,
            kernels,
            None if b is None else b.flatten(),
            _pair(stride),
            0,
            _pair(output_padding),
            groups,
            _pair(dilation),
        )
        left, right, top, bottom = around
        height, width = found.shape[-2:]
        return _activated(found[..., top : height - bottom, left : width - right], config)

    result, sizes = _result(compute, input_tensor, weight, bias, dtype, config, memory_config, device)
    return _answer(result, sizes, weight, bias, return_output_dim, return_weights_and_bias)


# ---- weights ----


@registered("ttnn.prepare_conv_weights")
def prepare_conv_weights(
    *,
    weight_tensor: Tensor,
    device: MeshDevice,
    conv_config: Conv2dConfig | None = None,
    weights_format: str = "OIHW",
    **_: Any,
) -> Tensor:
    """Weights as conv2d keeps them on the device."""
    fatal(weights_format == "OIHW", f"Invalid weights format {weights_format}: OIHW is expected")
    return _prepared_weight(
        weight_tensor, conv_config or Conv2dConfig(), device, weight_tensor, _weight_shape
    )


@registered("ttnn.prepare_conv_transpose2d_weights")
def prepare_conv_transpose2d_weights(
    *,
    weight_tensor: Tensor,
    device: MeshDevice,
    conv_config: Conv2dConfig | None = None,
    weights_format: str = "IOHW",
    **_: Any,
) -> Tensor:
    """Weights as conv_transpose2d keeps them on the device."""
    fatal(weights_format == "IOHW", f"Invalid weights format {weights_format}: IOHW is expected")
    config = conv_config or Conv2dConfig()
    return _prepared_weight(weight_tensor, config, device, weight_tensor, _transposed_weight_shape)


@registered("ttnn.prepare_conv_bias")
def prepare_conv_bias(
    *, bias_tensor: Tensor, device: MeshDevice, conv_config: Conv2dConfig | None = None, **_: Any
) -> Tensor:
    """A bias as convolutions keep it on the device."""
    prepared = _prepared_bias(bias_tensor, conv_config or Conv2dConfig(), device, bias_tensor)
    assert prepared is not None
    return prepared


@registered("ttnn.prepare_conv_transpose2d_bias")
def prepare_conv_transpose2d_bias(
    *, bias_tensor: Tensor, device: MeshDevice, conv_config: Conv2dConfig | None = None, **_: Any
) -> Tensor:
    """A bias as transposed convolutions keep it on the device."""
    return prepare_conv_bias(bias_tensor=bias_tensor, device=device, conv_config=conv_config)


def _weight_shape(raw: Any) -> Any:
    """(out, in, kernel...) as a matrix: kernel x in, out."""
    outs = raw.shape[0]
    return raw.movedim(1, -1).reshape(outs, -1).T[None, None]


def _kernels(matrix: Any, shape: tuple[int, ...]) -> Any:
    """The other way round; what is (out, in, kernel...) already stays."""
    if tuple(matrix.shape) == shape:
        return matrix
    outs, ins, *kernel = shape
    return matrix.reshape(-1, outs).T.reshape(outs, *kernel, ins).movedim(-1, 1)


def _transposed_weight_shape(raw: Any) -> Any:
    """(in, out, kernel...) as a matrix: kernel x in, out."""
    return raw.movedim(1, -1).movedim(0, -2).reshape(1, 1, -1, raw.shape[1])


def _transposed_kernels(matrix: Any, shape: tuple[int, ...]) -> Any:
    if tuple(matrix.shape) == shape:
        return matrix
    ins, outs, *kernel = shape
    return matrix.reshape(*kernel, ins, outs).movedim(-2, 0).movedim(-1, 1)


def _prepared_weight(
    weight: Tensor, config: Conv2dConfig, device: MeshDevice, like: Tensor, arrange: Any
) -> Tensor:
    if weight.on_device is not None and weight.layout is Layout.TILE:
        return weight
    target = config.weights_dtype or weight.dtype
    return from_torch(
        arrange(values_of(weight)),
        target,
        layout=Layout.TILE,
        device=device,
        memory_config=DRAM_MEMORY_CONFIG,
    )


def _prepared_bias(
    bias: Tensor | None, config: Conv2dConfig, device: MeshDevice, like: Tensor
) -> Tensor | None:
    if bias is None or (bias.on_device is not None and bias.layout is Layout.TILE):
        return bias
    target = config.weights_dtype or bias.dtype
    flat = values_of(bias).reshape(1, 1, 1, -1)
    return from_torch(flat, target, layout=Layout.TILE, device=device, memory_config=DRAM_MEMORY_CONFIG)


# ---- the rest ----


def _pair(sizes: Sizes) -> tuple[int, int]:
    if isinstance(sizes, int):
        return sizes, sizes
    first, *rest = sizes
    return first, rest[0] if rest else first


def _around(padding: Sizes) -> tuple[int, int, int, int]:
    """Left, right, top, bottom; given as one number, (height, width) or (top, bottom, left, right)."""
    if isinstance(padding, int) or len(padding) == 2:
        height, width = _pair(padding)
        return width, width, height, height
    top, bottom, left, right = padding
    return left, right, top, bottom


def _activated(values: Any, config: Conv2dConfig) -> Any:
    for step in applied([config.activation] if config.activation else []):
        if step.name not in UNARY:
            raise OperationError(f"tilesmith: a convolution cannot apply {step.name} here")
        values = UNARY[step.name](values, *step.parameters)
    return values


def _result(
    compute: Any,
    image: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    dtype: DataType | None,
    config: Conv2dConfig,
    memory: MemoryConfig | None,
    device: MeshDevice,
) -> tuple[Tensor, tuple[int, int]]:
    sizes: list[tuple[int, int]] = []

    def flat(*values: Any) -> Any:
        found = compute(*values)
        sizes.append((found.shape[-2], found.shape[-1]))
        return found.permute(0, 2, 3, 1).reshape(1, 1, -1, found.shape[1])

    target = dtype or image.dtype
    layout = Layout.TILE if target.is_block_float else config.output_layout
    like = image if image.on_device is not None else weight
    place = memory if memory is not None and not memory.lacks_shards else DRAM_MEMORY_CONFIG
    (result,) = on_host(
        "ttnn.conv2d",
        flat,
        [image, weight, bias],
        like=like,
        dtype=target,
        layout=layout,
        memory_config=place,
    )
    if config.deallocate_activation and image.on_device is not None:
        image.deallocate()
    return result, sizes[0]


def _answer(
    result: Tensor, sizes: Any, weight: Tensor, bias: Tensor | None, with_sizes: bool, with_weights: bool
) -> Any:
    """The result, with the sizes and the prepared weights where they are asked for."""
    extra = []
    if with_sizes:
        extra.append(list(sizes) if isinstance(sizes, tuple) else sizes)
    if with_weights:
        extra.append([weight, bias])
    return [result, *extra] if extra else result
