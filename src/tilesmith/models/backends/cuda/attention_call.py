"""Attention through torch: the fused kernels of cuDNN and of FlashAttention."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from tilesmith.kernels.expression import Input
from tilesmith.models.planning.steps import Launch
from tilesmith.models.planning.views import TILE, Storage

_BACKENDS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}
# What takes sizes that the fused kernels do not.
_OTHERWISE = [SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
_WITH_MASK = {"cudnn": SDPBackend.CUDNN_ATTENTION, "efficient": SDPBackend.EFFICIENT_ATTENTION}


Routine = Callable[[Any], None]


def attention_ways(step: Launch, is_result: bool) -> Iterator[tuple[str, Routine, Routine | None]]:
    """Names and routines for a launch, if torch's attention means the same.

    What only the caller reads stays as torch made it; the second routine would write it to its matrix.
    """
    template: Any = step.template
    rows, keys = step.numbers["m"], step.numbers["n"]
    plain = template.epilogue.results[0].value == Input("acc0") and len(template.epilogue.results) == 1
    # Torch's triangle begins at the first key, ours ends at the last.
    if not plain or template.dtype != "bfloat16" or (template.causal and rows not in (1, keys)):
        return
    causal = template.causal and rows > 1
    backends = dict(_BACKENDS if template.mask is None else _WITH_MASK)
    if template.mask is None and not is_result and rows > 1 and keys <= 256:  # flash is faster then
        backends = dict(reversed(backends.items()))
    for name, backend in backends.items():
        if not (causal and template.mask is not None):
            yield f"{name} attention", *_routines(step, backend, causal, is_result)


def _routines(
    step: Launch, backend: SDPBackend, causal: bool, is_result: bool
) -> tuple[Routine, Routine | None]:
    template: Any = step.template
    numbers = step.numbers
    batch, heads, rows, keys = (numbers[name] for name in ("nb1", "nb2", "m", "n"))
    shared = heads // template.group
    q = _tensor(step, "q", (batch, heads, rows, template.width))
    k = _tensor(step, "k", (batch, shared, keys, template.width))
    v = _tensor(step, "v", (batch, shared, keys, template.value_width))
    y = _tensor(step, "y", (batch, heads, rows, template.value_width))
    mask = _tensor(step, "mask", (batch, heads, rows, keys)) if template.mask is not None else None
    target = step.storages["y"]
    takes_place = _lies_as_torch_stores(step)

    def run(memory: Any) -> None:
        with sdpa_kernel([backend, *_OTHERWISE], set_priority=True):
            result = scaled_dot_product_attention(
                q(memory),
                k(memory),
                v(memory),
                mask(memory) if mask is not None else None,
                is_causal=causal,
                scale=template.scale,
                enable_gqa=template.group > 1,
            )
        lines = result.transpose(1, 2)
        if is_result:
            memory[as_tensor(target)] = result
        elif takes_place and lines.is_contiguous():
            memory[target] = lines.reshape(target.rows, target.cols)
        else:
            y(memory).copy_(result)

    def settle(memory: Any) -> None:
        y(memory).copy_(memory[as_tensor(target)])

    return run, settle if is_result else None


def as_tensor(storage: Storage) -> Storage:
    """The key of a result that is no matrix."""
    return replace(storage, number=-1 - storage.number)


def _tensor(step: Launch, name: str, shape: tuple[int, ...]) -> Callable[[Any], torch.Tensor]:
    """An operand as (batch, head, row, column), where it lies."""
    access = {one.name: one.access for one in step.template.tensors}[name]
    down = TILE if access == "block" else 1
    along = TILE if access in ("block", "rows") else 1
    storage, n = step.storages[name], step.numbers
    wide = storage.cols
    batch = n[f"{name}_row1"] * down * wide + n[f"{name}_col1"] * along
    head = n[f"{name}_row2"] * down * wide + n[f"{name}_col2"] * along
    row, col = {"block": (wide, 1), "rows": (wide, 1), "row": (0, 1), "column": (1, 0), "scalar": (0, 0)}[
        access
    ]
    start = n[f"{name}_row"] * down * wide + n[f"{name}_col"] * along

    def taken(memory: Any) -> torch.Tensor:
        matrix: torch.Tensor = memory[storage]
        return matrix.as_strided(shape, (batch, head, row, col), matrix.storage_offset() + start)

    return taken


def _lies_as_torch_stores(step: Launch) -> bool:
    """Whether the result is all of its storage, in the order that torch's kernels store it."""
    template: Any = step.template
    n, target = step.numbers, step.storages["y"]
    sizes = (target.rows, target.cols) == (n["nb1"] * n["m"], n["nb2"] * template.value_width)
    strides = (n["y_row1"] * TILE == n["m"] or n["nb1"] == 1) and n["y_col2"] * TILE == template.value_width
    return sizes and strides and (n["y_row"], n["y_col"], n["y_row2"], n["y_col1"]) == (0, 0, 0, 0)
