"""softmax of attention scores with their scale and mask, on the device."""

from __future__ import annotations

from typing import Any

from tilesmith.ops.framework import register
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.tensor import Tensor


def _attention_softmax(
    tensor: Tensor,
    *,
    head_size: int | None = None,
    attention_mask: Tensor | None = None,
    program_config: object = None,
    causal_mask: bool = False,
    memory_config: MemoryConfig | None = None,
) -> Tensor:
    """softmax of scores divided by the root of the head size, plus a mask; on the device."""
    from tilesmith.ops.normalization.masked import scale_mask_softmax

    scale = None if head_size is None else head_size**-0.5
    return scale_mask_softmax(tensor, scale, attention_mask, memory_config=memory_config)


def _attention_softmax_(tensor: Tensor, **options: Any) -> Tensor:
    """The same, written to its input."""
    from tilesmith.ops.rearrange.memory import copy

    return copy(_attention_softmax(tensor, **options), tensor)


def _softmax_golden(
    tensor: Any, *, head_size: int | None = None, attention_mask: Any = None, **_: Any
) -> Any:
    scaled = tensor if head_size is None else tensor * head_size**-0.5
    return (scaled if attention_mask is None else scaled + attention_mask).softmax(-1)


register("ttnn.transformer.attention_softmax", _attention_softmax, _softmax_golden)
register("ttnn.transformer.attention_softmax_", _attention_softmax_, _softmax_golden)
