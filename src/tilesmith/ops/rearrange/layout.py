"""to_layout, tilize and untilize: tiles and rows."""

from __future__ import annotations

from collections.abc import Sequence

from tilesmith.formats import TileShape
from tilesmith.ops.checks import fatal
from tilesmith.ops.creation.host import as_integers
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.framework import registered
from tilesmith.ops.host import HostTensor
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.rearrange.api import rearrange
from tilesmith.ops.rearrange.mapping import identity, sliced
from tilesmith.ops.rearrange.views import with_padding
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CoreRangeSet
from tilesmith.runtime import Layout
from tilesmith.runtime.tensor_spec import TensorSpec

TILE = 32


def _same(tensor: object, *_: object, **__: object) -> object:
    """Layouts do not change values."""
    return tensor


@registered("ttnn.to_layout", golden=_same)
def to_layout(
    tensor: Tensor,
    layout: Layout,
    dtype: DataType | None = None,
    memory_config: MemoryConfig | None = None,
    sub_core_grids: CoreRangeSet | None = None,
    pad_value: float = 0.0,
) -> Tensor:
    """The tensor in another layout; tiles are padded with `pad_value`."""
    if tensor.on_device is None:
        return _on_host(tensor, layout, dtype, pad_value)
    if tensor.layout is layout:
        fatal(
            dtype is None or dtype is tensor.dtype,
            "ttnn::to_layout: dtype cannot be different from tensor dtype when converting to the same"
            " layout!",
        )
        return tensor
    return _converted(tensor, layout, "to_layout", dtype, memory_config, pad_value)


@registered("ttnn.tilize", golden=_same)
def tilize(
    input_tensor: Tensor,
    *,
    memory_config: MemoryConfig | None = None,
    dtype: DataType | None = None,
    use_multicore: bool = True,
    use_low_perf: bool = False,
    tile: TileShape | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """Rows to tiles, of a tensor that is made of whole tiles."""
    fatal(input_tensor.layout is Layout.ROW_MAJOR, "Can only tilize row major data")
    height, width = (1, 1, *input_tensor.shape)[-2:]
    fatal(width % TILE == 0, f"Input tensor width ({width}) must be divisible by tile width ({TILE})")
    fatal(height % TILE == 0, f"Input tensor height ({height}) must be divisible by tile height ({TILE})")
    return _converted(input_tensor, Layout.TILE, "tilize", dtype, memory_config, 0.0)


@registered("ttnn.tilize_with_val_padding", golden=_same)
def tilize_with_val_padding(
    input_tensor: Tensor,
    output_tensor_shape: Sequence[int],
    pad_value: float,
    *,
    memory_config: MemoryConfig | None = None,
    dtype: DataType | None = None,
    use_multicore: bool = True,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """Rows to tiles; what is added to reach whole tiles is `pad_value`."""
    fatal(input_tensor.layout is Layout.ROW_MAJOR, "Can only tilize row major data")
    spec = TensorSpec(
        input_tensor.spec.shape, input_tensor.spec.dtype, Layout.TILE, input_tensor.spec.memory_config
    )
    asked = tuple(output_tensor_shape)
    whole = all(size % TILE == 0 for size in asked[-2:])
    fatal(
        len(asked) == len(spec.padded_shape) and whole,
        f"To be tilizable output tensor shape {list(asked)} must be divisible by tile size ({TILE}, {TILE})",
    )
    # More tiles than the elements need would only be padding, and padding is what tiles need here.
    for axis, (size, least) in enumerate(zip(asked, spec.padded_shape, strict=True)):
        fatal(
            size >= least,
            f"Output tensor shape {list(asked)} must be greater than or equal to input shape"
            f" {list(input_tensor.spec.shape)} in each dimension, but is smaller in dimension {axis}",
        )
    return _converted(input_tensor, Layout.TILE, "tilize_with_val_padding", dtype, memory_config, pad_value)


@registered("ttnn.tilize_with_zero_padding", golden=_same)
def tilize_with_zero_padding(
    input_tensor: Tensor,
    *,
    memory_config: MemoryConfig | None = None,
    output_dtype: DataType | None = None,
    use_multicore: bool = True,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """Rows to tiles, with zeros where tiles are larger."""
    fatal(input_tensor.layout is Layout.ROW_MAJOR, "Can only tilize row major data")
    return _converted(input_tensor, Layout.TILE, "tilize_with_val_padding", output_dtype, memory_config, 0.0)


@registered("ttnn.untilize", golden=_same)
def untilize(
    input_tensor: Tensor,
    *,
    memory_config: MemoryConfig | None = None,
    use_multicore: bool = True,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """Tiles to rows, without the padding."""
    fatal(input_tensor.layout is Layout.TILE, "Can only untilize tile major data")
    return _converted(input_tensor, Layout.ROW_MAJOR, "untilize", None, memory_config, 0.0)


@registered("ttnn.untilize_with_unpadding", golden=lambda tensor, end, **_: _cut(tensor, end))
def untilize_with_unpadding(
    input_tensor: Tensor,
    output_tensor_end: Sequence[int],
    *,
    memory_config: MemoryConfig | None = None,
    use_multicore: bool = True,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """Tiles to rows, up to and including `output_tensor_end`, which may lie in the padding of the tiles."""
    fatal(input_tensor.layout is Layout.TILE, "Can only untilize tile major data")
    if any(end >= size for end, size in zip(output_tensor_end, input_tensor.spec.shape, strict=False)):
        input_tensor = with_padding(input_tensor) or input_tensor
    shape = input_tensor.spec.shape
    fatal(
        len(output_tensor_end) == len(shape)
        and all(end < size for end, size in zip(output_tensor_end, shape, strict=True)),
        f"Output tensor end {list(output_tensor_end)} is outside the tensor of shape {list(shape)}",
    )
    size = tuple(end + 1 for end in output_tensor_end)
    segment = sliced(shape, (0,) * len(shape), size, (1,) * len(shape))
    return rearrange(
        [input_tensor],
        size,
        [segment],
        label="untilize_with_unpadding",
        layout=Layout.ROW_MAJOR,
        memory_config=memory_config,
    )


@registered("ttnn.fill_implicit_tile_padding", golden=_same)
def fill_implicit_tile_padding(
    input_tensor: Tensor, fill_value: float, *, memory_config: MemoryConfig | None = None
) -> Tensor:
    """A copy whose padding of tiles holds a value; the tensor itself when it has no padding."""
    fatal(input_tensor.layout is Layout.TILE, "FillPad should be performed on tile layout")
    shape = input_tensor.spec.shape
    height, width = (1, 1, *shape)[-2:]
    if height % TILE == width % TILE == 0:
        return input_tensor
    return rearrange(
        [input_tensor],
        shape,
        [identity(shape or (1,))],
        label="fill_implicit_tile_padding",
        memory_config=memory_config,
        fill=fill_value,
    )


def _cut(tensor: object, end: Sequence[int]) -> object:
    return tensor[tuple(slice(0, one + 1) for one in end)]  # type: ignore[index]  # a torch tensor


def _converted(
    tensor: Tensor,
    layout: Layout,
    label: str,
    dtype: DataType | None,
    memory_config: MemoryConfig | None,
    pad_value: float,
) -> Tensor:
    from tilesmith.ops.elementwise.unary import typecast

    shape = tensor.spec.shape
    moved = rearrange(
        [tensor],
        shape,
        [identity(shape or (1,))],
        label=label,
        layout=layout,
        memory_config=memory_config,
        fill=pad_value,
    )
    return moved if dtype is None or dtype is moved.dtype else typecast(moved, dtype)


def _on_host(tensor: Tensor, layout: Layout, dtype: DataType | None, pad_value: float = 0.0) -> Tensor:
    spec = tensor.spec
    target = (dtype or tensor.dtype).format
    if spec.layout is layout and spec.dtype is target:
        return tensor
    if spec.dtype is target and target.is_block_float:
        return tensor  # ttnn leaves block floats in tiles too, without a word
    converted = TensorSpec(spec.shape, target, layout, spec.memory_config)
    values = as_integers(tensor.to_numpy(), dtype or tensor.dtype)
    assert tensor.on_host is not None
    return Tensor(on_host=HostTensor.of_numpy(values, converted, pad_value or tensor.on_host.padding))
