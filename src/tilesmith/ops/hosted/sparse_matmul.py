"""sparse_matmul: products with many matrices, those left out that nobody chose."""

from __future__ import annotations

from math import prod
from typing import Any

from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.framework import registered
from tilesmith.ops.host_operation import on_host
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout


@registered("ttnn.sparse_matmul")
def sparse_matmul(
    input_tensor_a: Tensor,
    input_tensor_b: Tensor,
    *,
    sparsity: Tensor,
    indices: Tensor | None = None,
    program_config: object = None,
    nnz: int | None = None,
    is_input_a_sparse: bool = False,
    is_input_b_sparse: bool = True,
    memory_config: MemoryConfig | None = None,
    dtype: DataType | None = None,
    compute_kernel_config: object = None,
    core_grid: object = None,
    output_tile: object = None,
    optional_output_tensor: Tensor | None = None,
    global_cb: object = None,
    sub_device_id: object = None,
) -> Tensor:
    """Products with many matrices: those that `sparsity` has no zero for, or those that `indices` names."""
    _check_operands(input_tensor_a, input_tensor_b, sparsity)
    fatal(
        is_input_a_sparse or is_input_b_sparse,
        "sparse_matmul requires at least one of is_input_a_sparse or is_input_b_sparse to be true",
    )
    batch_a, batch_b = (_batch(one) for one in (input_tensor_a, input_tensor_b))
    expected = prod(batch_b) if is_input_b_sparse else 1
    expected *= 1 if is_input_a_sparse and is_input_b_sparse else prod(batch_a)
    _check_sparsity(sparsity, expected, nnz)
    if indices is not None:
        _check_indices(indices, batch_b, is_input_b_sparse, nnz)
        batch_b = (*batch_b[:-1], prod(indices.spec.shape))
    outer = () if is_input_a_sparse and is_input_b_sparse else batch_a
    inner = batch_b if is_input_b_sparse else ()
    size = (input_tensor_a.spec.shape[-2], input_tensor_b.spec.shape[-1])
    expanded = (*outer, *inner, *size)
    compact = None if nnz is None or indices is not None else (1, nnz, *size)
    is_compact = _check_output(optional_output_tensor, expanded, compact)

    def compute(a: Any, b: Any, kept: Any, chosen: Any) -> Any:
        import torch

        left, right = (one.reshape(-1, *one.shape[-2:]) for one in (a, b))
        right = right if chosen is None else right[chosen.flatten().long()]
        both = is_input_a_sparse or not is_input_b_sparse
        found = left @ right if both else left[:, None] @ right
        found = found.reshape(-1, *size)
        if chosen is not None:
            return found.reshape(expanded)
        is_kept = kept.flatten() != 0
        count = int(is_kept.sum())
        fatal(nnz in (None, count), f"sparse_matmul: nnz ({nnz}) is not the number of non-zeros ({count})")
        if is_compact:
            return found[is_kept].reshape(compact)
        return torch.where(is_kept[:, None, None], found, 0.0).reshape(expanded)

    return on_host(
        "ttnn.sparse_matmul",
        compute,
        [input_tensor_a, input_tensor_b, sparsity, indices],
        dtype=dtype,
        memory_config=memory_config,
        output=optional_output_tensor,
    )[0]


def _batch(tensor: Tensor) -> tuple[int, ...]:
    return tuple(tensor.spec.shape[:-2])


def _check_operands(a: Tensor, b: Tensor, sparsity: Tensor) -> None:
    for name, tensor in (("A", a), ("B", b)):
        fatal(
            tensor.layout is Layout.TILE,
            f"Input tensor {name} must be TILE layout, got Layout::{tensor.layout.name}",
        )
    for name, tensor in (("A", a), ("B", b)):
        fatal(
            not tensor.dtype.is_integer,
            f"Input tensor {name} must be a floating point type, got DataType::{tensor.dtype.name}",
        )
    fatal(
        sparsity.layout is Layout.ROW_MAJOR,
        f"Sparsity tensor must be ROW_MAJOR layout, got Layout::{sparsity.layout.name}",
    )
    fatal(
        a.spec.shape[-1] == b.spec.shape[-2],
        f"Dimension K (A.shape[-1] {a.spec.shape[-1]}) and B.shape[-2] ({b.spec.shape[-2]}) must match for A"
        " and B",
    )


def _check_sparsity(sparsity: Tensor, expected: int, nnz: int | None) -> None:
    volume = prod(sparsity.spec.shape)
    fatal(nnz is None or nnz > 0, f"nnz ({nnz}) must be greater than 0")
    fatal(
        volume == expected,
        f"sparsity logical_volume ({volume}) must equal batch_length ({expected})",
    )
    fatal(
        nnz is None or nnz <= expected,
        f"nnz ({nnz}) must be less than or equal to the length of all batch dimensions ({expected})",
    )


def _check_indices(indices: Tensor, batch_b: tuple[int, ...], b_is_sparse: bool, nnz: int | None) -> None:
    count = prod(indices.spec.shape)
    fatal(b_is_sparse, "Indexed/gather mode requires is_input_b_sparse=true")
    fatal(indices.on_device is not None, "Device Operations expect device tensors as inputs: indices")
    fatal(
        indices.layout is Layout.ROW_MAJOR,
        f"indices must be ROW_MAJOR layout, got Layout::{indices.layout.name}",
    )
    fatal(
        indices.dtype is DataType.UINT16,
        f"indices must be UINT16 dtype, got DataType::{indices.dtype.name}",
    )
    fatal(
        indices.spec.shape[-1] == count,
        "indices must occupy a single ROW_MAJOR stick (all dimensions except the last must be 1), got shape"
        f" {list(indices.spec.shape)}",
    )
    fatal(nnz is None, f"nnz ({nnz}) must not be supplied together with indices: their number is counted")
    fatal(
        len(batch_b) > 0 and prod(batch_b) == batch_b[-1],
        "Indexed/gather mode requires input B's sparse-group axis to be its only batch dimension, got"
        f" {list(batch_b)}",
    )
    fatal(
        count <= batch_b[-1],
        f"indices length / num_active ({count}) must be <= the number of sparse groups in input B"
        f" ({batch_b[-1]})",
    )


def _check_output(output: Tensor | None, expanded: tuple[int, ...], compact: tuple[int, ...] | None) -> bool:
    """Whether only the chosen products are asked for, one after another."""
    if output is None or tuple(output.spec.shape) == expanded:
        return False
    shape = tuple(output.spec.shape)
    others = "" if compact is None else f" or compact output shape {list(compact)}"
    when = "when nnz is not provided" if compact is None else f"when nnz={compact[1]}"
    fatal(
        shape == compact,
        f"Optional output tensor shape {list(shape)} must match expanded output shape {list(expanded)}"
        f"{others} {when}",
    )
    return True
