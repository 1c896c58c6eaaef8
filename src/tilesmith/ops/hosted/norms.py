"""batch_norm, group_norm, and layer norms in two halves (statistics, then the norm) for several chips."""

from __future__ import annotations

from typing import Any

from tilesmith.ops.checks import fatal
from tilesmith.ops.core_grid import CoreGrid
from tilesmith.ops.device import MeshDevice
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.framework import register, registered
from tilesmith.ops.host_operation import on_host, write
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout

TILE = 32


def _batch_norm(x: Any, **options: Any) -> Any:
    import torch

    names = ("running_mean", "running_var", "weight", "bias")
    flat = {name: options[name].flatten() for name in names if options.get(name) is not None}
    mean, var = flat.pop("running_mean", None), flat.pop("running_var", None)
    numbers = {name: options[name] for name in ("training", "momentum", "eps") if name in options}
    return torch.nn.functional.batch_norm(x, mean, var, **flat, **numbers)


@registered("ttnn.batch_norm", golden=_batch_norm)
def batch_norm(
    input: Tensor,
    *,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    training: bool = False,
    eps: float = 1e-05,
    momentum: float = 0.1,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    output: Tensor | None = None,
    memory_config: MemoryConfig | None = None,
    compute_kernel_config: object = None,
) -> Tensor:
    """(batch, channels, height, width) normalised by channel; training renews the running statistics."""
    fatal(len(input.spec.shape) >= 4, "batch_norm not supported for tensors with rank < 4")
    fatal(
        training or (running_mean is not None and running_var is not None),
        "running_mean and running_var must be defined in evaluation mode",
    )

    def compute(x: Any, mean: Any, var: Any, w: Any, b: Any) -> Any:
        import torch

        channels = x.shape[1]
        none = mean is None and var is None
        old: list[Any] = [
            None if none else (torch.zeros(channels) if statistic is None else statistic.flatten().clone())
            for statistic in (mean, var)
        ]
        scale, shift = (None if one is None else one.flatten() for one in (w, b))
        found = torch.nn.functional.batch_norm(x, old[0], old[1], scale, shift, training, momentum, eps)
        for tensor, values in zip((running_mean, running_var), old, strict=True):
            if training and tensor is not None and values is not None:
                write(tensor, values.reshape(tensor.spec.shape))
        return found

    inputs = [input, running_mean, running_var, weight, bias]
    return on_host("ttnn.batch_norm", compute, inputs, memory_config=memory_config, output=output)[0]


# ---- group norm ----


def _group_golden(
    x: Any, *, num_groups: int, epsilon: float = 1e-12, weight: Any = None, bias: Any = None, **_: Any
) -> Any:
    import torch

    image = x.transpose(-1, -2)
    scale, shift = (None if one is None else one.flatten()[: image.shape[-2]] for one in (weight, bias))
    found = torch.nn.functional.group_norm(image.float().flatten(1, -3), num_groups, scale, shift, epsilon)
    return found.reshape(image.shape).transpose(-1, -2)


@registered("ttnn.group_norm", golden=_group_golden)
def group_norm(
    input_tensor: Tensor,
    *,
    num_groups: int,
    epsilon: float = 1e-12,
    input_mask: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    reciprocals: Tensor | None = None,
    memory_config: MemoryConfig | None = None,
    dtype: DataType | None = None,
    core_grid: CoreGrid | None = None,
    inplace: bool = True,
    output_layout: Layout | None = None,
    num_out_blocks: int | None = None,
    compute_kernel_config: object = None,
    negative_mask: Tensor | None = None,
    use_welford: bool = False,
) -> Tensor:
    """(batch, 1, height x width, channels) normalised by groups of channels."""
    channels = input_tensor.spec.shape[-1]
    fatal(channels % num_groups == 0, f"channels ({channels}) must be divisible by groups ({num_groups})")

    def compute(x: Any, w: Any, b: Any) -> Any:
        import torch

        image = x.reshape(x.shape[0], -1, channels).transpose(1, 2)
        scale, shift = (None if one is None else _channels(one, channels) for one in (w, b))
        found = torch.nn.functional.group_norm(image, num_groups, scale, shift, epsilon)
        return found.transpose(1, 2).reshape(x.shape)

    return on_host(
        "ttnn.group_norm",
        compute,
        [input_tensor, weight, bias],
        dtype=dtype,
        layout=output_layout,
        memory_config=memory_config,
    )[0]


def _channels(padded: Any, channels: int) -> Any:
    """Weights as `create_group_norm_weight_bias_rm` lays them out: every part filled up to whole tiles."""
    flat = padded.flatten()
    if flat.numel() == channels:
        return flat
    for parts in range(1, channels + 1):
        each = channels // parts
        room = -(-each // TILE) * TILE
        if channels % parts == 0 and parts * room == flat.numel():
            return flat.reshape(parts, room)[:, :each].flatten()
    return flat[:channels]


def create_group_norm_weight_bias_rm(input_tensor: Any, num_channels: int, num_cores_x: int) -> Any:
    """A torch vector as (1, 1, rows, 32): one part for each column of cores, filled up to whole tiles."""
    import torch

    each = num_channels // num_cores_x
    parts = input_tensor.reshape(-1, each)
    return torch.nn.functional.pad(parts, (0, -each % TILE)).reshape(1, 1, -1, TILE)


def create_group_norm_input_mask(
    num_channel: int,
    num_groups: int,
    num_cores_across_channel: int,
    data_type: DataType = DataType.BFLOAT16,
    tile_height: int = TILE,
    tile_width: int = TILE,
    rows_in_last_tile: int = 0,
) -> Tensor:
    """Ones where a column of tiles belongs to a group: (1, groups, rows, columns of tiles)."""
    return _mask(num_channel, num_groups, num_cores_across_channel, data_type, tile_height, tile_width, 1.0)


def create_group_norm_input_negative_mask(
    num_channel: int,
    num_groups: int,
    num_cores_across_channel: int,
    data_type: DataType = DataType.BFLOAT16,
    tile_height: int = TILE,
    tile_width: int = TILE,
) -> Tensor:
    """The opposite of the mask."""
    return _mask(num_channel, num_groups, num_cores_across_channel, data_type, tile_height, tile_width, 0.0)


def _mask(
    channels: int, groups: int, cores: int, dtype: DataType, rows: int, width: int, inside: float
) -> Tensor:
    import torch

    from tilesmith.ops.creation.host import from_torch

    size = channels // groups
    across = 1 if size <= width else -(-size // width) + (size % width > 1)
    mask = torch.full((1, groups, rows, across * width), 1.0 - inside)
    start = 0
    for group in range(groups):
        mask[0, group, :, start : start + size] = inside
        start = (start + size) % width
    return from_torch(mask, dtype, layout=Layout.TILE)


def dram_group_norm_virtual_columns(core_grid: Any, num_channels: int, num_groups: int) -> int:
    """Columns of cores that share the channels: as many as divide them and the groups into whole tiles."""
    columns = int(core_grid.x)
    while columns > 1 and ((num_channels // columns) % TILE or num_groups % columns):
        columns -= 1
    return columns


def determine_expected_group_norm_dram_grid_size(
    *, device: MeshDevice, num_channels: int, num_groups: int, input_nhw: int, num_batches: int = 1
) -> CoreGrid:
    """The largest grid whose columns share the channels and whose rows share the positions."""
    size = device.compute_with_storage_grid_size()
    columns = dram_group_norm_virtual_columns(CoreGrid(x=size.x, y=size.y), num_channels, num_groups)
    rows = size.y
    while rows > 1 and (input_nhw // TILE) % rows:
        rows -= 1
    return CoreGrid(x=columns, y=rows)


def create_group_norm_reciprocals(
    N: int,  # noqa: N803 - ttnn's names
    C: int,  # noqa: N803
    H: int,  # noqa: N803
    W: int,  # noqa: N803
    num_groups: int,
    core_grid: Any,
) -> Any:
    """1, 1/2, 1/3 ... for each core, as a torch tensor. Here two passes are made, which need none."""
    import torch

    columns = dram_group_norm_virtual_columns(core_grid, C, num_groups)
    rows = (core_grid.x // columns) * core_grid.y
    elements = C // num_groups * -(-H * W // TILE)
    each = elements // (1 if rows <= N else rows // N)
    return (1 / torch.arange(1, each + 1, dtype=torch.float32)).repeat(core_grid.x * core_grid.y, 1)


def dram_group_norm_params_from_torch(
    torch_params: Any,
    channels_per_device: int,
    groups_per_device: int,
    device: MeshDevice | None,
    mesh_axis: int | None = None,
    core_grid: Any = None,
    return_mask: bool = True,
    dtype: DataType = DataType.BFLOAT16,
) -> Any:
    """Weights and biases as group_norm takes them, and the mask of the groups."""
    from tilesmith.ops.creation.host import from_torch
    from tilesmith.ops.rearrange.memory import to_device

    grid = core_grid or (device.core_grid if device is not None else None)
    fatal(grid is not None, "Either core_grid or device must be provided to determine virtual columns")
    columns = dram_group_norm_virtual_columns(grid, channels_per_device, groups_per_device)
    several = isinstance(torch_params, (list, tuple))
    parameters: Any = [
        from_torch(
            create_group_norm_weight_bias_rm(parameter, channels_per_device, columns), dtype, device=device
        )
        for parameter in (torch_params if several else [torch_params])
    ]
    parameters = parameters if several else parameters[0]
    if not return_mask:
        return parameters
    mask = create_group_norm_input_mask(channels_per_device, groups_per_device, columns, dtype)
    return parameters, mask if device is None else to_device(mask, device)


for _function in (
    create_group_norm_weight_bias_rm,
    create_group_norm_input_mask,
    create_group_norm_input_negative_mask,
    create_group_norm_reciprocals,
    determine_expected_group_norm_dram_grid_size,
    dram_group_norm_params_from_torch,
):
    register(f"ttnn.{_function.__name__}", _function)


# ---- in two halves ----


def _statistics(name: str, with_mean: bool) -> None:
    def function(
        input_tensor: Tensor,
        *,
        dtype: DataType = DataType.BFLOAT16,
        residual_input_tensor: Tensor | None = None,
        compute_kernel_config: object = None,
        program_config: object = None,
        memory_config: MemoryConfig | None = None,
        recip_tensor: Tensor | None = None,
        use_2d_core_grid: bool | None = None,
        fast_and_approximate_mode: bool = False,
    ) -> Tensor:
        sharded = input_tensor.is_sharded()

        def compute(x: Any, residual: Any) -> Any:
            import torch

            x = x if residual is None else x + residual
            sums = [x.square().sum(-1)] + ([x.sum(-1)] if with_mean else [])
            if sharded:  # means, and the other way round
                sums = [one / x.shape[-1] for one in reversed(sums)]
            sums_in_tiles = torch.zeros(*x.shape[:-1], TILE * len(sums))
            for number, total in enumerate(sums):
                sums_in_tiles[..., number * TILE] = total
            return sums_in_tiles

        inputs = [input_tensor, residual_input_tensor]
        found = on_host(f"ttnn.{name}", compute, inputs, dtype=dtype, memory_config=memory_config)
        if residual_input_tensor is not None:
            write(input_tensor, _sum(input_tensor, residual_input_tensor))
        return found[0]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Sums of squares (and sums) of each row, each in the first column of a tile."
    register(f"ttnn.{name}", function)


def _sum(a: Tensor, b: Tensor) -> Any:
    from tilesmith.ops.host_operation import values_of

    return values_of(a) + values_of(b)


def _normalised(name: str, with_mean: bool) -> None:
    def function(
        input_tensor: Tensor,
        stats: Tensor,
        *,
        epsilon: float = 1e-12,
        weight: Tensor | None = None,
        bias: Tensor | None = None,
        memory_config: MemoryConfig | None = None,
        compute_kernel_config: object = None,
        program_config: object = None,
        dtype: DataType | None = None,
        use_2d_core_grid: bool | None = None,
    ) -> Tensor:
        sharded = input_tensor.is_sharded()

        def compute(x: Any, sums: Any, w: Any, b: Any) -> Any:
            columns = sums[..., ::TILE]
            each = 2 if with_mean else 1
            devices = columns.shape[-1] // each
            count = devices if sharded else x.shape[-1] * devices
            at_squares, at_mean = (each - 1, 0) if sharded else (0, 1)
            squares = columns[..., at_squares::each].sum(-1, keepdim=True) / count
            mean = columns[..., at_mean::each].sum(-1, keepdim=True) / count if with_mean else 0.0
            found = (x - mean) * (squares - mean**2 + epsilon).rsqrt()
            found = found if w is None else found * w.flatten()
            return found if b is None else found + b.flatten()

        inputs = [input_tensor, stats, weight, bias]
        return on_host(f"ttnn.{name}", compute, inputs, dtype=dtype, memory_config=memory_config)[0]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Rows normalised with the statistics of all chips."
    register(f"ttnn.{name}", function)


for _name, _with_mean in (("layer_norm", True), ("rms_norm", False)):
    _statistics(f"{_name}_pre_all_gather", _with_mean)
    _normalised(f"{_name}_post_all_gather", _with_mean)
