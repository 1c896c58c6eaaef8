"""embedding."""

from __future__ import annotations

from enum import Enum
from typing import Any

from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.elementwise.unary import typecast
from tilesmith.ops.embedding.operation import Attributes, Embedding
from tilesmith.ops.framework import launch, registered
from tilesmith.ops.layouts import in_layout
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, MemoryConfig
from tilesmith.ops.rearrange.memory import copy, to_memory_config
from tilesmith.ops.rearrange.shapes import reshape
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout

EMBEDDING = Embedding()


class EmbeddingsType(Enum):
    """ttnn's ways to keep rows that come often; they change no result."""

    GENERIC = "generic"
    PADDED = "padded"
    BINARY = "binary"


def _golden(index: Any, weight: Any, **_: Any) -> Any:
    return weight.reshape(-1, weight.shape[-1])[index.long()]


@registered("ttnn.embedding", golden=_golden)
def embedding(
    input_tensor: Tensor,
    weight: Tensor,
    *,
    padding_idx: int | None = None,
    layout: Layout | None = None,
    embeddings_type: EmbeddingsType = EmbeddingsType.GENERIC,
    dtype: DataType | None = None,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
) -> Tensor:
    """The rows of `weight` that `input_tensor` names."""
    fatal(
        input_tensor.dtype in (DataType.UINT32, DataType.BFLOAT16),
        "Input must be UINT32 or BFLOAT16",
    )
    fatal(weight.dtype is DataType.BFLOAT16, "Weights tensor must have BFLOAT16 dtype")
    shape = input_tensor.spec.shape
    table = in_layout(weight, Layout.ROW_MAJOR)
    table = reshape(table, (table.logical_volume() // table.spec.shape[-1], table.spec.shape[-1]))
    memory = memory_config or (output_tensor.memory_config() if output_tensor else DRAM_MEMORY_CONFIG)
    plain = memory if not memory.is_sharded() else DRAM_MEMORY_CONFIG
    (rows,) = launch(EMBEDDING, Attributes(plain.placed()), [_index(input_tensor), table])
    result = reshape(rows, (*shape, table.spec.shape[-1]))
    wanted = layout or (output_tensor.layout if output_tensor is not None else weight.layout)
    result = in_layout(result, wanted)
    result = result if dtype is None or dtype is result.dtype else typecast(result, dtype)
    if output_tensor is not None:
        return copy(result, output_tensor)
    return to_memory_config(result, memory)


def _index(tensor: Tensor) -> Tensor:
    """Rows of 32-bit numbers."""
    numbers = tensor if tensor.dtype is DataType.UINT32 else typecast(tensor, DataType.UINT32)
    rows = in_layout(numbers, Layout.ROW_MAJOR)
    return rows if rows.spec.shape else reshape(rows, (1,))
