"""matmul, linear and addmm."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tilesmith.ops.checks import fatal
from tilesmith.ops.compute_config import ComputeKernelConfig
from tilesmith.ops.core_grid import CoreGrid
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.elementwise.activation import Activation, applied
from tilesmith.ops.elementwise.api import elementwise
from tilesmith.ops.elementwise.unary import typecast
from tilesmith.ops.framework import launch, registered, with_signature_of
from tilesmith.ops.matmul import reference
from tilesmith.ops.matmul.operation import Attributes, Matmul, batches
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, MemoryConfig
from tilesmith.ops.program_configs import FusedActivation, fused_activation, grid_of
from tilesmith.ops.rearrange.permutation import transpose
from tilesmith.ops.rearrange.shapes import reshape
from tilesmith.ops.shards import fitting_memory, over_same_cores
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout

MATMUL = Matmul()
TILE = 32


@registered("ttnn.linear", golden=reference.linear)
def linear(
    input_tensor_a: Tensor,
    input_tensor_b: Tensor,
    *,
    bias: Tensor | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    memory_config: MemoryConfig | None = None,
    dtype: DataType | None = None,
    program_config: object = None,
    activation: FusedActivation = None,
    compute_kernel_config: ComputeKernelConfig | None = None,
    core_grid: CoreGrid | None = None,
    output_tile: object = None,
    optional_output_tensor: Tensor | None = None,
    global_cb: object = None,
    sub_device_id: object = None,
) -> Tensor:
    """a @ b + bias, then an activation."""
    return _product(
        input_tensor_a,
        input_tensor_b,
        bias,
        (transpose_a, transpose_b),
        memory_config,
        dtype,
        fused_activation(program_config, activation),
        compute_kernel_config,
        optional_output_tensor,
        grid_of(program_config, input_tensor_a, core_grid),
    )


@registered("ttnn.matmul", golden=reference.matmul)
@with_signature_of(linear, without=("bias",))
def matmul(input_tensor_a: Tensor, input_tensor_b: Tensor, **options: Any) -> Tensor:
    """a @ b, over all matrices of a batch; vectors are taken as a row or a column."""
    return linear(input_tensor_a, input_tensor_b, **options)


@registered("ttnn.addmm", golden=reference.addmm)
def addmm(
    input_tensor: Tensor,
    mat1_tensor: Tensor,
    mat2_tensor: Tensor,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    memory_config: MemoryConfig | None = None,
    dtype: DataType | None = None,
    program_config: object = None,
    compute_kernel_config: ComputeKernelConfig | None = None,
    core_grid: CoreGrid | None = None,
    output_tile: object = None,
    optional_output_tensor: Tensor | None = None,
) -> Tensor:
    """beta times a tensor, plus alpha times a @ b."""
    _check_addmm(input_tensor, mat1_tensor, mat2_tensor, alpha, beta)
    product = matmul(
        mat1_tensor,
        mat2_tensor,
        dtype=dtype,
        program_config=program_config,
        compute_kernel_config=compute_kernel_config,
        core_grid=core_grid,
    )
    scale = [[Activation("scale", number)] if number != 1 else [] for number in (alpha, beta)]
    if beta == 0:  # what the tensor holds does not count, NaN neither
        return elementwise(
            "",
            [product],
            after=scale[0],
            memory_config=memory_config,
            output_tensor=optional_output_tensor,
        )
    return elementwise(
        "add",
        [product, input_tensor],
        before=scale,
        memory_config=memory_config,
        output_tensor=optional_output_tensor,
    )


def _check_addmm(tensor: Tensor, a: Tensor, b: Tensor, alpha: float, beta: float) -> None:
    fatal(alpha != 0, "alpha parameter cannot be 0")
    shape = (*a.spec.shape[:-1], b.spec.shape[-1])
    fatal(
        len(shape) == 2 and (beta == 0 or tensor.spec.shape == shape),
        "input_tensor must have shape matching one of result of mat1_tensor @ mat2_tensor",
    )
    operands = [("mat1_tensor", a), ("mat2_tensor", b)]
    for name, operand in [("input_tensor", tensor), *operands] if beta != 0 else operands:
        fatal(
            operand.dtype in (DataType.BFLOAT16, DataType.FLOAT32, DataType.BFLOAT8_B),
            f"only ttnn.bfloat16, ttnn.float32 and ttnn.bfloat8_b types are supported for {name}",
        )


def _product(
    a: Tensor,
    b: Tensor,
    bias: Tensor | None,
    transposed: tuple[bool, bool],
    memory_config: MemoryConfig | None,
    dtype: DataType | None,
    activation: FusedActivation,
    config: ComputeKernelConfig | None,
    output: Tensor | None,
    grid: tuple[int, int] | None = None,
) -> Tensor:
    """Vectors become matrices, transposes are made, and a bias that is no row is added afterwards."""
    a_shape, b_shape = a.spec.shape, b.spec.shape
    fatal(a_shape and b_shape, "Inputs to matmul must have at least one dimension")
    _check_tiles(a, b, bias)
    a, b, bias = _readable(a, a_shape[-1]), _readable(b, a_shape[-1]), bias and _readable(bias, 1)
    left = reshape(a, (1, *a_shape)) if len(a_shape) == 1 else a
    right = reshape(b, (*b_shape, 1)) if len(b_shape) == 1 else b
    left = transpose(left, -1, -2) if transposed[0] else left
    right = transpose(right, -1, -2) if transposed[1] else right
    is_row = bias is None or _is_row(bias, right.spec.shape[-1])
    _check_bias(bias, left, right)
    after = applied([activation] if activation else [])
    target = dtype or (output.dtype if output is not None else a.dtype)
    if after and target.is_block_float:
        # What an activation makes of padding must not share exponents with elements.
        plain = _product(a, b, bias, transposed, None, DataType.BFLOAT16, activation, config, None, grid)
        return elementwise("", [plain], dtype=target, memory_config=memory_config, output_tensor=output)
    attrs = Attributes(
        target.format,
        _memory(memory_config, left, right, target).placed(),
        bias is not None and is_row,
        after if is_row else (),
        ComputeKernelConfig() if config is None else replace(config),
        grid,
    )
    inputs = [left, right, bias] if bias is not None and is_row else [left, right]
    (product,) = launch(MATMUL, attrs, inputs, output=[output] if output is not None and is_row else ())
    if not is_row:
        assert bias is not None
        product = elementwise(
            "add",
            [product, bias],
            after=[activation] if activation else [],
            memory_config=memory_config,
            output_tensor=output,
        )
    dropped = [axis for axis, shape in ((-2, a_shape), (-1, b_shape)) if len(shape) == 1]
    kept = [
        size for axis, size in enumerate(product.spec.shape, -len(product.spec.shape)) if axis not in dropped
    ]
    # A bias of more axes gives the result as many.
    kept = [1] * ((len(bias.spec.shape) if bias is not None else 0) - len(kept)) + kept
    return reshape(product, kept)


def _memory(asked: MemoryConfig | None, left: Tensor, right: Tensor, dtype: DataType) -> MemoryConfig:
    """Shards that nobody named are cut evenly: over the cores of the first operand's, or over the chip."""
    if asked is None or not asked.lacks_shards:
        return asked or DRAM_MEMORY_CONFIG
    a, b = left.spec.shape, right.spec.shape
    of_a, of_b = batches(a, b)
    shape = (*(max(pair) for pair in zip(of_a, of_b, strict=True)), a[-2], b[-1])
    own = left.memory_config().shard_spec
    return over_same_cores(asked, shape, dtype.format, left) if own else fitting_memory(asked, shape, left)


def _check_tiles(*tensors: Tensor | None) -> None:
    for tensor in tensors:
        if tensor is not None and tensor.layout is Layout.TILE:
            rows, cols = tensor.tile.rows, tensor.tile.cols
            fatal(
                (rows, cols) == (TILE, TILE),
                f"tilesmith: products are made of 32x32 tiles here, got tiles of {rows}x{cols}",
                remedy="make the tensor without tile=",
            )


def _readable(tensor: Tensor, inner: int) -> Tensor:
    """Two elements of 4 bits share a byte: where a kernel writes elements they become bfloat16."""
    if tensor.dtype is DataType.BFLOAT4_B and inner % TILE != 0:
        return typecast(tensor, DataType.BFLOAT16)
    return tensor


def _is_row(bias: Tensor, width: int) -> bool:
    """Whether the kernel can add it: one row, as wide as the product."""
    return bias.spec.shape[-1] == width and all(size == 1 for size in bias.spec.shape[:-1])


def _check_bias(bias: Tensor | None, left: Tensor, right: Tensor) -> None:
    if bias is None:
        return
    width, own = right.spec.shape[-1], bias.spec.shape[-1]
    rank = max(len(left.spec.shape), len(right.spec.shape))
    fatal(
        own in (1, width),
        f"Broadcasting rule violation at dimension index -1 (output rank {rank}),"
        f" dim a: {width}, dim b: {own}",
    )
