"""gather, scatter and their relatives."""

from __future__ import annotations

from typing import Any

from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.framework import registered
from tilesmith.ops.host_operation import on_host
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CoreRangeSet
from tilesmith.runtime import Layout

_REDUCTIONS = {"add": "sum", "sum": "sum", "multiply": "prod", "prod": "prod", "amin": "amin", "amax": "amax"}


@registered("ttnn.gather", golden=lambda tensor, dim, index, **_: tensor.gather(dim, index.long()))
def gather(
    input: Tensor,
    dim: int,
    index: Tensor,
    *,
    sparse_grad: bool = False,
    memory_config: MemoryConfig | None = None,
    out: Tensor | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """Elements along an axis, chosen by an index for each place of the result."""
    fatal(not sparse_grad, "Sparse gradient is not supported yet!")
    fatal(
        len(input.spec.shape) == len(index.spec.shape),
        "Input and index tensor must have the same number of dimensions,"
        f" got {input.shape} and {index.shape}",
    )
    _check_index(index)
    return on_host(
        "ttnn.gather",
        lambda x, i: x.gather(dim, i),
        [input, index],
        layout=input.layout,
        memory_config=memory_config,
        output=out,
    )[0]


def _check_index(index: Tensor) -> None:
    fatal(
        index.dtype in (DataType.UINT16, DataType.UINT32, DataType.INT32, DataType.UINT8),
        f"Index tensor must be of integer type, got {index.dtype}",
    )


@registered("ttnn.scatter", golden=lambda x, dim, i, src, **_: x.scatter(dim, i.long(), src))
def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    *,
    memory_config: MemoryConfig | None = None,
    reduce: str | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """The input with elements of `src` along an axis where the index says, or joined with those there."""
    fatal(
        len(input.spec.shape) == len(index.spec.shape) == len(src.spec.shape),
        f"input, index and source must have the same rank, got {input.shape}, {index.shape} and {src.shape}",
    )
    _check_index(index)
    fatal(
        reduce is None or reduce in _REDUCTIONS,
        f"Invalid reduction {reduce!r}, use one of {list(_REDUCTIONS)}",
    )

    def compute(x: Any, i: Any, values: Any) -> Any:
        values = values.to(x.dtype)
        if reduce is None:
            return x.scatter(dim, i, values)
        return x.scatter_reduce(dim, i, values, _REDUCTIONS[reduce], include_self=True)

    return on_host("ttnn.scatter", compute, [input, index, src], memory_config=memory_config)[0]


@registered("ttnn.scatter_add", golden=lambda x, dim, i, src, **_: x.scatter_add(dim, i.long(), src))
def scatter_add(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    *,
    memory_config: MemoryConfig | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """`scatter` that adds."""
    return scatter(input, dim, index, src, memory_config=memory_config, reduce="add")


@registered("ttnn.tosa_gather")
def tosa_gather(input: Tensor, index: Tensor, *, memory_config: MemoryConfig | None = None) -> Tensor:
    """Rows of (batch, rows, channels) chosen by (batch, places)."""

    def compute(x: Any, i: Any) -> Any:
        return x.gather(1, i.unsqueeze(-1).expand(*i.shape, x.shape[-1]))

    return on_host("ttnn.tosa_gather", compute, [input, index], memory_config=memory_config)[0]


@registered("ttnn.tosa_scatter")
def tosa_scatter(
    input: Tensor, index: Tensor, src: Tensor, *, memory_config: MemoryConfig | None = None
) -> Tensor:
    """(batch, rows, channels) with some rows replaced."""

    def compute(x: Any, i: Any, rows: Any) -> Any:
        return x.scatter(1, i.unsqueeze(-1).expand(*i.shape, x.shape[-1]), rows.to(x.dtype))

    return on_host("ttnn.tosa_scatter", compute, [input, index, src], memory_config=memory_config)[0]


@registered("ttnn.indexed_fill")
def indexed_fill(
    batch_id: Tensor,
    input_tensor_a: Tensor,
    input_tensor_b: Tensor,
    *,
    memory_config: MemoryConfig | None = None,
    dim: int = 0,
) -> Tensor:
    """The first tensor with slices of the second where `batch_id` says, along an axis."""

    def compute(which: Any, a: Any, b: Any) -> Any:
        return a.index_copy(dim, which.flatten().long(), b.to(a.dtype))

    inputs = [batch_id, input_tensor_a, input_tensor_b]
    return on_host("ttnn.indexed_fill", compute, inputs, like=input_tensor_a, memory_config=memory_config)[0]


@registered("ttnn.nonzero")
def nonzero(input_tensor: Tensor, *, memory_config: MemoryConfig | None = None) -> list[Tensor]:
    """How many elements are not zero (in the first of eight), and where: four indices for each."""

    def compute(x: Any) -> Any:
        import torch

        found = torch.nonzero(x.reshape((1,) * (4 - x.dim()) + tuple(x.shape)))
        places = torch.zeros(1, 1, 1, 4 * x.numel(), dtype=torch.int64)
        places[0, 0, 0, : found.numel()] = found.flatten()
        count = torch.zeros(1, 1, 1, 8, dtype=torch.int64)
        count[..., 0] = len(found)
        return count, places

    return on_host(
        "ttnn.nonzero",
        compute,
        [input_tensor],
        dtype=DataType.UINT32,
        layout=Layout.ROW_MAJOR,
        memory_config=memory_config or DRAM_MEMORY_CONFIG,
    )


@registered("ttnn.embedding_bw")
def embedding_bw(
    input_tensor: Tensor,
    weight_tensor: Tensor,
    output_gradient_tensor: Tensor,
    *,
    dtype: DataType | None = None,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
) -> Tensor:
    """The gradient of an embedding's table: rows of the gradient added up by index."""
    rows = weight_tensor.spec.shape[-2]

    def compute(index: Any, _: Any, gradient: Any) -> Any:
        import torch

        flat = gradient.reshape(-1, gradient.shape[-1])
        return torch.zeros(rows, flat.shape[-1]).index_add(0, index.flatten().long(), flat)[None, None]

    return on_host(
        "ttnn.embedding_bw",
        compute,
        [input_tensor, weight_tensor, output_gradient_tensor],
        like=output_gradient_tensor,
        dtype=dtype,
        memory_config=memory_config,
        output=output_tensor,
    )[0]
