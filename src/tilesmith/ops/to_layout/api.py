"""to_layout, tilize and untilize."""

from __future__ import annotations

from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.rearrange.api import rearrange
from tilesmith.ops.rearrange.mapping import identity
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout


def to_layout(tensor: Tensor, layout: Layout, memory_config: MemoryConfig | None = None) -> Tensor:
    shape = tensor.spec.shape
    return rearrange(
        [tensor],
        shape,
        [identity(shape or (1,))],
        layout=layout,
        label="to_layout",
        memory_config=memory_config,
    )
